package spgemm

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
)

// masked computes the elements of row i that the mask has. Each has a sum, and places says
// which one a column has:
//
//	mask row   2  5  9
//	places     0 0 1 0 0 2 0 0 0 3     1 more than the sum; 0: none
//
// A row of b is first reduced to what the mask has, without a branch on it. If the mask
// has few columns, they are looked up instead.
func (r *worker[T]) masked(i, at int) int {
	c := r.c
	columns, factors := c.a.Row(i)
	mask := c.mask.Columns(i)
	if len(mask) == 0 || len(columns) == 0 {
		return 0
	}
	if c.open {
		switch flops := c.rowFlops(i); {
		case flops == 0:
			return 0
		case !r.searches(mask, columns, flops):
			return r.open(mask, columns, factors, at)
		}
	}
	sums := r.maskedSums(mask, columns, factors)
	n := at
	for p, hit := range call.SliceOf((*uint8)(r.w.used.P), len(mask)) {
		if hit != 0 { // and not written for every p: behind a row is that of another goroutine, or nothing
			c.indices[n], c.values[n] = mask[p], sums[p]
			n++
		}
	}
	r.leave(mask)
	return n - at
}

// maskedSums returns the sum of each column of a mask, and leaves in r.w.used a 1 for each
// that has a product. The mask is in places until leave.
func (r *worker[T]) maskedSums(mask, columns []int32, factors []T) []T {
	r.roomForPlaces(len(mask))
	sums, hits := r.w.tableSums.P, call.SliceOf((*uint8)(r.w.used.P), len(mask))
	clear(hits)
	all := call.SliceOf((*T)(sums), len(mask))
	for p, j := range mask {
		r.places[j], all[p] = int32(p)+1, r.op.Zero
	}
	for e, k := range columns {
		row, values := r.c.b.Row(int(k))
		if !r.c.how.Unsorted && len(mask)*searchCost*bits.Len(uint(len(row))) < len(row) {
			slots, picked := r.search(mask, row, values)
			r.hit(sums, hits, slots, picked, factors[e])
			continue
		}
		for len(row) > 0 {
			n := min(len(row), slotsAtOnce)
			slots, picked := r.filter(row[:n], values[:n])
			r.hit(sums, hits, slots, picked, factors[e])
			row, values = row[n:], values[n:]
		}
	}
	return all
}

// leave takes a mask out of places.
func (r *worker[T]) leave(mask []int32) {
	for _, j := range mask {
		r.places[j] = 0
	}
}

// searchCost is how many entries are filtered in the time of one step of a search, which
// the processor guesses wrong every other time.
const searchCost = 4

func (r *worker[T]) roomForPlaces(mask int) {
	if r.places == nil {
		r.w.places.Grow(4 * r.c.b.Cols)
		r.places = call.SliceOf((*int32)(r.w.places.P), r.c.b.Cols)
	}
	most, size := max(mask, slotsAtOnce), int(unsafe.Sizeof(r.op.Zero))
	r.w.slots.Grow(4 * most)
	r.w.values.Grow(size * most)
	r.w.used.Grow(mask)
	r.w.tableSums.Grow(size * mask)
}

// hit adds x times values to the sums in slots, and notes that they were.
func (r *worker[T]) hit(sums unsafe.Pointer, hits []uint8, slots []int32, values []T, x T) {
	for _, p := range slots {
		hits[p] = 1
	}
	r.op.Add(sums, slots, values, x)
}

// filter returns the slots and values of those of a few columns that have a place.
func (r *worker[T]) filter(columns []int32, values []T) (slots []int32, picked []T) {
	n, places := 0, unsafe.Pointer(unsafe.SliceData(r.places))
	slots, picked = call.SliceOf((*int32)(r.w.slots.P), slotsAtOnce), call.SliceOf((*T)(r.w.values.P), slotsAtOnce)
	values = values[:len(columns)]
	for t, j := range columns {
		place := *call.Element[int32](places, int(j))
		slots[n], picked[n] = place-1, values[t]
		n += int(uint32(-place) >> 31) // 1 if there is a place
	}
	return slots[:n], picked[:n]
}

// search is filter of a long row by the columns of a mask.
func (r *worker[T]) search(mask, columns []int32, values []T) (slots []int32, picked []T) {
	n := 0
	slots, picked = call.SliceOf((*int32)(r.w.slots.P), len(mask)), call.SliceOf((*T)(r.w.values.P), len(mask))
	for p, j := range mask {
		at, ok := slices.BinarySearch(columns, j)
		if columns, values = columns[at:], values[at:]; ok {
			slots[n], picked[n] = int32(p), values[0]
			n++
		}
	}
	return slots[:n], picked[:n]
}
