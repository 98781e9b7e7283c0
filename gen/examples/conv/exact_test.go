package conv

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/verify/check"
)

// exact compares all directions of a convolution of small integers with plain loops: equal numbers, in a slice with others on both
// sides, which stay as they are. An error says what differs first.
func exact[T Elem, S Sum](s Shape, opt run.Options) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%+v, %T, %+v: panic: %v", s, *new(T), opt, e)
		}
	}()
	c, err := New[T, S](s)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(s.In()), uint64(s.Weights())))
	h, w := fits(s.H, s.R, s.Stride[0], s.Dilation[0], s.Pad[0]), fits(s.W, s.S, s.Stride[1], s.Dilation[1], s.Pad[1])
	outs := s.N * h * w * s.K
	in, weights, dout := small[T](rng, s.N*s.H*s.W*s.C), small[T](rng, s.Weights()), small[T](rng, outs)
	bias := small[S](rng, s.K)
	out, layer, din, dw := blank[T](outs), blank[T](outs), blank[T](s.N*s.H*s.W*s.C), blank[S](s.Weights())
	c.Forward(opt, out.x, in.x, c.Pack(weights.x))
	c.Layer(opt, layer.x, in.x, c.Pack(weights.x), bias.x)
	c.BackwardData(opt, din.x, dout.x, c.PackBackward(weights.x))
	c.BackwardWeights(opt, dw.x, in.x, dout.x)

	defined(s, h, w, func(i, j, o int) {
		out.want[o] += in.want[i] * weights.want[j]
		din.want[i] += dout.want[o] * weights.want[j]
		dw.want[j] += dout.want[o] * in.want[i]
	})
	for i, v := range out.want {
		layer.want[i] = max(v+bias.want[i%s.K], 0)
	}
	for _, differs := range []string{out.differs("Forward"), layer.differs("Layer"), din.differs("BackwardData"), dw.differs("BackwardWeights"),
		in.differs("in"), weights.differs("weights"), dout.differs("dout")} {
		if differs != "" {
			return fmt.Errorf("%+v, %T, %+v: %s", s, *new(T), opt, differs)
		}
	}
	return nil
}

// fits is how often taps fit into a padded line, counted.
func fits(size, taps, stride, dilation, pad int) (n int) {
	for at := -pad; at+(taps-1)*dilation < size+pad; at += stride {
		n++
	}
	return n
}

// defined calls f for each product in the definition of a convolution with results of h x w pixels: elements of in, of weights and of out.
func defined(s Shape, h, w int, f func(in, weight, out int)) {
	for n := range s.N {
		for y := range h {
			for x := range w {
				for r := range s.R {
					for q := range s.S {
						row, col := y*s.Stride[0]+r*s.Dilation[0]-s.Pad[0], x*s.Stride[1]+q*s.Dilation[1]-s.Pad[1]
						if row < 0 || row >= s.H || col < 0 || col >= s.W {
							continue
						}
						pixel, tap, place := (n*s.H+row)*s.W+col, r*s.S+q, (n*h+y)*w+x
						for c := range s.C {
							if s.Depthwise {
								f(pixel*s.C+c, tap*s.C+c, place*s.C+c)
								continue
							}
							for k := range s.K {
								f(pixel*s.C+c, (tap*s.C+c)*s.K+k, place*s.K+k)
							}
						}
					}
				}
			}
		}
	}
}

// margin is how many elements lie on either side of an operand: more than a vector.
const margin = 40

// framed is an operand between NaN, and what it should be.
type framed[T Elem] struct {
	all, x []T
	want   []float64
}

// blank is n elements that are NaN, too.
func blank[T Elem](n int) framed[T] {
	all := make([]T, n+2*margin)
	for i := range all {
		all[i] = as[T](math.NaN())
	}
	return framed[T]{all, all[margin : margin+n], make([]float64, n)}
}

// small is n integers.
func small[T Elem](rng *rand.Rand, n int) framed[T] {
	f := blank[T](n)
	for i := range n {
		f.want[i] = float64(rng.IntN(5) - 2)
		f.x[i] = as[T](f.want[i])
	}
	return f
}

// differs says which element is another than it should be, rounded once, or which of those beside them was written; "" is none.
func (f framed[T]) differs(what string) string {
	for i, v := range f.all {
		v := check.Float64(v)
		if i < margin || i >= margin+len(f.x) {
			if v == v {
				return fmt.Sprintf("%s: element %d, which is none of its own, is %v", what, i-margin, v)
			}
		} else if want := check.Float64(as[T](f.want[i-margin])); v != want {
			return fmt.Sprintf("%s: element %d is %v, want %v", what, i-margin, v, want)
		}
	}
	return ""
}
