package spmm

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A RowBlock is some rows of a rank's matrix that are multiplied at once, for [Product.Each].
type RowBlock[T dtype.Float] struct {
	// From and To say which of the rank's rows it is, From <= i < To. Slice the rank's
	// part of Y, and operands that have its rows, by them.
	From, To int
	A        sparse.Matrix[T]
	// Packed is A in Options.Format, if that is set.
	Packed sparse.Packed[T]
	// B is what the columns of A are: rows of B, of this rank and of others, and sums.
	B layout.Matrix[T]
}

// task is the product of a block: of rows of Y, or of sums on the way to them.
type task[T dtype.Float] struct {
	RowBlock[T]
	a     sparse.Matrix[T]
	need  []int32 // messages, in the order of halo.in
	after int     // the task that has to be done before; -1: none
	// Rows first to last-1 of the full matrix are its B. to is where its sums go there, or
	// -1 if they are rows of Y.
	first, last, to int
	// multiply is how out = a*b is computed, in the way in which a is stored.
	multiply func(opt cpu.Options, out, b layout.Matrix[T])
}

// places is how the full matrix is laid out: B, and sums. A product may not read where
// it writes, so steps go from one place for sums to the other.
//
//	0        own                          second
//	| sums   | own rows of B | what comes | sums   |
type places struct{ own, second, rows int }

// cut is some rows, of which some may read what comes from other ranks.
type cut struct {
	from, to int
	boundary bool
}

const (
	// blockCount is about how many blocks a rank's rows are cut into. Between two blocks the
	// rank attends to the transport, and rows whose halo came first need not wait for the rest.
	blockCount = 6
	// blockLeast is the entries and rows that are worth a block.
	blockLeast = 2048
	// stepLeast is how many entries of a row are worth a step of their own. A step reads
	// and writes the sums of the steps before, as if they were two more entries.
	stepLeast = 4
)

// cutRows cuts the rows of a into runs that read columns beyond own, or do not. It depends on
// the matrix alone, since long rows are added up in pieces that depend on the block that
// they are in.
func cutRows[T dtype.Float](a entries[T], own int) []cut {
	m := len(a.pointers) - 1
	work := func(from, to int) int { return int(a.pointers[to]-a.pointers[from]) + to - from }
	reads := func(i int) bool {
		columns, _ := a.row(i)
		return slices.ContainsFunc(columns, func(j int32) bool { return int(j) >= own })
	}
	least := max(work(0, m)/(4*blockCount), blockLeast)
	var runs []cut
	for i := 0; i < m; {
		from, is := i, reads(i)
		for i++; i < m && reads(i) == is; i++ {
		}
		k := len(runs) - 1
		if k >= 0 && (runs[k].boundary == is || work(from, i) < least || work(runs[k].from, runs[k].to) < least) {
			runs[k].to, runs[k].boundary = i, runs[k].boundary || is
			continue
		}
		runs = append(runs, cut{from, i, is})
	}
	var cuts []cut
	for _, r := range runs {
		all := work(r.from, r.to)
		n := max(min(blockCount*all/work(0, m), all/blockLeast), 1)
		from := r.from
		for k := range n {
			to := from
			for to < r.to && (to == from || work(r.from, to) < all/n*(k+1)) {
				to++
			}
			if k == n-1 {
				to = r.to
			}
			if to > from {
				cuts = append(cuts, cut{from, to, r.boundary})
			}
			from = to
		}
	}
	return cuts
}

// lay makes the tasks of a product: what reads nothing of others first, then steps in
// the order of chunks.
func (s *Matrix[T]) lay() error {
	store, err := s.storage()
	if err != nil {
		return err
	}
	all := rawEntries(s.a)
	cuts := cutRows(all, len(s.cols))
	l := s.newLaying(all)
	if s.opt.Chunks > 1 {
		for _, c := range cuts {
			if c.boundary {
				l.sums += c.to - c.from
			}
		}
	}
	s.place = places{own: l.sums, second: l.sums + len(s.cols) + len(s.partial)}
	if s.place.rows = s.place.second + l.sums; s.place.rows > sparse.MaxDim {
		return fmt.Errorf("%d rows of B, of others and of sums are more than one rank can hold; use more ranks, or fewer Options.Chunks", s.place.rows)
	}
	// Tasks by step, and then by rows.
	steps := make([][]task[T], s.opt.Chunks+1)
	at := 0 // of the next row among the sums
	for _, c := range cuts {
		if !c.boundary || s.opt.Chunks == 1 {
			steps[0] = append(steps[0], l.whole(c))
			continue
		}
		l.steps(c, at, steps)
		at += c.to - c.from
	}
	s.tasks = nil
	last := map[int]int{} // the last task of the rows that begin there
	for _, tasks := range steps {
		for _, k := range tasks {
			if k.after = -1; k.To > k.From {
				if at, ok := last[k.From]; ok {
					k.after = at
				}
				last[k.From] = len(s.tasks)
			}
			k.A = k.a
			if err := store(&k); err != nil {
				return fmt.Errorf("rows %d to %d of its own: %w", k.From, k.To-1, err)
			}
			s.tasks = append(s.tasks, k)
		}
	}
	return l.err
}

// laying is what tasks are made from.
type laying[T dtype.Float] struct {
	s              *Matrix[T]
	all            entries[T]
	message, chunk []int32 // of what comes in
	sums           int     // rows that are computed in steps
	err            error
}

func (s *Matrix[T]) newLaying(all entries[T]) *laying[T] {
	l := &laying[T]{s: s, all: all, message: make([]int32, len(s.partial)), chunk: make([]int32, len(s.partial))}
	n := int32(0)
	messages(s.halo.in, func(p *peer, k int) {
		for at := p.at[k]; at < p.at[k+1]; at++ {
			l.message[at], l.chunk[at] = n, int32(k)
		}
		n++
	})
	return l
}

// step returns in which step of its row an entry is added: 0 what is there from the start, then
// chunk by chunk.
func (l *laying[T]) step(j int32) int {
	if k := int(j) - len(l.s.cols); k >= 0 {
		return int(l.chunk[k]) + 1
	}
	return 0
}

// whole is the task of rows that are computed at once.
func (l *laying[T]) whole(c cut) task[T] {
	return l.task(c, func(int) bool { return true }, -1, 0, l.s.place.rows, -1)
}

// steps adds the tasks of rows that are computed in steps, whose sums are at of all that are.
func (l *laying[T]) steps(c cut, at int, steps [][]task[T]) {
	n := make([]int, len(steps))
	for _, j := range l.all.indices[l.all.pointers[c.from]:l.all.pointers[c.to]] {
		n[l.step(j)]++
	}
	// What one step adds: as many entries as are worth it, and the rest in the last step.
	upTo := make([]int, len(steps)) // the step of the entries that are there from the start, and the step of each chunk
	var ends []int                  // the last of each
	some := 0
	for k := range n {
		upTo[k] = len(ends)
		if some += n[k]; some >= stepLeast*(c.to-c.from) && k < len(n)-1 {
			ends, some = append(ends, k), 0
		}
	}
	if some == 0 && len(ends) > 0 { // nothing comes after
		ends = ends[:len(ends)-1]
	}
	p := l.s.place
	from := -1 // where the sums are
	for i, k := range ends {
		is := func(step int) bool { return upTo[step] == i }
		if from < p.own { // from nowhere, or from the first place
			steps[k] = append(steps[k], l.task(c, is, from, 0, p.second, p.second+at))
			from = p.second + at
		} else {
			steps[k] = append(steps[k], l.task(c, is, from, p.own, p.rows, at))
			from = at
		}
	}
	is := func(step int) bool { return upTo[step] >= len(ends) }
	k := len(n) - 1
	for k > 0 && n[k] == 0 {
		k--
	}
	steps[k] = append(steps[k], l.task(c, is, from, 0, p.rows, -1))
}

// task makes a task of the entries of some steps. sums is where the rows' sums so far are in
// the full matrix, -1 if there are none. first, last and to are those of the task.
func (l *laying[T]) task(c cut, is func(step int) bool, sums, first, last, to int) task[T] {
	k := task[T]{RowBlock: RowBlock[T]{From: c.from, To: c.to}, first: first, last: last, to: to}
	var e entries[T]
	seen := make(map[int32]bool)
	for i := c.from; i < c.to; i++ {
		if sums >= 0 {
			e.add(int32(sums+i-c.from-first), 1)
		}
		columns, values := l.all.row(i)
		for at, j := range columns {
			if !is(l.step(j)) {
				continue
			}
			if in := int(j) - len(l.s.cols); in >= 0 && !seen[l.message[in]] {
				seen[l.message[in]] = true
				k.need = append(k.need, l.message[in])
			}
			e.add(j+int32(l.s.place.own-first), values[at])
		}
		e.end()
	}
	var err error
	if k.a, err = e.matrix(last - first); err != nil && l.err == nil {
		l.err = err
	}
	return k
}

// storage returns what puts a task's matrix into the format or the rules that the options say.
func (s *Matrix[T]) storage() (func(k *task[T]) error, error) {
	format, rules, pruned := s.opt.Format, []sparse.Rule(nil), false
	if s.opt.Advise != 0 {
		advice, err := sparse.Advise(s.a, s.opt.Advise, sparse.MachineFor(cpu.ISAs()[0]))
		if err != nil {
			return nil, err
		}
		format, rules, pruned = advice.Best.Format, advice.Best.Rules, advice.Best.Pruned
	}
	switch {
	case pruned:
		return func(k *task[T]) error {
			w := cpu.Prune(k.a)
			k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.MulPruned(opt, out, w, b) }
			return nil
		}, nil
	case len(rules) > 0:
		return func(k *task[T]) error {
			sum, err := sparse.Decompose(k.a, rules...)
			k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.SpMMOpt(opt, out, sum, b) }
			return err
		}, nil
	case len(format.Axes) == 0 || s.opt.Advise != 0 && format.Name == sparse.CSR.Name:
		return func(k *task[T]) error {
			a := k.a
			k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.SpMMOpt(opt, out, a, b) }
			return nil
		}, nil
	}
	return func(k *task[T]) error {
		packed, err := k.a.To(format)
		k.Packed = packed
		k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.SpMMOpt(opt, out, packed, b) }
		return err
	}, nil
}
