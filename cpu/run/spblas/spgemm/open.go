package spgemm

import (
	"math/bits"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// opens reports whether the sums of all columns, and a byte for each, are in the second cache. Then
// it costs less to add up a product than to find out whether the mask has its column. Those of a
// semiring are calls, which it does not pay to make in vain.
func (c *product[T]) opens() bool {
	_, l2, _ := machine.This().Room()
	return c.op.Plus == nil && c.b.Cols <= l2/(call.SizeOf[T]()+1) && int64(c.b.Cols) <= c.flops
}

// open computes the elements of a row that a mask has by a sum for each column, whether the mask
// has it or not. Sums of other columns are never read. So no sum has to be 0 before or is
// cleared afterwards, and no product has a branch or is looked up.
func (r *worker[T]) open(mask, columns []int32, factors []T, at int) int {
	sums, seen := r.openSums(mask), r.w.seen.P
	for _, j := range mask {
		*call.Element[uint8](seen, int(j)) = 0
	}
	b := &r.c.b
	indices, values := unsafe.Pointer(unsafe.SliceData(b.Indices)), unsafe.Pointer(unsafe.SliceData(b.Values))
	factors = factors[:len(columns)]
	for e, k := range columns {
		x := factors[e]
		if b.Each == 0 {
			for _, j := range b.Columns(int(k)) {
				*call.Element[T](sums, int(j)) += x
				*call.Element[uint8](seen, int(j)) = 1
			}
			continue
		}
		for t, to := int(b.Pointers[k]), int(b.Pointers[k+1]); t < to; t++ {
			j := int(*call.Element[int32](indices, t))
			*call.Element[T](sums, j) += T(x * *call.Element[T](values, t))
			*call.Element[uint8](seen, j) = 1
		}
	}
	n := at
	for _, j := range mask { // each is stored: a row with products has room for its mask
		r.c.indices[n], r.c.values[n] = j, *call.Element[T](sums, int(j))
		n += int(*call.Element[uint8](seen, int(j)))
	}
	return n - at
}

// openKnown computes the elements of a row whose columns are known.
func (r *worker[T]) openKnown(at, end int, columns []int32, factors []T) {
	known, values := r.c.indices[at:end], r.c.values[at:end]
	sums := r.openSums(known)
	r.scatter(sums, columns, factors)
	for t, j := range known {
		values[t] = *call.Element[T](sums, int(j))
	}
}

// openSums returns sums of all columns, of which those of a mask are 0, and makes room for their bytes.
func (r *worker[T]) openSums(mask []int32) unsafe.Pointer {
	if !r.opened {
		r.opened = true
		r.w.openSums.Grow(r.c.b.Cols * int(unsafe.Sizeof(r.op.Zero)))
		r.w.seen.Grow(r.c.b.Cols)
	}
	sums := r.w.openSums.P
	for _, j := range mask {
		*call.Element[T](sums, int(j)) = 0
	}
	return sums
}

// searches reports whether it costs less to look for each column of a mask in each row of b, of
// so many products in all.
func (r *worker[T]) searches(mask, columns []int32, flops int64) bool {
	rows := int64(len(columns))
	return !r.c.how.Unsorted && rows*int64(len(mask)*searchCost*bits.Len64(uint64(flops/rows))) < flops
}
