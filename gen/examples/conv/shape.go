package conv

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
)

// A Shape is that of a convolution, which is the same for all images:
//
//	out[n, y, x, k] = sum over r, s, c of in[n, y*Stride[0] + r*Dilation[0] - Pad[0], x*Stride[1] + s*Dilation[1] - Pad[1], c] * w[r, s, c, k]
//
// where in is 0 outside of an image. Images are N x H x W x C with channels last, weights are R x S x C x K and the result is
// N x OutH x OutW x K. Each is dense in this order. Pairs are of rows, then columns.
type Shape struct {
	N, H, W, C int // images, rows and columns of pixels, channels
	K          int // channels of the result
	R, S       int // rows and columns of the filter

	Stride   [2]int // pixels from one place of the filter to the next; at least 1
	Dilation [2]int // pixels from one tap of the filter to the next; at least 1
	Pad      [2]int // zeros on either side of an image

	// Depthwise has a filter for each channel. K is C, weights are R x S x C, and channel c of the result comes
	// from channel c alone.
	Depthwise bool
}

// Square is the shape of a convolution with a filter of r x r neighbouring taps. If r is odd, it has as much
// padding as keeps the size of images with a stride of 1.
func Square(n, size, c, k, r, stride int) Shape {
	return Shape{N: n, H: size, W: size, C: c, K: k, R: r, S: r, Stride: [2]int{stride, stride}, Dilation: [2]int{1, 1}, Pad: [2]int{r / 2, r / 2}}
}

// OutH and OutW are rows and columns of the result.
func (s Shape) OutH() int { return places(s.H, s.R, s.Stride[0], s.Dilation[0], s.Pad[0]) }

// OutW is how many columns the result has.
func (s Shape) OutW() int { return places(s.W, s.S, s.Stride[1], s.Dilation[1], s.Pad[1]) }

// places is how often a filter fits into a padded line; less than 1 if it is longer.
func places(size, taps, stride, dilation, pad int) int {
	return (size+2*pad-(taps-1)*dilation-1)/stride + 1
}

// In, Out and Weights are how many elements the operands have.
func (s Shape) In() int { return s.N * s.H * s.W * s.C }

// Out is how many elements the result has.
func (s Shape) Out() int { return s.N * s.OutH() * s.OutW() * s.K }

// Weights is how many weights there are.
func (s Shape) Weights() int {
	if s.Depthwise {
		return s.R * s.S * s.C
	}
	return s.R * s.S * s.C * s.K
}

// MACs is how many multiply-adds a convolution is, those with padding among them.
func (s Shape) MACs() float64 {
	macs := float64(s.N) * float64(s.OutH()) * float64(s.OutW()) * float64(s.R) * float64(s.S) * float64(s.C)
	if !s.Depthwise {
		macs *= float64(s.K)
	}
	return macs
}

func (s Shape) String() string {
	text := fmt.Sprintf("%d x %dx%dx%d, %dx%d to %d", s.N, s.H, s.W, s.C, s.R, s.S, s.K)
	for _, x := range []struct {
		name string
		of   [2]int
		not  int
	}{{"stride", s.Stride, 1}, {"dilation", s.Dilation, 1}, {"padding", s.Pad, 0}} {
		switch {
		case x.of[0] != x.of[1]:
			text += fmt.Sprintf(", %s %d and %d", x.name, x.of[0], x.of[1])
		case x.of[0] != x.not:
			text += fmt.Sprintf(", %s %d", x.name, x.of[0])
		}
	}
	if s.Depthwise {
		text += ", depthwise"
	}
	return text
}

// mostElements is what an operand may have: then no sum of offsets overflows, and bytes are counted by an int.
const mostElements = math.MaxInt / 64

// Check returns a [layout.ShapeError] that says which size is wrong and what would be right, or nil.
func (s Shape) Check() error {
	fail := func(format string, args ...any) error {
		return layout.ShapeError{What: "conv.Shape", Why: fmt.Sprintf(format, args...)}
	}
	for _, x := range []struct {
		name        string
		have, least int
	}{{"N", s.N, 1}, {"H", s.H, 1}, {"W", s.W, 1}, {"C", s.C, 1}, {"K", s.K, 1}, {"R", s.R, 1}, {"S", s.S, 1}, {"Stride[0]", s.Stride[0], 1}, {"Stride[1]", s.Stride[1], 1},
		{"Dilation[0]", s.Dilation[0], 1}, {"Dilation[1]", s.Dilation[1], 1}, {"Pad[0]", s.Pad[0], 0}, {"Pad[1]", s.Pad[1], 0}} {
		if x.have < x.least || x.have > math.MaxInt32/4 {
			return fail("%s is %d; want %d to %d", x.name, x.have, x.least, math.MaxInt32/4)
		}
	}
	if s.Depthwise && s.K != s.C {
		return fail("K is %d and C %d; want as many, since each channel has a filter of its own", s.K, s.C)
	}
	for i, x := range [2]struct {
		name             string
		size, taps, span int
	}{{"rows", s.H, s.R, s.Dilation[0]}, {"columns", s.W, s.S, s.Dilation[1]}} {
		reach, room := (int64(x.taps)-1)*int64(x.span)+1, int64(x.size)+2*int64(s.Pad[i])
		if reach > room {
			return fail("the filter spans %d %s, and a padded image has %d; want a padding of at least %d", reach, x.name, room, (reach-int64(x.size)+1)/2)
		}
	}
	for _, x := range []struct {
		name  string
		sizes []int
	}{{"in", []int{s.N, s.H + 2*s.Pad[0], s.W + 2*s.Pad[1], s.C}}, {"out", []int{s.N, s.OutH(), s.OutW(), s.K}}, {"w", []int{s.R, s.S, s.C, s.K}}} {
		elements := 1
		for _, n := range x.sizes {
			if n > mostElements/elements {
				return fail("%s has %v elements; want at most %d", x.name, x.sizes, mostElements)
			}
			elements *= n
		}
	}
	return nil
}
