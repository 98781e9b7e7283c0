package layout

import (
	"fmt"
	"math"
	"math/bits"
)

// View is how a matrix lies in Len elements, wherever those are: what [Matrix.Check] and
// the matrices of a GPU look at.
type View struct {
	Len                  int
	Rows, Cols           int
	RowStride, ColStride int
}

// Check is described at [Matrix.Check].
func (v View) Check(name string) error {
	switch {
	case v.Rows < 0 || v.Cols < 0:
		return ShapeError{name, fmt.Sprintf("size %d x %d is negative; want 0 or more", v.Rows, v.Cols)}
	case v.RowStride < 0 || v.ColStride < 0:
		return ShapeError{name, fmt.Sprintf("strides (%d, %d) must not be negative", v.RowStride, v.ColStride)}
	case v.Rows == 0 || v.Cols == 0 || v.holds():
		return nil
	}
	return ShapeError{name, fmt.Sprintf("%d elements do not hold %d x %d with strides (%d, %d); want %s",
		v.Len, v.Rows, v.Cols, v.RowStride, v.ColStride, least(v.Rows, v.Cols, v.RowStride, v.ColStride))}
}

// holds reports (rows-1)*rs + (cols-1)*cs < len by divisions, which cannot
// overflow as the products could.
func (v View) holds() bool {
	left := v.Len - 1
	if left < 0 {
		return false
	}
	if v.Rows > 1 && v.RowStride > 0 {
		if left/v.RowStride < v.Rows-1 {
			return false
		}
		left -= (v.Rows - 1) * v.RowStride
	}
	return v.Cols <= 1 || v.ColStride == 0 || left/v.ColStride >= v.Cols-1
}

// least says how many elements hold rows x cols with strides of rs and cs.
func least(rows, cols, rs, cs int) string {
	hi, down := bits.Mul(uint(rows-1), uint(rs))
	hj, right := bits.Mul(uint(cols-1), uint(cs))
	n, carry := bits.Add(down, right, 1)
	if hi|hj|carry != 0 || n > math.MaxInt {
		return "smaller sizes or strides"
	}
	return fmt.Sprintf("at least %d", n)
}

// CheckOut is described at [Matrix.CheckOut].
func (v View) CheckOut(name string) error {
	if err := v.Check(name); err != nil || v.Rows == 0 || v.Cols == 0 {
		return err
	}
	// Check has shown that the spans fit in an int.
	rowSpan, colSpan := (v.Rows-1)*v.RowStride, (v.Cols-1)*v.ColStride
	rowsApart := v.Rows == 1 || v.RowStride > colSpan
	colsApart := v.Cols == 1 || v.ColStride > rowSpan
	if rowsApart && (v.Cols == 1 || v.ColStride > 0) || colsApart && (v.Rows == 1 || v.RowStride > 0) {
		return nil
	}
	return ShapeError{name, fmt.Sprintf("strides (%d, %d) put several elements of %d x %d in one place; want one to step over all that the other spans",
		v.RowStride, v.ColStride, v.Rows, v.Cols)}
}
