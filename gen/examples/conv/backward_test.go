package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// depthwise are shapes of those.
func depthwiseShapes() []Shape {
	list := []Shape{Square(2, 9, 20, 20, 3, 1), Square(1, 8, 33, 33, 3, 2), Square(1, 7, 5, 5, 5, 1), Square(1, 6, 16, 16, 1, 1)}
	list[2].Dilation = [2]int{2, 1}
	list[2].Pad = [2]int{4, 2}
	for i := range list {
		list[i].Depthwise = true
	}
	return list
}

func TestDepthwise(t *testing.T) {
	for _, s := range depthwiseShapes() {
		t.Run(s.String(), func(t *testing.T) {
			forwardOf[float32, float32](t, s, 1e-6)
			forwardOf[float64, float64](t, s, 1e-15)
			forwardOf[dtype.BF16, float32](t, s, 1e-6)
		})
	}
}

func TestBackward(t *testing.T) {
	for _, s := range append(shapes(), depthwiseShapes()...) {
		t.Run(s.String(), func(t *testing.T) {
			backwardOf[float32, float32](t, s, 1e-5)
			backwardOf[float64, float64](t, s, 1e-14)
			backwardOf[dtype.BF16, float32](t, s, 1e-5)
		})
	}
}

// backwardOf compares both derivatives with plain loops in float64. Those of bf16 are off by one rounding of the result where that is bf16.
func backwardOf[T Elem, S Sum](t *testing.T, s Shape, eps float64) {
	c, err := New[T, S](s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(level.PCG(uint64(s.Out()), uint64(s.Weights())))
	in, w, dout := fill[T](rng, s.In(), false), fill[T](rng, s.Weights(), false), fill[T](rng, s.Out(), false)
	din, dw := newSums(s.In()), newSums(s.Weights())
	each(s, func(i, j, o int) {
		g := check.Float64(dout[o])
		din.add(i, g*check.Float64(w[j]))
		dw.add(j, g*check.Float64(in[i]))
	})
	packed := c.PackBackward(w)
	for _, isa := range isas() {
		var firstIn []T
		var firstW []S
		for _, threads := range []int{1, 3} {
			what := fmt.Sprintf("%v on %s with %d threads", dtype.Of[T](), isa, threads)
			opt := run.Options{ISA: isa, Threads: threads}
			haveIn, haveW := fill[T](rng, s.In(), false), make([]S, s.Weights())
			c.BackwardData(opt, haveIn, dout, packed)
			compare(t, what+", by images", haveIn, din, eps)
			c.BackwardWeights(opt, haveW, in, dout)
			compare(t, what+", by weights", haveW, dw, eps)
			if threads == 1 {
				firstIn, firstW = haveIn, haveW
			} else if !slices.Equal(haveIn, firstIn) || !slices.Equal(haveW, firstW) {
				t.Errorf("%s: other bits than with one thread", what)
			}
		}
	}
}

// Derivatives in float64 lie within 1e-6 of central differences of a loss, the sum of the results times random numbers.
func TestGradient(t *testing.T) {
	for _, s := range append(shapes(), depthwiseShapes()...) {
		t.Run(s.String(), func(t *testing.T) {
			c, err := New[float64, float64](s)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(level.PCG(3, uint64(s.Weights())))
			in, w, g := fill[float64](rng, s.In(), false), fill[float64](rng, s.Weights(), false), fill[float64](rng, s.Out(), false)
			loss := func() (sum float64) {
				out := make([]float64, s.Out())
				c.Forward(run.Options{}, out, in, c.Pack(w))
				for i, v := range out {
					sum += v * g[i]
				}
				return sum
			}
			din, dw := make([]float64, s.In()), make([]float64, s.Weights())
			c.BackwardData(run.Options{}, din, g, c.PackBackward(w))
			c.BackwardWeights(run.Options{}, dw, in, g)
			const step = 1e-3 // the loss is linear in each number
			for _, x := range []struct {
				name string
				of   []float64
				have []float64
			}{{"in", in, din}, {"w", w, dw}} {
				for range 12 {
					i := rng.IntN(len(x.of))
					old := x.of[i]
					x.of[i] = old + step
					above := loss()
					x.of[i] = old - step
					want := (above - loss()) / (2 * step)
					x.of[i] = old
					if diff := math.Abs(x.have[i] - want); !(diff <= 1e-6*max(1, math.Abs(want))) {
						t.Errorf("derivative by %s[%d] is %v, and differences say %v", x.name, i, x.have[i], want)
					}
				}
			}
		})
	}
}
