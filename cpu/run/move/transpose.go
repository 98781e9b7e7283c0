package move

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Transpose sets element (j, i) of out to element (i, j) of x. out is n x m and x is m x n,
// each with any strides. It is fast where the rows of both, or the columns of both, are
// contiguous.
//
// It panics with a [layout.ShapeError], before an element is read, in these cases: shapes do
// not agree, two elements of out share a place, or out shares memory with x.
func Transpose[T dtype.Any](out, x layout.Matrix[T]) {
	const name = "move.Transpose"
	checked(name, &out, &x)
	if out.Rows != x.Cols || out.Cols != x.Rows {
		check.Call(name).Refuse("out is %d x %d and x %d x %d; want an out of %d x %d", out.Rows, out.Cols, x.Rows, x.Cols, x.Cols, x.Rows)
	}
	if out.RowStride == 1 && x.RowStride == 1 && out.ColStride != 1 && x.ColStride != 1 {
		out, x = out.T(), x.T() // columns are rows of the transposed
	}
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	if out.ColStride != 1 || x.ColStride != 1 {
		t := x.T()
		for i := range t.Rows {
			copyRow(out, i, t, i)
		}
		return
	}
	if size := sizeOf[T](); (block{addr(out), addr(x), out.RowStride * size, x.RowStride * size, x.Rows, x.Cols, size}).transpose() {
		return
	}
	m, n := x.Rows/goSide*goSide, x.Cols/goSide*goSide
	for j := 0; j < n; j += goSide {
		for i := 0; i < m; i += goSide {
			square(out.Data[j*out.RowStride+i:], out.RowStride, x.Data[i*x.RowStride+j:], x.RowStride)
		}
	}
	oneByOne(out, x, 0, x.Rows, n, x.Cols)
	oneByOne(out, x, m, x.Rows, 0, n)
}

// goSide is how many rows and columns are transposed at once in Go: of elements of 8 bytes whole lines.
const goSide = 8

// square transposes a square of which rows are so many elements apart. All of its rows are
// at hand at once, so each line of x and of out is in L1 as long as it is needed.
func square[T dtype.Any](out []T, to int, x []T, from int) {
	r0, r1, r2, r3 := (*[goSide]T)(x), (*[goSide]T)(x[from:]), (*[goSide]T)(x[2*from:]), (*[goSide]T)(x[3*from:])
	r4, r5, r6, r7 := (*[goSide]T)(x[4*from:]), (*[goSide]T)(x[5*from:]), (*[goSide]T)(x[6*from:]), (*[goSide]T)(x[7*from:])
	for j := range goSide {
		o := (*[goSide]T)(out[j*to:])
		o[0], o[1], o[2], o[3] = r0[j], r1[j], r2[j], r3[j]
		o[4], o[5], o[6], o[7] = r4[j], r5[j], r6[j], r7[j]
	}
}

// oneByOne transposes rows i0 to i1 and columns j0 to j1 of x, element by element.
func oneByOne[T dtype.Any](out, x layout.Matrix[T], i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		for j := j0; j < j1; j++ {
			out.Data[j*out.RowStride+i] = x.Data[i*x.RowStride+j]
		}
	}
}
