package nn

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Dropout drops numbers with probability P in training and scales up what is left, as [cpu.Dropout] says. On
// the way back it draws the same mask again.
type Dropout[T dtype.Float] struct {
	noParams[T]
	P float64

	mask    rand.Stream
	out, dx layout.Matrix[T]
	dropped bool
}

// Forward implements [Layer].
func (d *Dropout[T]) Forward(p *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	if d.dropped = p.Train && d.P > 0; !d.dropped {
		return x
	}
	d.mask = p.stream()
	out := sized(&d.out, x.Rows, x.Cols)
	cpu.Dropout(cpu.Options{}, out.Data, x.Data, d.mask, d.P)
	return out
}

// Backward implements [Layer].
func (d *Dropout[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	if !d.dropped {
		return dout
	}
	dx := sized(&d.dx, dout.Rows, dout.Cols)
	d.back(dx, dout)
	return dx
}

// back is Backward into dx, which may be dout.
func (d *Dropout[T]) back(dx, dout layout.Matrix[T]) {
	if d.dropped {
		cpu.Dropout(cpu.Options{}, dx.Data, dout.Data, d.mask, d.P)
	}
}
