package dist

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A Block is some rows of a rank's matrix that are multiplied at once, for [SpMM.Each].
type Block[T dtype.Float] struct {
	// From and To say which of the rank's rows it is: From <= i < To, and how the rank's
	// part of Y and operands that have its rows are to be sliced.
	From, To int
	A        sparse.Matrix[T]
	// Packed is A in SparseOptions.Format, if that is set.
	Packed sparse.Packed[T]
	// B is the rank's own rows of B and then those of others, as the columns of A count them.
	B layout.Matrix[T]
}

// spmmBlock is a block with what it waits for.
type spmmBlock[T dtype.Float] struct {
	Block[T]
	a    sparse.Matrix[T]
	need []int32 // messages, in the order of halo.in
	// multiply is how out = a*b is computed, in the way in which the block is stored.
	multiply func(opt cpu.Options, out, b layout.Matrix[T])
}

// spmmCut is some rows, of which some may read what comes from other ranks.
type spmmCut struct {
	from, to int
	boundary bool
}

const (
	// blockCount is into how many blocks a rank's rows are cut, about: between two of them
	// the transport is looked after, and rows whose halo came first need not wait for the rest.
	blockCount = 6
	// blockLeast is the entries and rows that are worth a block.
	blockLeast = 2048
)

// cutRows cuts the rows of a into runs that read columns beyond own, or do not. It depends on
// the matrix alone, since long rows are added up in pieces that depend on the block that
// they are in.
func cutRows[T dtype.Float](a sparse.Matrix[T], own, chunks int) []spmmCut {
	m := a.Rows()
	all := rawEntries(a)
	work := func(from, to int) int { return int(all.pointers[to]-all.pointers[from]) + to - from }
	reads := func(i int) bool {
		for _, j := range all.indices[all.pointers[i]:all.pointers[i+1]] {
			if int(j) >= own {
				return true
			}
		}
		return false
	}
	least := max(work(0, m)/(4*blockCount), blockLeast)
	var runs []spmmCut
	for i := 0; i < m; {
		from, is := i, reads(i)
		for i++; i < m && reads(i) == is; i++ {
		}
		k := len(runs) - 1
		if k >= 0 && (runs[k].boundary == is || work(from, i) < least || work(runs[k].from, runs[k].to) < least) {
			runs[k].to, runs[k].boundary = i, runs[k].boundary || is
			continue
		}
		runs = append(runs, spmmCut{from, i, is})
	}
	boundary := 0
	for _, r := range runs {
		if r.boundary {
			boundary += work(r.from, r.to)
		}
	}
	var cuts []spmmCut
	for _, r := range runs {
		n := blockCount * work(r.from, r.to) / max(work(0, m), 1)
		if r.boundary && chunks > 1 { // as many as there are chunks, at least
			n = max(n, chunks*work(r.from, r.to)/max(boundary, 1))
		}
		n = max(min(n, work(r.from, r.to)/blockLeast), 1)
		if r.boundary && chunks > 1 {
			n = max(n, min(chunks, r.to-r.from))
		}
		from := r.from
		for k := range n {
			to := from
			for to < r.to && (to == from || work(r.from, to) < work(r.from, r.to)*(k+1)/n) {
				to++
			}
			if k == n-1 {
				to = r.to
			}
			if to > from {
				cuts = append(cuts, spmmCut{from, to, r.boundary})
			}
			from = to
		}
	}
	return cuts
}

// lay cuts the rank's matrix into blocks, and stores them as the options say.
func (s *Sparse[T]) lay() error {
	own := len(s.cols)
	message := make([]int32, len(s.partial))
	n := int32(0)
	messages(s.halo.in, func(p *haloPeer, k int) {
		for at := p.at[k]; at < p.at[k+1]; at++ {
			message[at] = n
		}
		n++
	})
	store, err := s.storage()
	if err != nil {
		return fmt.Errorf("rank %d: %w", s.c.Rank(), err)
	}
	all := rawEntries(s.a)
	s.blocks = nil
	for _, cut := range cutRows(s.a, own, s.opt.Chunks) {
		k := spmmBlock[T]{Block: Block[T]{From: cut.from, To: cut.to, A: s.a.RowSlice(cut.from, cut.to)}}
		k.a = k.A
		seen := make(map[int32]bool)
		for _, j := range all.indices[all.pointers[cut.from]:all.pointers[cut.to]] {
			if int(j) < own {
				continue
			}
			if at := message[int(j)-own]; !seen[at] {
				seen[at] = true
				k.need = append(k.need, at)
			}
		}
		if err := store(&k); err != nil {
			return fmt.Errorf("rank %d, rows %d to %d of its own: %w", s.c.Rank(), cut.from, cut.to-1, err)
		}
		s.blocks = append(s.blocks, k)
	}
	return nil
}

// storage returns what puts a block into the format or the rules that the options say.
func (s *Sparse[T]) storage() (func(k *spmmBlock[T]) error, error) {
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
		return func(k *spmmBlock[T]) error {
			w := cpu.Prune(k.a)
			k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.MulPruned(opt, out, w, b) }
			return nil
		}, nil
	case len(rules) > 0:
		return func(k *spmmBlock[T]) error {
			sum, err := sparse.Decompose(k.a, rules...)
			k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.SpMMOpt(opt, out, sum, b) }
			return err
		}, nil
	case len(format.Axes) == 0 || s.opt.Advise != 0 && format.Name == sparse.CSR.Name:
		return func(k *spmmBlock[T]) error {
			k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.SpMMOpt(opt, out, k.a, b) }
			return nil
		}, nil
	}
	return func(k *spmmBlock[T]) error {
		packed, err := k.a.To(format)
		k.Packed = packed
		k.multiply = func(opt cpu.Options, out, b layout.Matrix[T]) { cpu.SpMMOpt(opt, out, packed, b) }
		return err
	}, nil
}
