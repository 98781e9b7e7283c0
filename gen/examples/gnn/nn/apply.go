package nn

import (
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Bias adds a row to each row of x.
type Bias[T dtype.Float] struct {
	Row *Param[T]

	out layout.Matrix[T]
}

// NewBias returns the layer for rows of a width.
func NewBias[T dtype.Float](name string, width int) *Bias[T] {
	return &Bias[T]{Row: NewParam[T](name, 1, width, 0, 0)}
}

// Forward implements [Layer].
func (b *Bias[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	out, row := sized(&b.out, x.Rows, x.Cols), b.Row.Value.Data
	for i := 0; i < len(out.Data); i += len(row) {
		for j, v := range row {
			out.Data[i+j] = x.Data[i+j] + v
		}
	}
	return out
}

// Backward implements [Layer].
func (b *Bias[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	sums := b.Row.Grad.Data
	clear(sums)
	for i := 0; i < len(dout.Data); i += len(sums) {
		for j := range sums {
			sums[j] += dout.Data[i+j]
		}
	}
	return dout
}

// Params implements [Layer].
func (b *Bias[T]) Params() []*Param[T] { return []*Param[T]{b.Row} }

// Activation is F of each number. Grad is the derivative of F at x times dy, as [gen.Derivative] writes it.
//
// [gen.Derivative]: https://pkg.go.dev/github.com/tilesmith/tilesmith/gen#Derivative
type Activation[T dtype.Float] struct {
	bare[T]
	F    func(x T) T
	Grad func(x, dy T) T

	x, out, dx layout.Matrix[T]
}

// ReLU returns the activation [act.ReLU].
func ReLU[T dtype.Float]() *Activation[T] {
	return &Activation[T]{F: act.ReLU[T], Grad: ReLUGrad[T]}
}

// ELU returns the activation [act.ELU] with alpha 1.
func ELU[T dtype.Float]() *Activation[T] {
	return &Activation[T]{F: func(x T) T { return act.ELU(x, 1) }, Grad: func(x, dy T) T { return ELUGrad(x, 1, dy) }}
}

// Forward implements [Layer].
func (a *Activation[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	a.x = x
	out := sized(&a.out, x.Rows, x.Cols)
	for k, v := range x.Data {
		out.Data[k] = a.F(v)
	}
	return out
}

// Backward implements [Layer].
func (a *Activation[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	dx := sized(&a.dx, dout.Rows, dout.Cols)
	for k, d := range dout.Data {
		dx.Data[k] = a.Grad(a.x.Data[k], d)
	}
	return dx
}

// Dropout drops numbers with probability P in training, and scales up what is left, as rand.Dropout says.
type Dropout[T dtype.Float] struct {
	bare[T]
	P float64

	mask, out, dx layout.Matrix[T]
	dropped       bool
}

// Forward implements [Layer].
func (d *Dropout[T]) Forward(p *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	if d.dropped = p.Train && d.P > 0; !d.dropped {
		return x
	}
	out, kept := sized(&d.out, x.Rows, x.Cols), sized(&d.mask, x.Rows, x.Cols)
	mask(p.stream(), kept.Data, d.P)
	times(out.Data, x.Data, kept.Data)
	return out
}

// Backward implements [Layer].
func (d *Dropout[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	if !d.dropped {
		return dout
	}
	dx := sized(&d.dx, dout.Rows, dout.Cols)
	times(dx.Data, dout.Data, d.mask.Data)
	return dx
}

// times sets each out[k] to x[k]*y[k].
func times[T dtype.Float](out, x, y []T) {
	for k, v := range x {
		out[k] = v * y[k]
	}
}
