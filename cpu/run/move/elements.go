package move

import (
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// GatherElements sets element (i, j) of out to element number at(i, j) of x. Element (r, c) has
// number r*x.Cols + c, whatever x's strides are. out and at have one shape; each of the three has any strides.
//
// It panics with a [layout.ShapeError], before it writes an element of out, in these cases: shapes do not
// agree, x has no element of a number, two elements of out share a place, or out shares memory with x or
// at.
func GatherElements[T dtype.Any, I int32 | int64](out, x layout.Matrix[T], at layout.Matrix[I]) {
	const name = "move.GatherElements"
	checkElements(name, &out, &x, &at, &out, "out", &x, "x")
	for i := range out.Rows {
		if out.Cols == 0 {
			return
		}
		to, numbers := out.Data[i*out.RowStride:], at.Data[i*at.RowStride:]
		if numbered(x) {
			for j := range out.Cols {
				to[j*out.ColStride] = x.Data[numbers[j*at.ColStride]]
			}
			continue
		}
		for j := range out.Cols {
			to[j*out.ColStride] = x.Data[place(x, int64(numbers[j*at.ColStride]))]
		}
	}
}

// ScatterElements sets element number at(i, j) of out, as [GatherElements] counts them, to element
// (i, j) of x and leaves others alone. Among equal numbers the last by rows counts. x and at have one shape.
// It panics as GatherElements does.
func ScatterElements[T dtype.Any, I int32 | int64](out, x layout.Matrix[T], at layout.Matrix[I]) {
	const name = "move.ScatterElements"
	checkElements(name, &out, &x, &at, &x, "x", &out, "out")
	for i := range x.Rows {
		if x.Cols == 0 {
			return
		}
		from, numbers := x.Data[i*x.RowStride:], at.Data[i*at.RowStride:]
		if numbered(out) {
			for j := range x.Cols {
				out.Data[numbers[j*at.ColStride]] = from[j*x.ColStride]
			}
			continue
		}
		for j := range x.Cols {
			out.Data[place(out, int64(numbers[j*at.ColStride]))] = from[j*x.ColStride]
		}
	}
}

// numbered is whether number k of a matrix is element k of its data.
func numbered[T dtype.Any](x layout.Matrix[T]) bool { return x.ColStride == 1 && x.RowStride == x.Cols }

// place is where element number k of a matrix is in its data.
func place[T dtype.Any](x layout.Matrix[T], k int64) int {
	n := int64(x.Cols)
	return int(k/n)*x.RowStride + int(k%n)*x.ColStride
}

// checkElements refuses matrices of which shaped has not the shape of the numbers, or of has no such elements.
func checkElements[T dtype.Any, I int32 | int64](name string, out, x *layout.Matrix[T], at *layout.Matrix[I], shaped *layout.Matrix[T], what string, of *layout.Matrix[T], whose string) {
	checked(name, out, x)
	check.Read(check.Call(name), "at", at)
	switch {
	case at.Rows != shaped.Rows || at.Cols != shaped.Cols:
		check.Call(name).Refuse("at is %d x %d and %s %d x %d; want one shape", at.Rows, at.Cols, what, shaped.Rows, shaped.Cols)
	case mem.Overlaps(*out, *at):
		check.Call(name).Refuse("out shares memory with at; copy at first")
	}
	limit := count(of.Rows, of.Cols)
	for i := range at.Rows {
		if at.Cols == 0 {
			return
		}
		numbers := at.Data[i*at.RowStride:]
		for j := range at.Cols {
			if k := numbers[j*at.ColStride]; k < 0 || uint64(k) >= limit {
				check.Call(name).Refuse("at(%d, %d) is %d, and %s has %d x %d elements", i, j, k, whose, of.Rows, of.Cols)
			}
		}
	}
}

// count is m times n, or more than any number if rows that repeat are so many.
func count(m, n int) uint64 {
	hi, lo := bits.Mul64(uint64(m), uint64(n))
	if hi > 0 {
		return math.MaxUint64
	}
	return lo
}
