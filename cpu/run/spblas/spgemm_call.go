package spblas

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// spgemmCall is one product of two sparse matrices. Rows are cut into tasks of about equal
// work; which row belongs to which task, and in which way it is computed, changes no bit.
type spgemmCall[T dtype.Value] struct {
	name           string
	opt            run.Options
	how            *SpGEMM[T]
	op             operator[T]
	a, b, mask     arrays[T]
	masked, except bool      // the mask says what is computed, or what is not
	open           bool      // how masked rows are computed
	words          wordLists // the columns of b in words of a bitmap, if that is shorter

	flops int64 // products of entries
	most  int64 // entries of the result at most
	tasks tasks
	cuts  []int // the first row of each task, and the number of rows
	base  []int // where the entries of each task begin in scratch

	count    bool // this phase counts the entries of each row and computes nothing
	known    bool // columns are there, and their values are computed
	direct   bool // this phase computes them wherever there is room, as sizes are unknown
	pointers []int32
	indices  []int32
	values   []T
}

// arrays is where the arrays of a canonical matrix lie. They are only read.
type arrays[T dtype.Value] struct {
	rows, cols        int
	pointers, indices []int32
	values            []T
	each              int32 // -1: each entry has a value; 0: all rows have the same, which are ones
}

func arraysOf[T dtype.Value](m sparse.Matrix[T]) arrays[T] {
	r := m.Raw()
	return arrays[T]{r.Rows, r.Cols, sliceOf((*int32)(r.Pointers), r.Rows+1), sliceOf((*int32)(r.Indices), r.NNZ), sliceOf((*T)(r.Values), r.NNZ), -1}
}

// onesOf is where the arrays of a pattern lie, and as many ones as its longest row has entries.
func onesOf[T dtype.Value](p sparse.Pattern) arrays[T] {
	r, longest := p.Raw(), int32(0)
	m := arrays[T]{rows: r.Rows, cols: r.Cols, pointers: sliceOf((*int32)(r.Pointers), r.Rows+1), indices: sliceOf((*int32)(r.Indices), r.NNZ)}
	for i := range m.rows {
		longest = max(longest, m.pointers[i+1]-m.pointers[i])
	}
	m.values = make([]T, longest)
	setOnes(m.values)
	return m
}

// row returns columns and values of row i.
func (m *arrays[T]) row(i int) ([]int32, []T) {
	from, to := m.pointers[i], m.pointers[i+1]
	first := from & m.each
	return m.indices[from:to], m.values[first : first+to-from]
}

// columns returns the columns of row i.
func (m *arrays[T]) columns(i int) []int32 { return m.indices[m.pointers[i]:m.pointers[i+1]] }

// A product of less than flopsPerEntry products for each entry of b does not pay for
// looking at all of b first.
const flopsPerEntry = 2

// weigh counts the work, and what the result has at most.
func (c *spgemmCall[T]) weigh() {
	for i := range c.a.rows {
		flops := c.rowFlops(i)
		c.flops += flops
		c.most += c.rowMost(i, flops)
	}
	c.open = c.masked && c.opens()
	if !c.masked && !c.known && c.flops >= flopsPerEntry*int64(len(c.b.indices)) {
		c.words = wordsOf(c.b.pointers, c.b.indices)
	}
}

// rowFlops returns how many products row i is made of.
func (c *spgemmCall[T]) rowFlops(i int) (flops int64) {
	if c.masked && c.mask.pointers[i] == c.mask.pointers[i+1] {
		return 0
	}
	for _, k := range c.a.columns(i) {
		flops += int64(c.b.pointers[k+1] - c.b.pointers[k])
	}
	return flops
}

// rowMost returns how many entries row i has at most, of so many products.
func (c *spgemmCall[T]) rowMost(i int, flops int64) int64 {
	switch {
	case flops == 0:
		return 0
	case c.masked:
		return int64(c.mask.pointers[i+1] - c.mask.pointers[i])
	}
	return min(flops, int64(c.b.cols))
}

// entryBytes is what an entry takes.
func (c *spgemmCall[T]) entryBytes() int64 { return 4 + int64(sizeOf[T]()) }

// bytes returns what a result with so many entries takes.
func (c *spgemmCall[T]) bytes(entries int64) int64 {
	return 4*(int64(c.a.rows)+1) + entries*c.entryBytes()
}

// limit returns how many entries the result may have.
func (c *spgemmCall[T]) limit() int64 {
	if c.how.MaxBytes == 0 {
		return sparse.MaxSlots
	}
	return min((c.how.MaxBytes-c.bytes(0))/c.entryBytes(), sparse.MaxSlots)
}

// refuse returns an error if there are too many entries.
func (c *spgemmCall[T]) refuse(atLeast string, entries int64) error {
	limit := c.limit()
	if entries <= limit && (c.how.MaxBytes == 0 || c.bytes(0) <= c.how.MaxBytes) {
		return nil
	}
	right := fmt.Sprintf("at most %d fit; multiply fewer rows at a time, or give a mask", sparse.MaxSlots)
	if c.how.MaxBytes != 0 {
		right = fmt.Sprintf("MaxBytes is %d", c.how.MaxBytes)
	}
	return &sparse.Error{Kind: sparse.ErrSize, Where: c.name, Right: right,
		What: fmt.Sprintf("the result, %d x %d, has %s%d entries, which take %d bytes", c.a.rows, c.b.cols, atLeast, entries, c.bytes(entries))}
}

// refuseEarly is refuse by the least that the result has: no row of it has fewer entries
// than the longest row of b that it is made of. It is for products that would take hours
// to be counted.
func (c *spgemmCall[T]) refuseEarly() error {
	if c.most <= c.limit() || c.masked || c.except {
		return nil
	}
	var least int64
	for i := range c.a.rows {
		var longest int32
		for _, k := range c.a.columns(i) {
			longest = max(longest, c.b.pointers[k+1]-c.b.pointers[k])
		}
		least += int64(longest)
	}
	return c.refuse("at least ", least)
}

// product computes the result. If all that it may have fits into buffers that are kept
// anyway, or is no more than the mask, rows are computed at once and then moved together.
// Otherwise they are counted first.
func (c *spgemmCall[T]) product() (sparse.Matrix[T], error) {
	if err := c.refuse("at least ", 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if err := c.refuseEarly(); err != nil {
		return sparse.Matrix[T]{}, err
	}
	c.pointers = make([]int32, c.a.rows+1)
	if c.masked || c.most*c.entryBytes() <= int64(budget.Kept) {
		return c.atOnce()
	}
	return c.counted()
}

// counted computes the result in two phases.
func (c *spgemmCall[T]) counted() (sparse.Matrix[T], error) {
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
	return sparse.Trusted(c.a.rows, c.b.cols, c.pointers, c.indices, c.values, !c.how.Unsorted), nil
}

// spgemmRoom keeps room for rows that are computed before their place is known.
type spgemmRoom struct{ indices, values mem.Buffer }

var spgemmRooms mem.Pool[spgemmRoom]

// atOnce computes the result in one phase, and copies it.
func (c *spgemmCall[T]) atOnce() (sparse.Matrix[T], error) {
	c.cut()
	room, size := spgemmRooms.Get(), sizeOf[T]()
	room.indices.Grow(int(c.most) * 4)
	room.values.Grow(int(c.most) * size)
	c.indices = sliceOf((*int32)(room.indices.P), int(c.most))
	c.values = sliceOf((*T)(room.values.P), int(c.most))
	c.direct = true
	c.run()
	n := c.total()
	err := c.refuse("", n)
	var m sparse.Matrix[T]
	if err == nil {
		c.accumulate()
		m = sparse.Trusted(c.a.rows, c.b.cols, c.pointers, together(c, c.indices, int(n)), together(c, c.values, int(n)), !c.how.Unsorted)
	}
	c.indices, c.values = nil, nil
	room.indices.Trim()
	room.values.Trim()
	spgemmRooms.Put(room)
	return m, err
}

// together returns the n entries that the tasks have left at their bases.
func together[T dtype.Value, E any](c *spgemmCall[T], parts []E, n int) []E {
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
func (c *spgemmCall[T]) total() (n int64) {
	for _, row := range c.pointers[1:] {
		n += int64(row)
	}
	return n
}

// accumulate makes pointers of numbers of entries, the sum of which fits.
func (c *spgemmCall[T]) accumulate() {
	for i := range c.a.rows {
		c.pointers[i+1] += c.pointers[i]
	}
}

// tasksPerThread is how finely rows are cut: the last of the tasks to end is then an
// eighth of a share.
const tasksPerThread = 8

// cut cuts the rows into tasks: one if one goroutine does them all.
func (c *spgemmCall[T]) cut() {
	threads := threadsFor(c.opt, float64(c.flops))
	c.cuts, c.base = append(make([]int, 0, 2), 0), []int{0}
	if threads > 1 {
		const perRow = 4 // what a row costs besides its products
		unit := (c.flops+perRow*int64(c.a.rows))/int64(threads*tasksPerThread) + 1
		var sum, most int64
		for i := range c.a.rows {
			if sum >= unit {
				c.cuts, c.base = append(c.cuts, i), append(c.base, int(most))
				sum = 0
			}
			flops := c.rowFlops(i)
			sum += flops + perRow
			most += c.rowMost(i, flops)
		}
	}
	c.cuts = append(c.cuts, c.a.rows)
}

// run does the tasks of one phase.
func (c *spgemmCall[T]) run() {
	c.tasks.begin(len(c.cuts) - 1)
	work.Run(c, min(threadsFor(c.opt, float64(c.flops)), c.tasks.count))
}

// Work is the share of one goroutine.
func (c *spgemmCall[T]) Work(bool) {
	w := spgemmBuffers.Get() // of a call that panics it is not put back, as it is not as it was
	r := spgemmRow[T]{c: c, w: w, op: &c.op}
	for t := range c.tasks.each {
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
	spgemmBuffers.Put(w)
}

// sizeOf is the bytes of a value.
func sizeOf[T dtype.Value]() int { return int(unsafe.Sizeof(*new(T))) }
