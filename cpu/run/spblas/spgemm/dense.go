package spgemm

import (
	"math/bits"
	"sort"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
)

// room makes room for a sum and a bit for each column.
func (r *worker[T]) room() {
	if r.sums != nil {
		return
	}
	cols := r.c.b.Cols
	r.w.sums.Grow(cols * int(unsafe.Sizeof(r.op.Zero)))
	r.sums = r.w.sums.P
	r.op.Fill(r.sums, cols)
	r.roomForBits()
}

func (r *worker[T]) roomForBits() {
	if r.bitmap == nil {
		words := mem.Ceil(r.c.b.Cols, 64)
		r.w.bitmap.Grow(8 * words)
		r.bitmap = call.SliceOf((*uint64)(r.w.bitmap.P), words)
	}
}

// countDense counts the columns of a row by a bitmap of words lo to hi.
func (r *worker[T]) countDense(i int, columns []int32, lo, hi int) (n int) {
	r.roomForBits()
	r.mark(columns)
	if r.c.except {
		for _, j := range r.excepted(i, lo, hi) {
			r.bitmap[j>>6] &^= 1 << (j & 63)
		}
	}
	part := r.bitmap[lo : hi+1]
	for i, w := range part {
		n += bits.OnesCount64(w)
		part[i] = 0
	}
	return n
}

// excepted returns the columns of words lo to hi that the mask of row i excepts. A search that has seen
// most nodes so does not go through all of them again.
func (r *worker[T]) excepted(i, lo, hi int) []int32 {
	mask := r.c.mask.Columns(i)
	from := sort.Search(len(mask), func(k int) bool { return int(mask[k])>>6 >= lo })
	return mask[from : from+sort.Search(len(mask)-from, func(k int) bool { return int(mask[from+k])>>6 > hi })]
}

// mark sets the bits of all columns of a row.
func (r *worker[T]) mark(columns []int32) {
	bitmap := unsafe.Pointer(unsafe.SliceData(r.bitmap))
	if l := &r.c.words; l.pointers != nil {
		for _, k := range columns {
			from, to := l.pointers[k], l.pointers[k+1]
			words := l.bits[from:to]
			for t, at := range l.at[from:to] {
				*call.Element[uint64](bitmap, int(at)) |= words[t]
			}
		}
		return
	}
	for _, k := range columns {
		for _, j := range r.c.b.Columns(int(k)) {
			*call.Element[uint64](bitmap, int(uint32(j)>>6)) |= 1 << (j & 63)
		}
	}
}

// dense computes a row by a sum for each column.
func (r *worker[T]) dense(i int, columns []int32, factors []T, lo, hi, at int) int {
	r.room()
	if r.c.words.pointers == nil && r.op.Plus == nil && r.c.b.Each != 0 {
		r.markAndScatter(columns, factors)
	} else {
		r.mark(columns)
		r.scatter(r.sums, columns, factors)
	}
	if r.c.except {
		for _, j := range r.excepted(i, lo, hi) {
			r.bitmap[j>>6] &^= 1 << (j & 63)
			*call.Element[T](r.sums, int(j)) = r.op.Zero
		}
	}
	return r.drain(lo, hi, at)
}

// scatter adds all products of a row to the sums of their columns.
func (r *worker[T]) scatter(sums unsafe.Pointer, columns []int32, factors []T) {
	b := &r.c.b
	if r.op.Plus != nil || b.Each == 0 {
		for e, k := range columns {
			slots, values := b.Row(int(k))
			r.op.Add(sums, slots, values, factors[e])
		}
		return
	}
	indices, values := unsafe.Pointer(unsafe.SliceData(b.Indices)), unsafe.Pointer(unsafe.SliceData(b.Values))
	factors = factors[:len(columns)]
	for e, k := range columns {
		x := factors[e]
		from, to := int(b.Pointers[k]), int(b.Pointers[k+1])
		if to-from >= 8 {
			call.AddScaled(sums, b.Indices[from:to], b.Values[from:to], x)
			continue
		}
		for ; from < to; from++ { // a call is as much as such a row
			*call.Element[T](sums, int(*call.Element[int32](indices, from))) += T(x * *call.Element[T](values, from))
		}
	}
}

// markAndScatter is mark and scatter of ordinary sums, reading the columns once.
func (r *worker[T]) markAndScatter(columns []int32, factors []T) {
	b := &r.c.b
	bitmap, sums := unsafe.Pointer(unsafe.SliceData(r.bitmap)), r.sums
	indices, values := unsafe.Pointer(unsafe.SliceData(b.Indices)), unsafe.Pointer(unsafe.SliceData(b.Values))
	factors = factors[:len(columns)]
	for e, k := range columns {
		x := factors[e]
		for t, to := int(b.Pointers[k]), int(b.Pointers[k+1]); t < to; t++ {
			j := *call.Element[int32](indices, t)
			*call.Element[T](sums, int(j)) += T(x * *call.Element[T](values, t))
			*call.Element[uint64](bitmap, int(uint32(j)>>6)) |= 1 << (j & 63)
		}
	}
}

// drain stores the sums that words lo to hi of the bitmap name, in order. It leaves sums
// and bitmap as they were before the row.
func (r *worker[T]) drain(lo, hi, at int) int {
	n, zero := at, r.op.Zero
	indices, values := unsafe.Pointer(unsafe.SliceData(r.c.indices)), unsafe.Pointer(unsafe.SliceData(r.c.values))
	for first := lo; first <= hi; first += 64 {
		part := r.bitmap[first:min(first+64, hi+1)]
		for some := nonzero(part); some != 0; some &= some - 1 {
			i := bits.TrailingZeros64(some)
			w := part[i]
			part[i] = 0
			for from := (first + i) << 6; w != 0; w &= w - 1 {
				j := from + bits.TrailingZeros64(w)
				sum := call.Element[T](r.sums, j)
				*call.Element[int32](indices, n), *call.Element[T](values, n) = int32(j), *sum
				*sum = zero
				n++
			}
		}
	}
	return n - at
}

// nonzero returns which of 64 words, or fewer, are not 0. It has no branch on them, which
// would be guessed wrong most of the times that one is not.
func nonzero(words []uint64) (some uint64) {
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		some = some<<1 | (w|-w)>>63
	}
	return some
}

// gather stores the sums of the n columns that are stored from at on.
func (r *worker[T]) gather(at, n int) {
	values, zero := r.c.values[at:at+n], r.op.Zero
	for t, j := range r.c.indices[at : at+n] {
		sum := call.Element[T](r.sums, int(j))
		values[t], *sum = *sum, zero
	}
}
