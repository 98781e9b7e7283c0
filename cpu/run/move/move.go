// Package move copies rows of matrices by their numbers, and into larger matrices: what tensor
// processing primitives call gather, scatter and pad. Rows that are contiguous are copied
// whole.
package move

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Gather sets row i of out to row rows[i] of x. out is len(rows) x n and x is m x n, each with
// any strides.
//
// It panics with a [layout.ShapeError], before an element is read, if shapes do not agree, a
// number is no row of x, two elements of out share a place, or out shares memory with x.
func Gather[T dtype.Any](out, x layout.Matrix[T], rows []int32) {
	check("move.Gather", &out, &x, len(rows), out.Rows, "out")
	inside("move.Gather", rows, x.Rows, "x")
	for i, r := range rows {
		copyRow(out, i, x, int(r))
	}
}

// Scatter sets row rows[i] of out to row i of x and leaves other rows alone; of equal numbers
// the last counts. out is m x n and x is len(rows) x n. It panics as [Gather] does.
func Scatter[T dtype.Any](out, x layout.Matrix[T], rows []int32) {
	check("move.Scatter", &out, &x, len(rows), x.Rows, "x")
	inside("move.Scatter", rows, out.Rows, "out")
	for i, r := range rows {
		copyRow(out, int(r), x, i)
	}
}

// Pad copies x to the upper left of out and sets the rest of out to fill. It panics with a
// [layout.ShapeError], before an element is read, if x is larger than out, two elements of
// out share a place, or out shares memory with x.
func Pad[T dtype.Any](out, x layout.Matrix[T], fill T) {
	const name = "move.Pad"
	checked(name, &out, &x)
	if x.Rows > out.Rows || x.Cols > out.Cols {
		refuse(name, fmt.Sprintf("x is %d x %d and out %d x %d; want an out that is no smaller", x.Rows, x.Cols, out.Rows, out.Cols))
	}
	for i := range out.Rows {
		from := 0
		if i < x.Rows {
			copyRow(out, i, x, i)
			from = x.Cols
		}
		row := out.Data[min(i*out.RowStride, len(out.Data)):]
		for j := from; j < out.Cols; j++ {
			row[j*out.ColStride] = fill
		}
	}
}

func refuse(name, why string) { panic(layout.ShapeError{What: name, Why: why}) }

// check refuses matrices that do not fit so many numbers of rows, of which the one called what
// has as many rows.
func check[T dtype.Any](name string, out, x *layout.Matrix[T], numbers, rows int, what string) {
	checked(name, out, x)
	switch {
	case out.Cols != x.Cols:
		refuse(name, fmt.Sprintf("out has %d columns, x has %d; want as many", out.Cols, x.Cols))
	case numbers != rows:
		refuse(name, fmt.Sprintf("there are %d numbers of rows, and %s has %d rows; want as many", numbers, what, rows))
	}
}

// checked refuses matrices that are none, or not apart.
func checked[T dtype.Any](name string, out, x *layout.Matrix[T]) {
	err := x.Check("x")
	if err == nil {
		err = out.CheckOut("out")
	}
	switch {
	case err != nil:
		refuse(name, err.Error())
	case mem.Overlaps(*out, *x):
		refuse(name, "out shares memory with x; copy x first")
	}
}

// inside refuses numbers that are no rows.
func inside(name string, rows []int32, n int, of string) {
	for i, r := range rows {
		if r < 0 || int(r) >= n {
			refuse(name, fmt.Sprintf("rows[%d] is %d, and %s has rows 0 to %d", i, r, of, n-1))
		}
	}
}

// copyRow copies row i of x, which has no more columns than out, to row o.
func copyRow[T dtype.Any](out layout.Matrix[T], o int, x layout.Matrix[T], i int) {
	if x.Cols == 0 {
		return
	}
	to, from := out.Data[o*out.RowStride:], x.Data[i*x.RowStride:]
	if out.ColStride == 1 && x.ColStride == 1 {
		copy(to[:x.Cols], from[:x.Cols])
		return
	}
	for j := range x.Cols {
		to[j*out.ColStride] = from[j*x.ColStride]
	}
}
