package plain

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MultiplyTo is Multiply for a result of any type: alpha*s + beta*c is computed as T and
// then rounded once.
func MultiplyTo[T dtype.AnySum](alpha T, a, b Operand[T], beta T, out Operand[T], buf *Buf[T]) {
	m, n, k := out.Rows, out.Cols, a.Cols
	switch {
	case !out.Narrow():
		Multiply(alpha, a, b, beta, out.Matrix(), buf)
		return
	case k == 0 || alpha == 0:
		if beta == 1 {
			return
		}
		alpha, a, b, k = 0, a.Slice(0, m, 0, 0), b.Slice(0, 0, 0, n), 0
	}
	for i := 0; i < m; i += MC {
		i1 := min(i+MC, m)
		for j := 0; j < n; j += NC {
			j1 := min(j+NC, n)
			sums := buf.Block(i1-i, j1-j)
			Multiply(1, a.Slice(i, i1, 0, k), b.Slice(0, k, j, j1), 0, sums, buf)
			part := out.Slice(i, i1, j, j1)
			part.Finish(alpha, sums, beta)
		}
	}
}

// Finish sets o to alpha*sums + beta*o, rounded.
func (o *Operand[T]) Finish(alpha T, sums layout.Matrix[T], beta T) {
	var old [NC]T
	stride := o.ColStride * o.t.Size()
	for i := range o.Rows {
		row, at := sums.Data[i*sums.RowStride:][:o.Cols], o.at(i, 0)
		if beta != 0 {
			widenRow(old[:len(row)], at, stride, o.t)
		}
		for j, s := range row {
			switch {
			case beta == 0:
				row[j] = alpha * s
			case alpha == 0: // the sign of a zero stays
				row[j] = beta * old[j]
			default:
				row[j] = T(alpha*s) + T(beta*old[j])
			}
		}
		narrowRow(at, stride, o.t, row)
	}
}

// narrowRow stores finished sums as elements of type t that lie stride bytes apart, each
// rounded once.
func narrowRow[T dtype.AnySum](dst unsafe.Pointer, stride int, t dtype.Type, src []T) {
	switch src := any(src).(type) { // sums that are rounded are of real numbers
	case []float32:
		narrowReals(dst, stride, t, src)
	case []float64:
		narrowReals(dst, stride, t, src)
	case []int32:
		narrowReals(dst, stride, t, src)
	}
}

func narrowReals[T dtype.Sum](dst unsafe.Pointer, stride int, t dtype.Type, src []T) {
	switch t {
	case dtype.F32:
		for i, x := range src {
			*(*float32)(unsafe.Add(dst, i*stride)) = float32(x)
		}
	case dtype.TypeBF16:
		for i, x := range src {
			*(*dtype.BF16)(unsafe.Add(dst, i*stride)) = dtype.ToBF16(float64(x))
		}
	case dtype.TypeF16:
		for i, x := range src {
			*(*dtype.F16)(unsafe.Add(dst, i*stride)) = dtype.ToF16(float64(x))
		}
	}
}
