package tensors

import (
	"math"
	randv2 "math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
)

func random(r *randv2.Rand, m, n int) layout.Matrix[float64] {
	x := layout.New[float64](m, n)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}

// TestGradients compares what tpp.Gradient made of two norms with central differences.
func TestGradients(t *testing.T) {
	const m, n, eps, h = 5, 19, 1e-3, 1e-5
	r := randv2.New(randv2.NewPCG(1, 2))
	x, g, out := random(r, m, n), random(r, m, n), layout.New[float64](m, n)
	gain, bias := random(r, 1, n).Data, random(r, 1, n).Data
	dx, dgain, dbias := layout.New[float64](m, n), make([]float64, n), make([]float64, n)
	LayerNormF64Backward(dx, dgain, dbias, x, gain, bias, g, eps)
	loss := func() (sum float64) {
		LayerNormF64(out, x, gain, bias, eps)
		for i, v := range out.Data {
			sum += v * g.Data[i]
		}
		return sum
	}
	for name, c := range map[string][2][]float64{"x": {x.Data, dx.Data}, "gain": {gain, dgain}, "bias": {bias, dbias}} {
		for i := range c[0] {
			old := c[0][i]
			c[0][i] = old + h
			up := loss()
			c[0][i] = old - h
			down := loss()
			c[0][i] = old
			if want := (up - down) / (2 * h); math.Abs(c[1][i]-want) > 1e-6*max(1, math.Abs(want)) {
				t.Errorf("by %s[%d]: %v, a difference gives %v", name, i, c[1][i], want)
			}
		}
	}
}

// TestDropoutWords holds dropout to the masks of package rand, of rows that begin with a block
// of words.
func TestDropoutWords(t *testing.T) {
	const m, n, p = 7, 52, 0.3
	x, out, mask := layout.New[float32](m, n), layout.New[float32](m, n), make([]float32, m*n)
	for i := range x.Data {
		x.Data[i] = 1
	}
	drop := uint32(math.RoundToEven(p * 0x1p32))
	rand.Dropout(rand.Stream{Seed: 3, Number: 9}, 40, mask, p)
	for _, isa := range run.PlainISAs() {
		DropoutOpt(run.Options{ISA: isa}, out, x, int32(drop), float32(1/(1-p)), equation.Stream{Seed: 3, Number: 9, First: 40})
		for i, want := range mask {
			if out.Data[i] != want {
				t.Fatalf("%s: element %d is %v, rand.Dropout has %v", isa, i, out.Data[i], want)
			}
		}
	}
}

// panics returns the message of a panic of f, which is an error.
func panics(f func()) (message string) {
	defer func() {
		if err, ok := recover().(error); ok {
			message = err.Error()
		}
	}()
	f()
	return ""
}

// TestMisuse wants a sentence, before anything is written, for calls that cannot be.
func TestMisuse(t *testing.T) {
	x, out := layout.New[float32](4, 8), layout.New[float32](4, 8)
	gain := make([]float32, 8)
	stream := equation.Stream{First: 2}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"Softmax: x is 3 x 8, the product is 4 x 8", func() { Softmax(out, x.Slice(0, 3, 0, 8)) }},
		{"LayerNorm: gain has 7 elements, the product has 8 columns", func() { LayerNorm(out, x, gain[:7], gain, 1) }},
		{"Softmax: out shares memory with x; an output may only be the very same matrix as a full operand", func() { Softmax(x.Slice(0, 2, 0, 8), x.Slice(1, 3, 0, 8)) }},
		{"SoftmaxOpt: Options.Scaling is for products; make the factors operands of the equation", func() { SoftmaxOpt(run.Options{Scaling: run.Scale(2, 0)}, out, x) }},
		{"SoftmaxOpt: -1 threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS", func() { SoftmaxOpt(run.Options{Threads: -1}, out, x) }},
		{"Dropout: the stream begins at word 2; want a multiple of 4", func() { Dropout(out, x, 1, 1, stream) }},
		{"Statistics: sumSquares is nil; want a pointer to where the result goes", func() { Statistics(make([]float32, 4), make([]float32, 4), gain, nil, x) }},
	} {
		if have := panics(c.f); have != c.want {
			t.Errorf("%q, want %q", have, c.want)
		}
	}
	for _, v := range out.Data {
		if v != 0 {
			t.Fatal("something was written")
		}
	}
	// In place is fine where all of an element's row is read before.
	for i := range x.Data {
		x.Data[i] = float32(i % 5)
	}
	Softmax(out, x)
	Softmax(x, x)
	for i := range x.Data {
		if x.Data[i] != out.Data[i] {
			t.Fatal("in place it is something else")
		}
	}
}

// TestClosedRows wants 0 of a row that a mask closes, and -Inf of its logarithm.
func TestClosedRows(t *testing.T) {
	x, out := layout.New[float32](2, 37), layout.New[float32](2, 37)
	for j := range 37 {
		x.Set(0, j, float32(math.Inf(-1)))
	}
	for _, isa := range run.PlainISAs() {
		SoftmaxOpt(run.Options{ISA: isa}, out, x)
		if out.At(0, 5) != 0 || out.At(1, 5) != float32(1)/37 {
			t.Errorf("%s: softmax is %v and %v", isa, out.At(0, 5), out.At(1, 5))
		}
		LogSoftmaxOpt(run.Options{ISA: isa}, out, x)
		if !math.IsInf(float64(out.At(0, 5)), -1) {
			t.Errorf("%s: log-softmax is %v", isa, out.At(0, 5))
		}
	}
}

// TestStorm calls equations from several goroutines at once, with threads of their own, and
// wants what one call alone gives.
func TestStorm(t *testing.T) {
	var all sync.WaitGroup
	for k := range 6 {
		all.Go(func() {
			m, n := 40+17*k, 200+301*k
			r := randv2.New(randv2.NewPCG(uint64(k), 3))
			x, want, out := layout.New[float32](m, n), layout.New[float32](m, n), layout.New[float32](m, n)
			for i := range x.Data {
				x.Data[i] = float32(r.NormFloat64())
			}
			gain := x.Data[:n]
			sums, most, least, squares := make([]float32, m), make([]float32, m), make([]float32, n), float32(0)
			BatchNormOpt(run.Options{Threads: 1}, want, x, gain, gain, 1)
			StatisticsOpt(run.Options{Threads: 1}, sums, most, least, &squares, x)
			total := squares
			for range 20 {
				BatchNormOpt(run.Options{Threads: 3}, out, x, gain, gain, 1)
				StatisticsOpt(run.Options{Threads: 2}, sums, most, least, &squares, x)
				if squares != total || !slices.Equal(out.Data, want.Data) {
					t.Errorf("%d x %d: other bits", m, n)
					return
				}
			}
		})
	}
	all.Wait()
}
