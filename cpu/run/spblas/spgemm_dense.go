package spblas

import (
	"math/bits"
	"sort"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// room makes room for a sum and a bit for each column.
func (r *spgemmRow[T]) room() {
	if r.sums != nil {
		return
	}
	cols := r.c.b.cols
	r.w.sums.Grow(cols * int(unsafe.Sizeof(r.op.zero)))
	r.sums = r.w.sums.P
	r.op.fill(r.sums, cols)
	r.roomForBits()
}

func (r *spgemmRow[T]) roomForBits() {
	if r.bitmap == nil {
		words := mem.Ceil(r.c.b.cols, 64)
		r.w.bitmap.Grow(8 * words)
		r.bitmap = sliceOf((*uint64)(r.w.bitmap.P), words)
	}
}

// countDense counts the columns of a row by a bitmap of words lo to hi.
func (r *spgemmRow[T]) countDense(i int, columns []int32, lo, hi int) (n int) {
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
func (r *spgemmRow[T]) excepted(i, lo, hi int) []int32 {
	mask := r.c.mask.columns(i)
	from := sort.Search(len(mask), func(k int) bool { return int(mask[k])>>6 >= lo })
	return mask[from : from+sort.Search(len(mask)-from, func(k int) bool { return int(mask[from+k])>>6 > hi })]
}

// mark sets the bits of all columns of a row.
func (r *spgemmRow[T]) mark(columns []int32) {
	bitmap := unsafe.Pointer(unsafe.SliceData(r.bitmap))
	if l := &r.c.words; l.pointers != nil {
		for _, k := range columns {
			from, to := l.pointers[k], l.pointers[k+1]
			words := l.bits[from:to]
			for t, at := range l.at[from:to] {
				*element[uint64](bitmap, int(at)) |= words[t]
			}
		}
		return
	}
	for _, k := range columns {
		for _, j := range r.c.b.columns(int(k)) {
			*element[uint64](bitmap, int(uint32(j)>>6)) |= 1 << (j & 63)
		}
	}
}

// dense computes a row by a sum for each column.
func (r *spgemmRow[T]) dense(i int, columns []int32, factors []T, lo, hi, at int) int {
	r.room()
	if r.c.words.pointers == nil && r.op.plus == nil && r.c.b.each != 0 {
		r.markAndScatter(columns, factors)
	} else {
		r.mark(columns)
		r.scatter(r.sums, columns, factors)
	}
	if r.c.except {
		for _, j := range r.excepted(i, lo, hi) {
			r.bitmap[j>>6] &^= 1 << (j & 63)
			*element[T](r.sums, int(j)) = r.op.zero
		}
	}
	return r.drain(lo, hi, at)
}

// scatter adds all products of a row to the sums of their columns.
func (r *spgemmRow[T]) scatter(sums unsafe.Pointer, columns []int32, factors []T) {
	b := &r.c.b
	if r.op.plus != nil || b.each == 0 {
		for e, k := range columns {
			slots, values := b.row(int(k))
			r.op.add(sums, slots, values, factors[e])
		}
		return
	}
	indices, values := unsafe.Pointer(unsafe.SliceData(b.indices)), unsafe.Pointer(unsafe.SliceData(b.values))
	factors = factors[:len(columns)]
	for e, k := range columns {
		x := factors[e]
		from, to := int(b.pointers[k]), int(b.pointers[k+1])
		if to-from >= 8 {
			addScaled(sums, b.indices[from:to], b.values[from:to], x)
			continue
		}
		for ; from < to; from++ { // a call is as much as such a row
			*element[T](sums, int(*element[int32](indices, from))) += T(x * *element[T](values, from))
		}
	}
}

// markAndScatter is mark and scatter of ordinary sums, reading the columns once.
func (r *spgemmRow[T]) markAndScatter(columns []int32, factors []T) {
	b := &r.c.b
	bitmap, sums := unsafe.Pointer(unsafe.SliceData(r.bitmap)), r.sums
	indices, values := unsafe.Pointer(unsafe.SliceData(b.indices)), unsafe.Pointer(unsafe.SliceData(b.values))
	factors = factors[:len(columns)]
	for e, k := range columns {
		x := factors[e]
		for t, to := int(b.pointers[k]), int(b.pointers[k+1]); t < to; t++ {
			j := *element[int32](indices, t)
			*element[T](sums, int(j)) += T(x * *element[T](values, t))
			*element[uint64](bitmap, int(uint32(j)>>6)) |= 1 << (j & 63)
		}
	}
}

// drain stores the sums that words lo to hi of the bitmap name, in order. It leaves sums
// and bitmap as they were before the row.
func (r *spgemmRow[T]) drain(lo, hi, at int) int {
	n, zero := at, r.op.zero
	indices, values := unsafe.Pointer(unsafe.SliceData(r.c.indices)), unsafe.Pointer(unsafe.SliceData(r.c.values))
	for first := lo; first <= hi; first += 64 {
		part := r.bitmap[first:min(first+64, hi+1)]
		for some := nonzero(part); some != 0; some &= some - 1 {
			i := bits.TrailingZeros64(some)
			w := part[i]
			part[i] = 0
			for from := (first + i) << 6; w != 0; w &= w - 1 {
				j := from + bits.TrailingZeros64(w)
				sum := element[T](r.sums, j)
				*element[int32](indices, n), *element[T](values, n) = int32(j), *sum
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
func (r *spgemmRow[T]) gather(at, n int) {
	values, zero := r.c.values[at:at+n], r.op.zero
	for t, j := range r.c.indices[at : at+n] {
		sum := element[T](r.sums, int(j))
		values[t], *sum = *sum, zero
	}
}
