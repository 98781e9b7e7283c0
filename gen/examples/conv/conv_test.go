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

// fill returns n random elements, small integers if whole.
func fill[T Elem](rng *rand.Rand, n int, whole bool) []T {
	x := make([]T, n)
	for i := range x {
		v := rng.NormFloat64()
		if whole {
			v = float64(rng.IntN(7) - 3)
		}
		x[i] = as[T](v)
	}
	return x
}

// as rounds v to T.
func as[T Elem](v float64) (x T) {
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(v)
	case *float64:
		*p = v
	case *dtype.BF16:
		*p = dtype.ToBF16(float32(v))
	}
	return x
}

// each calls f for every product of the convolution: elements of in, of the weights and of out.
func each(s Shape, f func(in, w, out int)) {
	for n := range s.N {
		for y := range s.OutH() {
			for x := range s.OutW() {
				for r := range s.R {
					for q := range s.S {
						h, v := y*s.Stride[0]+r*s.Dilation[0]-s.Pad[0], x*s.Stride[1]+q*s.Dilation[1]-s.Pad[1]
						if h < 0 || h >= s.H || v < 0 || v >= s.W {
							continue
						}
						out, in, w := ((n*s.OutH()+y)*s.OutW()+x)*s.K, ((n*s.H+h)*s.W+v)*s.C, (r*s.S+q)*s.C
						for c := range s.C {
							if s.Depthwise {
								f(in+c, w+c, out+c)
								continue
							}
							for k := range s.K {
								f(in+c, (w+c)*s.K+k, out+k)
							}
						}
					}
				}
			}
		}
	}
}

// sums is a sum for each element, and that of what its terms are without their signs.
type sums struct{ sum, abs []float64 }

func newSums(n int) sums { return sums{make([]float64, n), make([]float64, n)} }

func (s sums) add(i int, x float64) {
	s.sum[i] += x
	s.abs[i] += math.Abs(x)
}

// compare reports the first element that lies further from the sum than eps times the size of its terms, plus one rounding of T.
func compare[T dtype.Elem](t *testing.T, what string, have []T, want sums, eps float64) {
	t.Helper()
	for i, x := range have {
		v := check.Float64(x)
		tolerance := eps * want.abs[i]
		if dtype.Of[T]() == dtype.TypeBF16 {
			tolerance += math.Abs(want.sum[i]) / 256
		}
		if !(math.Abs(v-want.sum[i]) <= tolerance) {
			t.Errorf("%s: element %d is %v, want %v +- %v", what, i, v, want.sum[i], tolerance)
			return
		}
	}
}

// shapes are small and odd: strides, dilations, padding, channels that fill no vector, more images than one.
func shapes() []Shape {
	one, two := [2]int{1, 1}, [2]int{2, 2}
	return []Shape{
		{N: 1, H: 1, W: 1, C: 1, K: 1, R: 1, S: 1, Stride: one, Dilation: one},
		{N: 2, H: 5, W: 6, C: 3, K: 4, R: 3, S: 3, Stride: one, Dilation: one, Pad: one},
		{N: 1, H: 7, W: 9, C: 33, K: 34, R: 3, S: 3, Stride: two, Dilation: one, Pad: one},
		{N: 2, H: 9, W: 17, C: 8, K: 32, R: 3, S: 3, Stride: one, Dilation: two, Pad: two},
		{N: 1, H: 11, W: 10, C: 5, K: 7, R: 2, S: 3, Stride: [2]int{3, 2}, Dilation: [2]int{2, 3}, Pad: [2]int{3, 1}},
		{N: 3, H: 4, W: 7, C: 40, K: 65, R: 1, S: 1, Stride: one, Dilation: one},
		{N: 1, H: 8, W: 31, C: 64, K: 32, R: 1, S: 1, Stride: two, Dilation: one},
		{N: 1, H: 20, W: 15, C: 3, K: 32, R: 7, S: 7, Stride: two, Dilation: one, Pad: [2]int{3, 3}},
		{N: 1, H: 5, W: 5, C: 2, K: 3, R: 3, S: 3, Stride: one, Dilation: one, Pad: [2]int{4, 0}},
		{N: 1, H: 3, W: 4, C: 2, K: 2, R: 1, S: 2, Stride: [2]int{5, 4}, Dilation: one},
		{N: 1, H: 6, W: 29, C: 96, K: 48, R: 5, S: 1, Stride: one, Dilation: one, Pad: [2]int{2, 0}},
	}
}

func TestForward(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.String(), func(t *testing.T) {
			forwardOf[float32, float32](t, s, 1e-6)
			forwardOf[float64, float64](t, s, 1e-15)
			forwardOf[dtype.BF16, float32](t, s, 1e-6)
		})
	}
}

// forwardOf compares both ways forward with plain loops in float64, for every instruction set and several numbers of threads.
func forwardOf[T Elem, S Sum](t *testing.T, s Shape, eps float64) {
	c, err := New[T, S](s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(level.PCG(uint64(s.In()), uint64(s.Weights())))
	in, w, bias := fill[T](rng, s.In(), false), fill[T](rng, s.Weights(), false), make([]S, s.K)
	want, layer := newSums(s.Out()), newSums(s.Out())
	each(s, func(i, j, o int) { want.add(o, check.Float64(in[i])*check.Float64(w[j])) })
	for i := range bias {
		bias[i] = S(rng.NormFloat64())
	}
	for i, x := range want.sum {
		b := float64(bias[i%s.K])
		layer.sum[i], layer.abs[i] = max(x+b, 0), want.abs[i]+math.Abs(b)
	}
	packed := c.Pack(w)
	for _, isa := range isas() {
		var first []T
		for _, threads := range []int{1, 2, 7} {
			what := fmt.Sprintf("%v on %s with %d threads", dtype.Of[T](), isa, threads)
			opt := run.Options{ISA: isa, Threads: threads}
			out := fill[T](rng, s.Out(), false)
			c.Forward(opt, out, in, packed)
			compare(t, what, out, want, eps*8)
			if threads == 1 {
				first = slices.Clone(out)
			}
			for i := range out {
				if out[i] != first[i] {
					t.Fatalf("%s: element %d is %v, and with one thread %v", what, i, out[i], first[i])
				}
			}
			c.ForwardBiasReLU(opt, out, in, packed, bias)
			compare(t, what+", layer", out, layer, eps*8)
		}
	}
}

// isas are the instruction sets that results are compared for: the best one unasked.
func isas() []string {
	list := []string{""}
	for _, isa := range run.ISAs() {
		if isa != "avxvnni" && isa != "avx512vnni" {
			list = append(list, isa)
		}
	}
	return list
}
