package spgemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// product is one product of two sparse matrices. Rows are cut into tasks of about equal
// work; which row belongs to which task, and in which way it is computed, changes no bit.
type product[T dtype.Value] struct {
	name           string
	opt            run.Options
	how            *Spec[T]
	op             call.Operator[T]
	a, b, mask     call.Arrays[T]
	masked, except bool      // the mask says what is computed, or what is not
	open           bool      // how masked rows are computed
	words          wordLists // the columns of b in words of a bitmap, if that is shorter

	flops int64 // products of entries
	most  int64 // entries of the result at most
	tasks work.Tasks
	cuts  []int // the first row of each task, and the number of rows
	base  []int // where the entries of each task begin in scratch

	count    bool // this phase counts the entries of each row and computes nothing
	known    bool // columns are there, and their values are computed
	direct   bool // this phase computes them wherever there is room, as sizes are unknown
	pointers []int32
	indices  []int32
	values   []T
}

// A product of less than flopsPerEntry products for each entry of b does not pay for
// looking at all of b first.
const flopsPerEntry = 2

// weigh counts the work, and what the result has at most.
func (c *product[T]) weigh() {
	for i := range c.a.Rows {
		flops := c.rowFlops(i)
		c.flops += flops
		c.most += c.rowMost(i, flops)
	}
	c.open = c.masked && c.opens()
	if !c.masked && !c.known && c.flops >= flopsPerEntry*int64(len(c.b.Indices)) {
		c.words = wordsOf(c.b.Pointers, c.b.Indices)
	}
}

// rowFlops returns how many products row i is made of.
func (c *product[T]) rowFlops(i int) (flops int64) {
	if c.masked && c.mask.Pointers[i] == c.mask.Pointers[i+1] {
		return 0
	}
	for _, k := range c.a.Columns(i) {
		flops += int64(c.b.Pointers[k+1] - c.b.Pointers[k])
	}
	return flops
}

// rowMost returns how many entries row i has at most, of so many products.
func (c *product[T]) rowMost(i int, flops int64) int64 {
	switch {
	case flops == 0:
		return 0
	case c.masked:
		return int64(c.mask.Pointers[i+1] - c.mask.Pointers[i])
	}
	return min(flops, int64(c.b.Cols))
}

// entryBytes is what an entry takes.
func (c *product[T]) entryBytes() int64 { return 4 + int64(call.SizeOf[T]()) }

// bytes returns what a result with so many entries takes.
func (c *product[T]) bytes(entries int64) int64 {
	return 4*(int64(c.a.Rows)+1) + entries*c.entryBytes()
}

// limit returns how many entries the result may have.
func (c *product[T]) limit() int64 {
	if c.how.MaxBytes == 0 {
		return sparse.MaxSlots
	}
	return min((c.how.MaxBytes-c.bytes(0))/c.entryBytes(), sparse.MaxSlots)
}

// refuse returns an error if there are too many entries.
func (c *product[T]) refuse(atLeast string, entries int64) error {
	limit := c.limit()
	if entries <= limit && (c.how.MaxBytes == 0 || c.bytes(0) <= c.how.MaxBytes) {
		return nil
	}
	right := fmt.Sprintf("at most %d fit; multiply fewer rows at a time, or give a mask", sparse.MaxSlots)
	if c.how.MaxBytes != 0 {
		right = fmt.Sprintf("MaxBytes is %d", c.how.MaxBytes)
	}
	return &sparse.Error{Kind: sparse.ErrSize, Where: c.name, Right: right,
		What: fmt.Sprintf("the result, %d x %d, has %s%d entries, which take %d bytes", c.a.Rows, c.b.Cols, atLeast, entries, c.bytes(entries))}
}

// refuseEarly is refuse by the least that the result has: no row of it has fewer entries
// than the longest row of b that it is made of. It is for products that would take hours
// to be counted.
func (c *product[T]) refuseEarly() error {
	if c.most <= c.limit() || c.masked || c.except {
		return nil
	}
	var least int64
	for i := range c.a.Rows {
		var longest int32
		for _, k := range c.a.Columns(i) {
			longest = max(longest, c.b.Pointers[k+1]-c.b.Pointers[k])
		}
		least += int64(longest)
	}
	return c.refuse("at least ", least)
}

// product computes the result. If all that it may have fits into buffers that are kept
// anyway, or is no more than the mask, rows are computed at once and then moved together.
// Otherwise they are counted first.
func (c *product[T]) result() (sparse.Matrix[T], error) {
	if err := c.refuse("at least ", 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if err := c.refuseEarly(); err != nil {
		return sparse.Matrix[T]{}, err
	}
	c.pointers = make([]int32, c.a.Rows+1)
	if c.masked || c.most*c.entryBytes() <= int64(budget.Kept) {
		return c.atOnce()
	}
	return c.counted()
}

// counted computes the result in two phases.
func (c *product[T]) counted() (sparse.Matrix[T], error) {
	c.cut()
	c.count = true
	c.run()
	n := c.total()
	if err := c.refuse("", n); err != nil {
		return sparse.Matrix[T]{}, err
	}
	c.accumulate()
	c.indices, c.values = make([]int32, n), make([]T, n)
	c.count = false
	c.run()
	return sparse.Trusted(c.a.Rows, c.b.Cols, c.pointers, c.indices, c.values, !c.how.Unsorted), nil
}

// room keeps room for rows that are computed before their place is known.
type room struct{ indices, values mem.Buffer }

var rooms mem.Pool[room]

// atOnce computes the result in one phase, and copies it.
func (c *product[T]) atOnce() (sparse.Matrix[T], error) {
	c.cut()
	room, size := rooms.Get(), call.SizeOf[T]()
	room.indices.Grow(int(c.most) * 4)
	room.values.Grow(int(c.most) * size)
	c.indices = call.SliceOf((*int32)(room.indices.P), int(c.most))
	c.values = call.SliceOf((*T)(room.values.P), int(c.most))
	c.direct = true
	c.run()
	n := c.total()
	err := c.refuse("", n)
	var m sparse.Matrix[T]
	if err == nil {
		c.accumulate()
		m = sparse.Trusted(c.a.Rows, c.b.Cols, c.pointers, together(c, c.indices, int(n)), together(c, c.values, int(n)), !c.how.Unsorted)
	}
	c.indices, c.values = nil, nil
	room.indices.Trim()
	room.values.Trim()
	rooms.Put(room)
	return m, err
}

// together returns the n entries that the tasks have left at their bases.
func together[T dtype.Value, E any](c *product[T], parts []E, n int) []E {
	if len(c.base) == 1 {
		return append([]E(nil), parts[:n]...) // which does not clear first what it copies to
	}
	all := make([]E, n)
	for t, base := range c.base {
		from, to := int(c.pointers[c.cuts[t]]), int(c.pointers[c.cuts[t+1]])
		copy(all[from:to], parts[base:])
	}
	return all
}

// total returns how many entries all rows have; row i has left its number at i+1.
func (c *product[T]) total() (n int64) {
	for _, row := range c.pointers[1:] {
		n += int64(row)
	}
	return n
}

// accumulate makes pointers of numbers of entries, the sum of which fits.
func (c *product[T]) accumulate() {
	for i := range c.a.Rows {
		c.pointers[i+1] += c.pointers[i]
	}
}

// tasksPerThread is how finely rows are cut: the last of the tasks to end is then an
// eighth of a share.
const tasksPerThread = 8

// cut cuts the rows into tasks: one if one goroutine does them all.
func (c *product[T]) cut() {
	threads := call.ThreadsFor(c.opt, float64(c.flops))
	c.cuts, c.base = append(make([]int, 0, 2), 0), []int{0}
	if threads > 1 {
		const perRow = 4 // what a row costs besides its products
		unit := (c.flops+perRow*int64(c.a.Rows))/int64(threads*tasksPerThread) + 1
		var sum, most int64
		for i := range c.a.Rows {
			if sum >= unit {
				c.cuts, c.base = append(c.cuts, i), append(c.base, int(most))
				sum = 0
			}
			flops := c.rowFlops(i)
			sum += flops + perRow
			most += c.rowMost(i, flops)
		}
	}
	c.cuts = append(c.cuts, c.a.Rows)
}

// run does the tasks of one phase.
func (c *product[T]) run() {
	c.tasks.Run(c, call.ThreadsFor(c.opt, float64(c.flops)), len(c.cuts)-1)
}

// Work is the share of one goroutine.
func (c *product[T]) Work(bool) {
	w := buffers.Get() // of a call that panics it is not put back, as it is not as it was
	r := worker[T]{c: c, w: w, op: &c.op}
	for t, ok := c.tasks.Next(); ok; t, ok = c.tasks.Next() {
		r.lists, r.counted = false, -1 // of another row
		at := 0
		if c.direct {
			at = c.base[t]
		}
		for i := c.cuts[t]; i < c.cuts[t+1]; i++ {
			switch {
			case c.known:
				r.known(i)
			case c.count:
				c.pointers[i+1] = int32(r.count(i))
			case c.direct:
				n := r.compute(i, at)
				c.pointers[i+1] = int32(n)
				at += n
			default:
				r.compute(i, int(c.pointers[i]))
			}
		}
	}
	r.end()
	buffers.Put(w)
}
