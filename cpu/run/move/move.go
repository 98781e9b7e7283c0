// Package move moves elements of matrices without changing them: it gathers, scatters, pads,
// transposes and interleaves. Tensor processing primitives call these gather, scatter, pad,
// transform and VNNI.
//
// Start with [Gather], [Transpose] or [Interleave]. The calling goroutine does all the work, since
// memory is what it waits for.
package move

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Gather sets row i of out to row rows[i] of x. out is len(rows) x n and x is m x n, each with
// any strides.
//
// It panics with a [layout.ShapeError], before an element is read, in these cases: shapes do
// not agree, x has no row of a number, two elements of out share a place, or out shares
// memory with x.
func Gather[T dtype.Any](out, x layout.Matrix[T], rows []int32) {
	checkNumbers("move.Gather", &out, &x, byRow, len(rows), out.Rows, "out")
	byRow.inside("move.Gather", rows, x.Rows, "x")
	for i, r := range rows {
		copyRow(out, i, x, int(r))
	}
}

// Scatter sets row rows[i] of out to row i of x and leaves other rows alone; of equal numbers
// the last counts. out is m x n and x is len(rows) x n. It panics as [Gather] does.
func Scatter[T dtype.Any](out, x layout.Matrix[T], rows []int32) {
	checkNumbers("move.Scatter", &out, &x, byRow, len(rows), x.Rows, "x")
	byRow.inside("move.Scatter", rows, out.Rows, "out")
	for i, r := range rows {
		copyRow(out, int(r), x, i)
	}
}

// Pad copies x to the upper left of out and sets the rest of out to fill. It panics with a
// [layout.ShapeError], before an element is read, in these cases: x is larger than out,
// two elements of out share a place, or out shares memory with x.
func Pad[T dtype.Any](out, x layout.Matrix[T], fill T) {
	const name = "move.Pad"
	checked(name, &out, &x)
	if x.Rows > out.Rows || x.Cols > out.Cols {
		check.Call(name).Refuse("x is %d x %d and out %d x %d; want an out that is no smaller", x.Rows, x.Cols, out.Rows, out.Cols)
	}
	if out.Cols == 0 { // of which there may be any number of rows
		return
	}
	for i := range out.Rows {
		from := 0
		if i < x.Rows {
			copyRow(out, i, x, i)
			from = x.Cols
		}
		row := out.Data[i*out.RowStride:]
		for j := from; j < out.Cols; j++ {
			row[j*out.ColStride] = fill
		}
	}
}

// side is what numbers count, in messages: rows or columns.
type side struct{ list, one, other string }

var byRow, byColumn = side{"rows", "rows", "columns"}, side{"cols", "columns", "rows"}

// checkNumbers refuses matrices that do not fit so many numbers. The one called what has
// counted the numbers.
func checkNumbers[T dtype.Any](name string, out, x *layout.Matrix[T], s side, numbers, counted int, what string) {
	checked(name, out, x)
	have, want := out.Cols, x.Cols
	if s == byColumn {
		have, want = out.Rows, x.Rows
	}
	switch {
	case have != want:
		check.Call(name).Refuse("out has %d %s, x has %d; want as many", have, s.other, want)
	case numbers != counted:
		check.Call(name).Refuse("there are %d numbers of %s, and %s has %d %[2]s; want as many", numbers, s.one, what, counted)
	}
}

// checked refuses matrices that are none, or not apart.
func checked[T dtype.Any](name string, out, x *layout.Matrix[T]) {
	c := check.Call(name)
	check.Read(c, "x", x)
	check.Written(c, "out", out)
	if check.Meet(out, x) {
		c.Refuse("out shares memory with x; copy x first")
	}
}

// inside refuses numbers that no row or column has.
func (s side) inside(name string, numbers []int32, n int, of string) {
	for i, r := range numbers {
		if r < 0 || int(r) >= n {
			check.Call(name).Refuse("%s[%d] is %d, and %s has %s 0 to %d", s.list, i, r, of, s.one, n-1)
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
