package peer

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Convolution is one of N images of H x W pixels with C channels, with filters of R x S taps for K channels. Images are N x H x W x C,
// weights are R x S x C x K and the result is N x OutH x OutW x K, all dense. Pairs are of rows and columns; dilations begin at 1.
type Convolution struct {
	N, H, W, C, K, R, S   int
	Stride, Dilation, Pad [2]int
	Direction             Direction
}

// Direction is what of a convolution is computed.
type Direction int

// The result, and the derivatives by images and by weights.
const (
	Forward Direction = iota
	BackwardData
	BackwardWeights
)

// out is how many rows or columns the result has.
func (c Convolution) out(d int) int {
	size, taps := [2]int{c.H, c.W}[d], [2]int{c.R, c.S}[d]
	return (size+2*c.Pad[d]-(taps-1)*c.Dilation[d]-1)/c.Stride[d] + 1
}

// check refuses sizes that are none, or that a library would take for others.
func (c Convolution) check(in, weights, out int) error {
	for _, n := range []int{c.N, c.H, c.W, c.C, c.K, c.R, c.S, c.Stride[0], c.Stride[1], c.Dilation[0], c.Dilation[1], c.Pad[0] + 1, c.Pad[1] + 1} {
		if n < 1 || n > math.MaxInt16 {
			return fmt.Errorf("sizes of %+v; want 1 to %d", c, math.MaxInt16)
		}
	}
	oh, ow := c.out(0), c.out(1)
	if oh < 1 || ow < 1 {
		return fmt.Errorf("the filter of %+v is larger than its images", c)
	}
	for _, x := range []struct {
		name       string
		have, want int
	}{{"in", in, c.N * c.H * c.W * c.C}, {"w", weights, c.R * c.S * c.C * c.K}, {"out", out, c.N * oh * ow * c.K}} {
		if x.have != x.want {
			return fmt.Errorf("%s has %d elements; want %d", x.name, x.have, x.want)
		}
	}
	return nil
}

// A Convolver does one convolution over and over.
type Convolver struct {
	Kernel string // what the library calls the way that it goes

	run  func(times int64) error
	read func() error
	g    *Gemm
	pins []unsafe.Pointer
}

// Convolve makes g, which is oneDNN, do a convolution of elements of type T, or one of its derivatives.
// Derivatives by weights have type S; dw is nil in the other directions. Weights are in the order that the
// library likes best. So are images and results if blocked; otherwise they have channels last. Convolve makes
// its own copies at once. The error says that it has no such convolution.
func Convolve[T, S dtype.Elem](l *Loop, g *Gemm, p Convolution, blocked bool, in, w, out []T, dw []S) (*Convolver, error) {
	weights := len(w)
	if p.Direction == BackwardWeights {
		weights = len(dw)
	}
	if err := p.check(len(in), weights, len(out)); err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	if l == nil || g.convolve == nil {
		return nil, fmt.Errorf("peer: %s: convolutions are those of oneDNN, called from a loop in C", g.Name)
	}
	x := convolution{Convolution: p, loop: l, blocked: blocked, types: [3]dtype.Type{dtype.Of[T](), dtype.Of[T](), dtype.Of[T]()}}
	x.data = [3]unsafe.Pointer{unsafe.Pointer(&in[0]), nil, unsafe.Pointer(&out[0])}
	if p.Direction == BackwardWeights {
		x.types[1], x.data[1] = dtype.Of[S](), unsafe.Pointer(&dw[0])
	} else {
		x.data[1] = unsafe.Pointer(&w[0])
	}
	c := &Convolver{g: g, pins: x.data[:]}
	var err error
	g.onThread(func() { pinned(func() { err = g.convolve(x, c) }, c.pins...) })
	if err != nil {
		return nil, fmt.Errorf("peer: %s: %+v: %w", g.Name, p, err)
	}
	return c, nil
}

// convolution is one with where its operands are: images, weights and results.
type convolution struct {
	Convolution
	loop    *Loop
	blocked bool
	types   [3]dtype.Type
	data    [3]unsafe.Pointer
}

// Run does it so many times.
func (c *Convolver) Run(times int) { c.call(func() error { return c.run(int64(times)) }) }

// Read copies the result of the last time to where Convolve was told, which holds nothing before.
func (c *Convolver) Read() { c.call(c.read) }

func (c *Convolver) call(f func() error) {
	c.g.onThread(func() {
		pinned(func() {
			if err := f(); err != nil {
				panic(fmt.Sprintf("peer: %s: %v", c.g.Name, err))
			}
		}, c.pins...)
	})
}
