package conv

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// A Conv is a convolution of one shape, with images and weights of type T and sums of type S. T and S are
// float32 and float32, float64 and float64, or dtype.BF16 and float32. It is planned once and used any number
// of times, by any number of goroutines at once. Results have the same bits whatever the number of threads
// is.
type Conv[T Elem, S Sum] struct {
	Shape
	kernels           *kernels[T, S]
	forward, backward *window
	inPlace           bool      // one tap, rows and images merge: BackwardWeights is one product that reads images where they lie
	buffers           sync.Pool // of *buffer[T]
}

// New plans a convolution. The error is a [layout.ShapeError] that says which size is wrong, or a [run.TypeError] if there are no such sums.
func New[T Elem, S Sum](s Shape) (*Conv[T, S], error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	k, ok := kernelsOf[T, S]()
	if !ok {
		return nil, fmt.Errorf("conv.New: no sums of %v for elements of %v; there are f32, f64, and bf16 with sums of f32", dtype.Of[S](), dtype.Of[T]())
	}
	c := &Conv[T, S]{Shape: s, kernels: k, forward: forward(s), backward: backward(s)}
	rows, images := c.forward.mergeable() // before the plan merges them
	c.inPlace = rows && images && s.R*s.S == 1
	most := tiling.FixedWork / 16 / k.width // of columns; see blocks.Sum
	most -= most % max(k.tile, 1)
	if s.Depthwise {
		l := limits{size: dtype.Of[T]().Size(), most: mostElements, pairs: 1, tile: 1, width: s.C, rows: 1}
		c.forward.plan(l)
		c.backward.plan(l)
		c.forward.rows, c.backward.rows = 1, 1
		return c, nil
	}
	l := limits{size: dtype.Of[T]().Size(), most: most, pairs: k.pairs, tile: k.tile, width: k.width, rows: k.rows}
	c.forward.plan(l)
	c.backward.plan(l)
	return c, nil
}

// Pack returns R x S x C x K weights in the order of Forward's kernels. It panics with a [layout.ShapeError] if they are not
// as many as c.Weights() says.
func (c *Conv[T, S]) Pack(w []T) *Weights[T] {
	c.length("Pack", "w", len(w), c.Weights())
	if c.Depthwise {
		return &Weights[T]{of: c.forward, data: slices.Clone(w)}
	}
	return pack(c.forward, c.kernels.width, c.kernels.pairs, w, func(t tap, src, dst int) int { return ((t.r*c.S+t.s)*c.C+src)*c.K + dst })
}

// PackBackward returns the same weights in the order of BackwardData's kernels, and panics likewise.
func (c *Conv[T, S]) PackBackward(w []T) *Weights[T] {
	c.length("PackBackward", "w", len(w), c.Weights())
	if c.Depthwise {
		return &Weights[T]{of: c.backward, data: slices.Clone(w)}
	}
	return pack(c.backward, c.kernels.width, c.kernels.pairs, w, func(t tap, src, dst int) int { return ((t.r*c.S+t.s)*c.C+dst)*c.K + src })
}

// Forward sets out, c.Out() elements, to the convolution of in, c.In() elements, with weights of Pack.
//
// It panics, before an element is read, with a [layout.ShapeError] if lengths are wrong, w is not of c's
// Pack, or out shares memory with in. It panics with a [run.OptionError] if an option is set other than
// Threads and ISA, and with a [run.ISAError] if there is no such variant.
func (c *Conv[T, S]) Forward(opt run.Options, out, in []T, w *Weights[T]) {
	c.walk("Forward", opt, c.forward, "out", out, c.Out(), "in", in, c.In(), w, nil)
}

// ForwardBiasReLU is Forward with a bias for each of the K channels and a rectifier, max(sum+bias, 0). Sums
// go through both before they are rounded to T. It panics as Forward does, and if bias has another length.
func (c *Conv[T, S]) ForwardBiasReLU(opt run.Options, out, in []T, w *Weights[T], bias []S) {
	c.length("ForwardBiasReLU", "bias", len(bias), c.K)
	c.walk("ForwardBiasReLU", opt, c.forward, "out", out, c.Out(), "in", in, c.In(), w, bias)
}

// BackwardData sets din, c.In() elements, to the derivatives of a loss by in, given dout, those by out, with weights of PackBackward.
// It panics as Forward does.
func (c *Conv[T, S]) BackwardData(opt run.Options, din, dout []T, w *Weights[T]) {
	c.walk("BackwardData", opt, c.backward, "din", din, c.In(), "dout", dout, c.Out(), w, nil)
}

func (c *Conv[T, S]) length(method, what string, have, want int) {
	if have != want {
		refuse(method, fmt.Sprintf("%s has %d elements; want %d, for %v", what, have, want, c.Shape))
	}
}

func refuse(method, why string) { panic(layout.ShapeError{What: "conv." + method, Why: why}) }
