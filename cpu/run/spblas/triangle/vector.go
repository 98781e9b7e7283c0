package triangle

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
)

// longRow is from how many terms on a row has four sums. The end of each loop is hard to
// foresee, and a guess that was wrong costs more than a short row's one sum.
const longRow = 12

// solveVector is solveRows for one right side, in Go: the sum of a short row is over before
// a kernel has begun. The last term of a row is taken from it last, since it may be what
// the row waits for.
func (c *triangleCall[T]) solveVector(from, to int) {
	t := c.rows
	indices, values := unsafe.Pointer(unsafe.SliceData(t.indices)), unsafe.Pointer(unsafe.SliceData(t.values))
	x, b, stride := unsafe.Pointer(unsafe.SliceData(c.found)), unsafe.Pointer(unsafe.SliceData(c.b.Data)), c.b.RowStride
	pointers, scale, divisors, order := t.pointers[from:to+1], t.scale, t.divisors, t.order
	place, step, k := t.place(from), 1, int(pointers[0])
	if t.down {
		step = -1
	}
	for p, next := range pointers[1:] {
		row, end := place, int(next)
		if order != nil {
			row = int(order[from+p])
		}
		s := *call.Element[T](b, row*stride)
		if scale != nil {
			s *= scale[from+p]
		}
		if end-k >= longRow {
			var s1, s2, s3 T
			for ; end-k > 4; k += 4 {
				s -= T(*call.Element[T](values, k) * *call.Element[T](x, int(*call.Element[int32](indices, k))))
				s1 += T(*call.Element[T](values, k+1) * *call.Element[T](x, int(*call.Element[int32](indices, k+1))))
				s2 += T(*call.Element[T](values, k+2) * *call.Element[T](x, int(*call.Element[int32](indices, k+2))))
				s3 += T(*call.Element[T](values, k+3) * *call.Element[T](x, int(*call.Element[int32](indices, k+3))))
			}
			s -= s1 + (s2 + s3)
		}
		for ; k < end; k++ {
			s -= T(*call.Element[T](values, k) * *call.Element[T](x, int(*call.Element[int32](indices, k))))
		}
		if divisors != nil {
			s /= divisors[from+p]
		}
		*call.Element[T](x, place) = s
		if !c.inPlace {
			c.x.Data[row*c.x.RowStride] = s
		}
		place += step
	}
}
