package conv

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A depthwise convolution has no products of matrices. Each pixel of a row is multiplied by the weights of a
// tap, channel by channel, and added to the result. Kernels do three taps of a row at once; sums go back and
// forth between two rows, which stay in the first cache.

// taps are the kernels: of three taps and of one.
type taps[T Elem, S Sum] struct {
	three func(opt run.Options, out, sum layout.Matrix[S], x, y, z layout.Matrix[T], u, v, w []T)
	one   func(opt run.Options, out, sum layout.Matrix[S], x layout.Matrix[T], u []T)
}

func tapsOf[T Elem, S Sum]() *taps[T, S] {
	for _, x := range []any{&taps[float32, float32]{DepthwiseThreeTapsF32Opt, DepthwiseOneTapF32Opt}, &taps[float64, float64]{DepthwiseThreeTapsF64Opt, DepthwiseOneTapF64Opt}, &taps[dtype.BF16, float32]{DepthwiseThreeTapsBF16Opt, DepthwiseOneTapBF16Opt}} {
		if k, ok := x.(*taps[T, S]); ok {
			return k
		}
	}
	return nil
}

// depth does rows of a depthwise convolution, or of its derivative by images, one after another. Rows are shared by threads.
func (c *Conv[T, S]) depth(opt run.Options, w *window, dst, src, weights []T, bias []S) {
	k := tapsOf[T, S]()
	x := &walk[T, S]{window: w, from: src}
	rows := w.most()
	var next atomic.Int64
	threads := opt.Threads
	if threads == 0 {
		threads = run.Threads()
	}
	c.share(min(threads, w.images*rows), func(b *buffer[T]) {
		sums := make([]S, 2*w.dst[1]*c.C)
		for t := next.Add(1) - 1; t < int64(w.images*rows); t = next.Add(1) - 1 {
			image, row := int(t)/rows, int(t)%rows
			size := w.src[0] * w.src[1] * w.src[2]
			seen := x.seen(b, src[image*size:][:size], row, 1)
			to := dst[image*w.dst[0]*w.dst[1]*w.dst[2]:]
			for i := range w.passes {
				if p := &w.passes[i]; row < p.count[0] {
					sum := c.depthRow(run.Options{ISA: opt.ISA, Threads: 1}, k, w, p, row, seen, weights, sums)
					first := (p.first[0]+row*p.every[0])*w.dst[1] + p.first[1]
					for j := range p.count[1] {
						settle(to[(first+j*p.every[1])*c.C:][:c.C], sum[j*c.C:][:c.C], bias)
					}
				}
			}
		}
	})
}

// settle rounds sums to a pixel of the result, with a bias and a rectifier if there is one.
func settle[T Elem, S Sum](to []T, sum, bias []S) {
	for i, v := range sum {
		if bias != nil {
			v = max(v+bias[i], 0)
		}
		switch p := any(&to[i]).(type) {
		case *float32:
			*p = float32(v)
		case *float64:
			*p = float64(v)
		case *dtype.BF16:
			*p = dtype.ToBF16(float32(v))
		}
	}
}

// depthRow returns the sums of a row of a pass, in one half of room.
func (c *Conv[T, S]) depthRow(opt run.Options, k *taps[T, S], w *window, p *pass, row int, seen, weights []T, room []S) []S {
	n := p.count[1] * c.C
	_, right := w.steps()
	rowOf := func(i int) layout.Matrix[S] { return layout.RowMajor(room[i*len(room)/2:][:n], p.count[1], c.C) }
	now, then := rowOf(0), rowOf(1)
	clear(now.Data)
	from, to := w.inside(p, row)
	for t := from; t < to; {
		at := func(i int) (layout.Matrix[T], []T) {
			tap := p.taps[t+i]
			return layout.Matrix[T]{Data: seen[w.offset(tap):], Rows: p.count[1], Cols: c.C, RowStride: right * c.C, ColStride: 1}, weights[(tap.r*c.S+tap.s)*c.C:][:c.C]
		}
		x, u := at(0)
		if t+3 <= to {
			y, v := at(1)
			z, q := at(2)
			k.three(opt, then, now, x, y, z, u, v, q)
			t += 3
		} else {
			k.one(opt, then, now, x, u)
			t++
		}
		now, then = then, now
	}
	return now.Data
}

// depthWeights is BackwardWeights of a depthwise convolution, in plain loops.
func (c *Conv[T, S]) depthWeights(dw []S, in, dout []T) {
	clear(dw)
	h, w := c.OutH(), c.OutW()
	for n := range c.N {
		for y := range h {
			for x := range w {
				g := dout[((n*h+y)*w+x)*c.C:][:c.C]
				for r := range c.R {
					for s := range c.S {
						row, col := y*c.Stride[0]+r*c.Dilation[0]-c.Pad[0], x*c.Stride[1]+s*c.Dilation[1]-c.Pad[1]
						if row < 0 || row >= c.H || col < 0 || col >= c.W {
							continue
						}
						pixel, sum := in[((n*c.H+row)*c.W+col)*c.C:][:c.C], dw[(r*c.S+s)*c.C:][:c.C]
						for i := range sum {
							sum[i] += wide[T, S](pixel[i]) * wide[T, S](g[i])
						}
					}
				}
			}
		}
	}
}

// wide is an element as sums have it.
func wide[T Elem, S Sum](x T) S {
	switch v := any(x).(type) {
	case float32:
		return S(v)
	case float64:
		return S(v)
	case dtype.BF16:
		return S(v.Float32())
	}
	return 0
}
