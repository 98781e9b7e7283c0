package nn

import (
	"sync"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An Activation is a function of one number. Grad is its derivative at x times dy, as [gen.Derivative] writes it. The
// zero Function leaves numbers as they are.
//
// [gen.Derivative]: https://pkg.go.dev/github.com/tilesmith/tilesmith/gen#Derivative
type Activation[T dtype.Float] struct {
	F    func(x T) T
	Grad func(x, dy T) T
}

// ReLU returns the function [act.ReLU].
func ReLU[T dtype.Float]() Activation[T] { return Activation[T]{F: act.ReLU[T], Grad: ReLUGrad[T]} }

// ELU returns the function [act.ELU] with alpha 1.
func ELU[T dtype.Float]() Activation[T] {
	return Activation[T]{F: func(x T) T { return act.ELU(x, 1) }, Grad: func(x, dy T) T { return ELUGrad(x, 1, dy) }}
}

// BiasActivation adds a row to each row of x and applies a function to the sums. On the way back it computes
// the sums again instead of keeping them.
type BiasActivation[T dtype.Float] struct {
	Row *Param[T]
	Activation[T]

	x, out, dx layout.Matrix[T]
}

// NewBiasActivation returns the layer for rows of a width.
func NewBiasActivation[T dtype.Float](name string, width int, f Activation[T]) *BiasActivation[T] {
	return &BiasActivation[T]{Row: NewParam[T](name, 1, width, 0, 0), Activation: f}
}

// NewBias returns the layer that only adds.
func NewBias[T dtype.Float](name string, width int) *BiasActivation[T] {
	return NewBiasActivation(name, width, Activation[T]{})
}

// Forward implements [Layer].
func (a *BiasActivation[T]) Forward(_ *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	a.x = x
	out, row := sized(&a.out, x.Rows, x.Cols), a.Row.Value.Data
	shares(x.Rows, x.Cols, func(from, to int) {
		for i := from * x.Cols; i < to*x.Cols; i += x.Cols {
			x, out := x.Data[i:][:len(row)], out.Data[i:][:len(row)]
			if a.F == nil {
				for j, v := range row {
					out[j] = x[j] + v
				}
				continue
			}
			for j, v := range row {
				out[j] = a.F(x[j] + v)
			}
		}
	})
	return out
}

// Backward implements [Layer].
func (a *BiasActivation[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	dx, row, sums := dout, a.Row.Value.Data, a.Row.Grad.Data
	if a.F != nil {
		dx = sized(&a.dx, dout.Rows, dout.Cols)
		shares(dx.Rows, dx.Cols, func(from, to int) {
			for i := from * dx.Cols; i < to*dx.Cols; i += dx.Cols {
				x, dout, dx := a.x.Data[i:][:len(row)], dout.Data[i:][:len(row)], dx.Data[i:][:len(row)]
				for j, v := range row {
					dx[j] = a.Grad(x[j]+v, dout[j])
				}
			}
		})
	}
	clear(sums)
	for i := 0; i < len(dx.Data); i += len(sums) {
		for j, d := range dx.Data[i:][:len(sums)] {
			sums[j] += d
		}
	}
	return dx
}

// Params implements [Layer].
func (a *BiasActivation[T]) Params() []*Param[T] { return []*Param[T]{a.Row} }

// shared is how many numbers pay for a goroutine.
const shared = 1 << 13

// shares calls do for parts of some rows, by all threads. The result of a row must not depend on other
// rows.
func shares(rows, cols int, do func(from, to int)) {
	threads := max(1, min(run.Threads(), rows*cols/shared))
	part := max(1, (rows+threads-1)/threads)
	var others sync.WaitGroup
	for from := part; from < rows; from += part {
		others.Go(func() { do(from, min(from+part, rows)) })
	}
	do(0, min(part, rows))
	others.Wait()
}
