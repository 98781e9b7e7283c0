package spgemm

import (
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// worker computes rows of a sparse product, in the way that suits each:
//
//	one entry in a     a row of b, scaled
//	dense              a sum for each column, and a bitmap of those that were touched
//	hashed             a table of the columns that there are
//	masked             a sum for each column that the mask has
//	open               a sum for each column, of which those that the mask has are read
type worker[T dtype.Value] struct {
	c  *product[T]
	w  *buffer
	op *call.Operator[T]

	sums   unsafe.Pointer // of all columns, zero between rows; nil before the first dense row
	bitmap []uint64       // of all columns, 0 between rows
	places []int32        // of all columns, 0 between rows; see masked
	opened bool           // there is room for open

	lists   bool // the row before was dense, and its columns are n from at on
	at, n   int
	counted int // what the row before has; -1: unknown
}

// buffer is what one goroutine needs. Between calls, bitmap, keys and places are 0,
// and so are sums.
type buffer struct {
	sums, bitmap, places mem.Buffer
	keys, tableSums      mem.Buffer
	slots, values, used  mem.Buffer
	openSums, seen       mem.Buffer // of anything, between rows too
}

var buffers mem.Pool[buffer]

// end leaves the buffers as they were.
func (r *worker[T]) end() {
	if r.sums != nil && r.op.Zero != 0 {
		clear(call.SliceOf((*T)(r.sums), r.c.b.Cols))
	}
	for _, b := range []*mem.Buffer{&r.w.sums, &r.w.bitmap, &r.w.places, &r.w.keys, &r.w.tableSums, &r.w.slots, &r.w.values, &r.w.used, &r.w.openSums, &r.w.seen} {
		b.Trim()
	}
}

// wordCost is how many products it pays to hash instead of looking at one more word of a
// bitmap. Looking takes part of a nanosecond, and hashing and sorting a product some ten
// of them.
const wordCost = 16

// plan returns the words of the bitmap that row i touches. It also returns whether a
// bitmap and a sum for each column are the way for it. It changes no bit of the result.
func (r *worker[T]) plan(columns []int32) (flops, lo, hi int, dense bool) {
	c := r.c
	b := &c.b
	if b.Cols <= 64*wordCost { // one product is enough
		return len(columns), 0, (b.Cols - 1) >> 6, true
	}
	lo, hi = b.Cols, -1
	for _, k := range columns {
		from, to := b.Pointers[k], b.Pointers[k+1]
		if from < to {
			flops += int(to - from)
			lo, hi = min(lo, int(b.Indices[from])), max(hi, int(b.Indices[to-1]))
		}
	}
	if flops == 0 {
		return 0, 0, -1, true
	}
	lo, hi = lo>>6, hi>>6
	words := hi - lo + 1
	if words > wordCost*flops || r.op.Zero != 0 && r.sums == nil && c.flops < int64(b.Cols) {
		return flops, lo, hi, false // all sums would be set to zero, the operator's, for fewer products
	}
	// Sums beyond the second cache miss it at random; a table that is within it does not.
	_, l2, _ := machine.This().Room()
	size := 4 + call.SizeOf[T]()
	return flops, lo, hi, words*64*size <= l2 || 2*tableSize(min(flops, b.Cols))*size > l2
}

// count returns how many entries row i of the result has.
func (r *worker[T]) count(i int) int {
	c := r.c
	columns := c.a.Columns(i)
	if r.counted >= 0 && !c.except && slices.Equal(columns, c.a.Columns(i-1)) {
		return r.counted
	}
	switch flops, lo, hi, dense := r.plan(columns); {
	case flops == 0:
		r.counted = 0
	case len(columns) == 1 && !c.except:
		r.counted = len(c.b.Columns(int(columns[0])))
	case dense:
		r.counted = r.countDense(i, columns, lo, hi)
	default:
		r.counted = r.countHashed(i, columns, flops)
	}
	return r.counted
}

// compute computes row i of the result, stores it from at on, and returns how many
// entries it has.
func (r *worker[T]) compute(i, at int) int {
	c := r.c
	if c.masked {
		return r.masked(i, at)
	}
	columns, factors := c.a.Row(i)
	if r.lists && slices.Equal(columns, c.a.Columns(i-1)) {
		copy(c.indices[at:at+r.n], c.indices[r.at:r.at+r.n])
		r.scatter(r.sums, columns, factors)
		r.gather(at, r.n)
		r.at = at
		return r.n
	}
	r.lists = false
	flops, lo, hi, dense := r.plan(columns)
	switch {
	case flops == 0:
		return 0
	case len(columns) == 1 && !c.except:
		return r.scaled(columns[0], factors[0], at)
	case dense:
		r.n = r.dense(i, columns, factors, lo, hi, at)
		r.at, r.lists = at, !c.except
		return r.n
	}
	return r.hashed(i, columns, factors, flops, at)
}

// scaled computes a row that is one row of b times x.
func (r *worker[T]) scaled(k int32, x T, at int) int {
	columns, values := r.c.b.Row(int(k))
	n := copy(r.c.indices[at:], columns)
	out := r.c.values[at : at+n]
	if r.op.Plus == nil {
		for t, v := range values {
			out[t] = 0 + T(x*v) // of -0 it is 0, as of all sums
		}
		return n
	}
	for t, v := range values {
		out[t] = r.op.Plus(r.op.Zero, r.op.Times(x, v))
	}
	return n
}
