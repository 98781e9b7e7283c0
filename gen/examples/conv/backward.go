package conv

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// BackwardWeights sets dw, c.Weights() elements of the type of sums, to the derivatives of a loss by the
// weights. It takes in and dout, the derivatives by the result, and sums over all images in their order. It
// panics with a [layout.ShapeError], before an element is read, if lengths are others, and with a
// [run.OptionError] or [run.ISAError] as Forward does.
//
// For each tap they are a product of the pixels that it meets, transposed, and dout. The sums of a large
// matrix product have the same order for any number of threads. For a depthwise convolution they are
// plain loops of one goroutine, whatever the options say.
func (c *Conv[T, S]) BackwardWeights(opt run.Options, dw []S, in, dout []T) {
	const method = "BackwardWeights"
	c.length(method, "dw", len(dw), c.Weights())
	c.length(method, "in", len(in), c.In())
	c.length(method, "dout", len(dout), c.Out())
	options(method, opt)
	if shares(dw, in) || shares(dw, dout) {
		refuse(method, "dw shares memory with in or dout")
	}
	if c.Depthwise {
		c.depthWeights(dw, in, dout)
		return
	}
	h, w := c.OutH(), c.OutW()
	images, pixels, apart := c.N, h*w, c.C
	if c.inPlace { // all images are one
		images, pixels, apart = 1, c.N*h*w, c.Stride[1]*c.C
	}
	b, _ := c.buffers.Get().(*buffer[T])
	if b == nil {
		b = &buffer[T]{}
	}
	defer c.buffers.Put(b)
	for n := range images {
		x := layout.Matrix[T]{Data: in, Rows: pixels, Cols: c.C, RowStride: apart, ColStride: 1}
		g := layout.Matrix[T]{Data: dout[n*pixels*c.K:][:pixels*c.K], Rows: pixels, Cols: c.K, RowStride: c.K, ColStride: 1}
		image := in[n*c.H*c.W*c.C:]
		by := cpu.Options{ISA: opt.ISA, Threads: opt.Threads, Caller: "conv." + method}
		if n > 0 {
			by.Scaling = run.Scale(1, 1)
		}
		if c.C < few && !c.inPlace && c.Dilation[1] == 1 {
			for r := range c.R { // all taps of a row at once
				x.Data, x.Cols, x.RowStride = c.windows(b, image, r), c.S*c.C, c.S*c.C
				cpu.MatMulOfOpt[S](by, layout.RowMajor(dw[r*c.S*c.C*c.K:][:c.S*c.C*c.K], c.S*c.C, c.K), x.T(), g)
			}
			continue
		}
		for s := range c.S {
			for r := range c.R {
				switch {
				case c.inPlace:
				case c.Stride[0] > 1 || r == 0: // else rows of another tap lie in the same copy
					rows := h
					if c.Stride[0] == 1 {
						rows = h + (c.R-1)*c.Dilation[0]
					}
					x.Data = c.plane(b, image, r*c.Dilation[0]-c.Pad[0], s*c.Dilation[1]-c.Pad[1], rows)
				default:
					x.Data = b.rows[r*c.Dilation[0]*w*c.C:]
				}
				out := layout.RowMajor(dw[(r*c.S+s)*c.C*c.K:][:c.C*c.K], c.C, c.K)
				cpu.MatMulOfOpt[S](by, out, x.T(), g)
			}
		}
	}
}

// few is less than the channels from which a product for each tap has rows enough.
const few = 32

// windows copies the pixels that a row of the filter meets: for each place of it, S*C elements side by side.
func (c *Conv[T, S]) windows(b *buffer[T], image []T, r int) []T {
	h, w, wide := c.OutH(), c.OutW(), c.S*c.C
	if len(b.rows) < h*w*wide {
		b.rows = make([]T, h*w*wide)
	}
	for y := range h {
		row := y*c.Stride[0] + r*c.Dilation[0] - c.Pad[0]
		to := b.rows[y*w*wide:][:w*wide]
		if row < 0 || row >= c.H {
			clear(to)
			continue
		}
		line := image[row*c.W*c.C:][:c.W*c.C]
		for x := range w {
			window, first := to[x*wide:][:wide], (x*c.Stride[1]-c.Pad[1])*c.C
			if first >= 0 && first+wide <= len(line) {
				copy(window, line[first:])
				continue
			}
			clear(window)
			if from := max(0, first); from < min(len(line), first+wide) {
				copy(window[from-first:], line[from:])
			}
		}
	}
	return b.rows[:h*w*wide]
}

// plane copies the pixels that a tap meets, of so many rows: those from row top and column left on, a stride apart.
func (c *Conv[T, S]) plane(b *buffer[T], image []T, top, left, rows int) []T {
	x := walk[T, S]{window: &window{src: [3]int{c.H, c.W, c.C}, channels: c.C}}
	wide := c.OutW() * c.C
	if len(b.rows) < rows*wide {
		b.rows = make([]T, rows*wide)
	}
	for i := range rows {
		x.copyRow(b.rows[i*wide:][:wide], image, top+i*c.Stride[0], -left, c.Stride[1])
	}
	return b.rows
}
