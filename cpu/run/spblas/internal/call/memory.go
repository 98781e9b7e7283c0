package call

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// DotRows returns the product of two rows of n elements. It has four sums that take
// turns and are joined at the end, so that additions need not wait for each other.
func DotRows[T dtype.Float](x []T, xs int, y []T, ys, n int) T {
	var s0, s1, s2, s3 T
	f := 0
	if xs == 1 && ys == 1 {
		x, y := x[:n], y[:n]
		for ; f+4 <= n; f += 4 {
			s0 += T(x[f] * y[f])
			s1 += T(x[f+1] * y[f+1])
			s2 += T(x[f+2] * y[f+2])
			s3 += T(x[f+3] * y[f+3])
		}
	} else {
		for ; f+4 <= n; f += 4 {
			s0 += T(x[f*xs] * y[f*ys])
			s1 += T(x[(f+1)*xs] * y[(f+1)*ys])
			s2 += T(x[(f+2)*xs] * y[(f+2)*ys])
			s3 += T(x[(f+3)*xs] * y[(f+3)*ys])
		}
	}
	for ; f < n; f++ {
		s0 += T(x[f*xs] * y[f*ys])
	}
	return (s0 + s2) + (s1 + s3)
}

// RowPointers returns the row pointers of a matrix.
func RowPointers(r sparse.Raw) []int32 { return unsafe.Slice((*int32)(r.Pointers), r.Rows+1) }

// SizeOf is the bytes of a value.
func SizeOf[T dtype.Value]() int { return int(unsafe.Sizeof(*new(T))) }

// SliceOf returns the n elements from p on.
func SliceOf[T any](p *T, n int) []T { return unsafe.Slice(p, n) }

// Element returns the address of element i of an array of T at p.
func Element[T any](p unsafe.Pointer, i int) *T {
	var z T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(z))))
}

// SetOnes makes all elements 1.
func SetOnes[T dtype.Value](x []T) {
	for k := range x {
		x[k] = 1
	}
}

// ExpRow sets dst to powers of e by the elements of src, of which there are some, less the
// greatest of them. It returns that, and the sum of the powers.
func ExpRow[T dtype.Float](dst, src []T) (top, sum T) {
	top = slices.Max(src) // NaN if one is
	for i, x := range src {
		dst[i] = T(math.Exp(float64(x - top)))
		sum += dst[i]
	}
	return top, sum
}
