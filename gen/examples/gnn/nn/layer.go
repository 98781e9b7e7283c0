package nn

import (
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Pass is one way through a network. The zero Pass is for answers.
type Pass struct {
	Train bool // drops what layers drop
	Seed  uint64
	Step  uint64 // of training: each has masks of its own

	masks uint64 // drawn so far
}

// stream returns the random numbers of the next mask. They depend on the seed, the step and the place
// among the masks of a pass only.
func (p *Pass) stream() rand.Stream {
	p.masks++
	return rand.Stream{Seed: p.Seed, Number: p.Step<<8 | p.masks}
}

// A Param is what a layer learns.
type Param[T dtype.Float] struct {
	Name        string
	Value, Grad layout.Matrix[T] // of the same shape, contiguous
	In, Out     int              // numbers that it maps between, for [Glorot]; 0: it begins at zero
	Decay       float64          // times half the sum of squares is a part of the loss
}

// NewParam returns a parameter that is zero, for a map between rows of so many numbers.
func NewParam[T dtype.Float](name string, rows, cols, in, out int) *Param[T] {
	return &Param[T]{Name: name, Value: layout.New[T](rows, cols), Grad: layout.New[T](rows, cols), In: in, Out: out}
}

// A Layer is a step of a network on all nodes at once: matrices have a row for each node and are contiguous.
type Layer[T dtype.Float] interface {
	// Forward returns the layer's result for x, which belongs to the layer and stands until its next
	// Forward. x must not change until Backward is done.
	Forward(p *Pass, x layout.Matrix[T]) layout.Matrix[T]
	// Backward takes the gradient of what the last Forward returned, sets that of each parameter and
	// returns that of x, which stands as results do. dout is not changed.
	Backward(dout layout.Matrix[T]) layout.Matrix[T]
	// Params returns what the layer learns, always the same pointers in the same order.
	Params() []*Param[T]
}

// A Sequential is layers of which each takes what the one before it returns.
type Sequential[T dtype.Float] []Layer[T]

// Forward implements [Layer].
func (c Sequential[T]) Forward(p *Pass, x layout.Matrix[T]) layout.Matrix[T] {
	for _, l := range c {
		x = l.Forward(p, x)
	}
	return x
}

// Backward implements [Layer].
func (c Sequential[T]) Backward(dout layout.Matrix[T]) layout.Matrix[T] {
	for i := len(c) - 1; i >= 0; i-- {
		dout = c[i].Backward(dout)
	}
	return dout
}

// Params implements [Layer].
func (c Sequential[T]) Params() (all []*Param[T]) {
	for _, l := range c {
		all = append(all, l.Params()...)
	}
	return all
}

// noParams is for layers that learn nothing.
type noParams[T dtype.Float] struct{}

// Params implements [Layer].
func (noParams[T]) Params() []*Param[T] { return nil }

// sized makes m a matrix of a shape, with the memory that it has if that is enough. Its contents are
// whatever was there.
func sized[T dtype.Float](m *layout.Matrix[T], rows, cols int) layout.Matrix[T] {
	if cap(m.Data) < rows*cols {
		m.Data = make([]T, rows*cols)
	}
	*m = layout.RowMajor(m.Data[:rows*cols], rows, cols)
	return *m
}

// resize is sized for a slice.
func resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}
