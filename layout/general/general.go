package general

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// From64 returns a view of the elements of g, such as the RawMatrix of a mat.Dense. It
// panics with a [layout.ShapeError] if g is not a valid matrix: a size is negative,
// rows overlap or Data is too short.
func From64(g blas64.General) layout.Matrix[float64] {
	return from("general.From64", g.Data, g.Rows, g.Cols, g.Stride)
}

// From32 is [From64] for float32.
func From32(g blas32.General) layout.Matrix[float32] {
	return from("general.From32", g.Data, g.Rows, g.Cols, g.Stride)
}

// To64 returns a view of the elements of m. The error, a [layout.ShapeError], says what is
// wrong with m, or that a General cannot have its strides. Rows of a General are
// contiguous and do not overlap. A column-major matrix is handed over as m.T(), which a
// transpose flag turns back.
func To64(m layout.Matrix[float64]) (blas64.General, error) {
	stride, err := strideOf("general.To64", &m)
	if err != nil {
		return blas64.General{}, err
	}
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: stride, Data: m.Data}, nil
}

// To32 is [To64] for float32.
func To32(m layout.Matrix[float32]) (blas32.General, error) {
	stride, err := strideOf("general.To32", &m)
	if err != nil {
		return blas32.General{}, err
	}
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: stride, Data: m.Data}, nil
}

func from[T dtype.Float](what string, data []T, rows, cols, stride int) layout.Matrix[T] {
	if rows == 0 || cols == 0 { // gonum's empty matrix has the stride 0
		stride = max(stride, cols, 1)
	}
	m := layout.Matrix[T]{Data: data, Rows: rows, Cols: cols, RowStride: stride, ColStride: 1}
	if err, wrong := m.Check("g").(layout.ShapeError); wrong {
		panic(layout.ShapeError{What: what, Why: err.Why})
	}
	if stride < cols {
		panic(layout.ShapeError{What: what, Why: fmt.Sprintf("rows of %d elements begin %d apart; want a stride of at least %[1]d", cols, stride)})
	}
	return m
}

// strideOf returns the stride of m as a General has it.
func strideOf[T dtype.Float](what string, m *layout.Matrix[T]) (int, error) {
	fail := func(format string, args ...any) (int, error) {
		return 0, layout.ShapeError{What: what, Why: fmt.Sprintf(format, args...)}
	}
	if err, wrong := m.Check("m").(layout.ShapeError); wrong {
		return fail("%s", err.Why)
	}
	switch {
	case m.Rows == 0 || m.Cols == 0 || m.Rows == 1 && (m.Cols == 1 || m.ColStride == 1):
		return max(m.Cols, 1), nil // the stride is never taken
	case m.Cols > 1 && m.ColStride != 1 && (m.RowStride == 1 || m.Rows == 1) && m.ColStride >= m.Rows:
		return fail("m is %d x %d with strides (%d, %d), so that columns are contiguous and rows are not; hand over m.T() with a transpose flag, or copy m",
			m.Rows, m.Cols, m.RowStride, m.ColStride)
	case m.Cols > 1 && m.ColStride != 1:
		return fail("m is %d x %d with strides (%d, %d), so that rows are not contiguous; copy m", m.Rows, m.Cols, m.RowStride, m.ColStride)
	case m.RowStride < m.Cols:
		return fail("m is %d x %d with strides (%d, %d), so that rows overlap; copy m", m.Rows, m.Cols, m.RowStride, m.ColStride)
	}
	return m.RowStride, nil
}
