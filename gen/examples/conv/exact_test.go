package conv

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/check"
)

// exact compares all directions of a convolution of small integers with plain loops. Results must be equal, and the memory around operands
// unchanged. The error names the first difference.
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
	rng := rand.New(level.PCG(uint64(s.In()), uint64(s.Weights())))
	h, w := countPlaces(s.H, s.R, s.Stride[0], s.Dilation[0], s.Pad[0]), countPlaces(s.W, s.S, s.Stride[1], s.Dilation[1], s.Pad[1])
	if h != s.OutH() || w != s.OutW() {
		return fmt.Errorf("%+v has results of %d x %d pixels, want %d x %d", s, s.OutH(), s.OutW(), h, w)
	}
	outs := s.N * h * w * s.K
	in, weights, dout := integers[T](rng, s.N*s.H*s.W*s.C), integers[T](rng, s.Weights()), integers[T](rng, outs)
	bias := integers[S](rng, s.K)
	out, layer, din, dw := newGuarded[T](outs), newGuarded[T](outs), newGuarded[T](s.N*s.H*s.W*s.C), newGuarded[S](s.Weights())
	c.Forward(opt, out.x, in.x, c.Pack(weights.x))
	c.ForwardBiasReLU(opt, layer.x, in.x, c.Pack(weights.x), bias.x)
	c.BackwardData(opt, din.x, dout.x, c.PackBackward(weights.x))
	c.BackwardWeights(opt, dw.x, in.x, dout.x)

	each(s, func(i, j, o int) {
		out.want[o] += in.want[i] * weights.want[j]
		din.want[i] += dout.want[o] * weights.want[j]
		dw.want[j] += dout.want[o] * in.want[i]
	})
	for i, v := range out.want {
		layer.want[i] = max(v+bias.want[i%s.K], 0)
	}
	for _, differs := range []string{out.differs("Forward"), layer.differs("ForwardBiasReLU"), din.differs("BackwardData"), dw.differs("BackwardWeights"),
		in.differs("in"), weights.differs("weights"), dout.differs("dout")} {
		if differs != "" {
			return fmt.Errorf("%+v, %T, %+v: %s", s, *new(T), opt, differs)
		}
	}
	return nil
}

// countPlaces counts how often a filter fits into a padded line.
func countPlaces(size, taps, stride, dilation, pad int) (n int) {
	for at := -pad; at+(taps-1)*dilation < size+pad; at += stride {
		n++
	}
	return n
}

// margin is how many NaN lie on either side of an operand: more than a vector has.
const margin = 40

// guarded is an operand with margins, and the values it should have.
type guarded[T Elem] struct {
	all, x []T
	want   []float64
}

// newGuarded returns n elements, all NaN.
func newGuarded[T Elem](n int) guarded[T] {
	all := make([]T, n+2*margin)
	for i := range all {
		all[i] = as[T](math.NaN())
	}
	return guarded[T]{all, all[margin : margin+n], make([]float64, n)}
}

// integers returns n random integers of -2 to 2.
func integers[T Elem](rng *rand.Rand, n int) guarded[T] {
	f := newGuarded[T](n)
	for i := range n {
		f.want[i] = float64(rng.IntN(5) - 2)
		f.x[i] = as[T](f.want[i])
	}
	return f
}

// differs names the first element that is not the wanted value, rounded once, or the first of a margin that was written; "" if there is none.
func (f guarded[T]) differs(what string) string {
	for i, v := range f.all {
		v := check.Float64(v)
		if i < margin || i >= margin+len(f.x) {
			if v == v {
				return fmt.Sprintf("%s: element %d, in the margin, is %v", what, i-margin, v)
			}
		} else if want := check.Float64(as[T](f.want[i-margin])); v != want {
			return fmt.Sprintf("%s: element %d is %v, want %v", what, i-margin, v, want)
		}
	}
	return ""
}
