package nn

import (
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// L2Normalize divides each row by its length, or by 1e-6 if that is longer.
type L2Normalize[T dtype.Float] struct {
	noParams[T]

	lengths []T
	out, dx layout.Matrix[T]
}

// shortest is what a row's length is taken for at least.
const shortest = 1e-6

// Forward implements [Layer].
func (u *L2Normalize[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	out, lengths := sized(&u.out, x.Rows, x.Cols), resize(&u.lengths, x.Rows)
	for i := range x.Rows {
		row := x.Data[i*x.Cols:][:x.Cols]
		lengths[i] = max(T(math.Sqrt(float64(dot(row, row)))), shortest)
		for j, v := range row {
			out.Data[i*x.Cols+j] = v / lengths[i]
		}
	}
	return out
}

// Backward implements [Layer].
func (u *L2Normalize[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	dx := sized(&u.dx, dout.Rows, dout.Cols)
	for i, length := range u.lengths {
		at := i * dout.Cols
		y, d := u.out.Data[at:][:dout.Cols], dout.Data[at:][:dout.Cols]
		along := dot(y, d) // the part that would only change the length
		if length == shortest {
			along = 0
		}
		for j := range y {
			dx.Data[at+j] = (d[j] - along*y[j]) / length
		}
	}
	return dx
}

// dot returns the sum of products.
func dot[T dtype.Float](x, y []T) (sum T) {
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}
