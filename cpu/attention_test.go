package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// attentionOf is the formula in float64. With it comes, for each element, what the
// weights times the magnitudes of v add up to: the error is counted in that.
func attentionOf[T dtype.Float](s sparse.Matrix[T], scale float64, bias bool, q, k, v layout.Matrix[T]) (out, size []float64) {
	out, size = make([]float64, s.Rows()*v.Cols), make([]float64, s.Rows()*v.Cols)
	for i := range s.Rows() {
		var weights []float64
		top, sum := math.Inf(-1), 0.0
		for j, b := range s.Row(i) {
			x := 0.0
			for f := range q.Cols {
				x += float64(q.At(i, f)) * float64(k.At(j, f))
			}
			if x *= scale; bias {
				x += float64(b)
			}
			weights, top = append(weights, x), max(top, x)
		}
		for n, x := range weights {
			weights[n] = math.Exp(x - top)
			sum += weights[n]
		}
		n := 0
		for j := range s.Row(i) {
			for h := range v.Cols {
				out[i*v.Cols+h] += weights[n] / sum * float64(v.At(j, h))
				size[i*v.Cols+h] += weights[n] / sum * math.Abs(float64(v.At(j, h)))
			}
			n++
		}
	}
	return out, size
}

// near compares with the formula. A score of f products has an error of some f units
// of their magnitudes, here at most 60; the exponential makes that a relative one of
// the weight.
func near[T dtype.Float](t *testing.T, got layout.Matrix[T], want, size []float64, f, entries int) {
	t.Helper()
	unit := map[dtype.Type]float64{dtype.F32: 0x1p-23, dtype.F64: 0x1p-52}[dtype.Of[T]()] / 2
	bound := unit * (60*float64(f+4) + float64(entries) + 8)
	for i := range got.Rows {
		for h := range got.Cols {
			g, w := float64(got.At(i, h)), want[i*got.Cols+h]
			if !(math.Abs(g-w) <= bound*size[i*got.Cols+h]) && !(math.IsNaN(g) && math.IsNaN(w)) {
				t.Fatalf("f=%d: element (%d, %d) is %v, want %v within %.2g", f, i, h, g, w, bound*size[i*got.Cols+h])
			}
		}
	}
}

func TestGraphAttention(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testAttention[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testAttention[float64](t, isa) })
	})
}

func testAttention[T dtype.Float](t *testing.T, isa string) {
	rng := rand.New(level.PCG(1, 2))
	fill := func(m layout.Matrix[T]) layout.Matrix[T] {
		for i := range m.Data {
			m.Data[i] = T(rng.NormFloat64())
		}
		return m
	}
	for name, s := range byName(structures[T]()) {
		for _, c := range []struct {
			f, h  int
			scale float64
			bias  bool
		}{{1, 1, 0, false}, {7, 9, 0, true}, {16, 16, .5, false}, {33, 64, 0, false}, {64, 33, 0, true}, {150, 270, 0, false}} {
			if double := dtype.Of[T]() == dtype.F64; c.f > 20 && level.Of(true, double == (c.f > 50), false) {
				continue
			}
			q, k, v := fill(guarded[T](t, s.Rows(), c.f)), fill(guarded[T](t, s.Cols(), c.f)), fill(guarded[T](t, s.Cols(), c.h))
			poison(s, q, k)
			poison(s, q, v)
			out := guarded[T](t, s.Rows(), c.h)
			for i := range out.Data {
				out.Data[i] = T(math.NaN())
			}
			GraphAttention(AttentionOptions{Options: Options{ISA: isa, Threads: 2}, Scale: c.scale, Bias: c.bias}, out, s, q, k, v)
			scale := c.scale
			if scale == 0 {
				scale = 1 / math.Sqrt(float64(c.f))
			}
			want, size := attentionOf(s, scale, c.bias, q, k, v)
			t.Run(name, func(t *testing.T) { near(t, out, want, size, c.f, s.Cols()) })
		}
	}
}

// Rows that are cut into pieces, next to short ones, and operands by columns.
func TestGraphAttentionLongRows(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	b := sparse.NewBuilder[float32](40, 20000)
	for j := range 20000 {
		b.Add(7, j, 0)
		b.Add(j%40, j, 0)
		if j > 11000 {
			b.Add(39, j, 0)
		}
	}
	s, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	q, k, v := normalDense[float32](rng, 40, 12), normalDense[float32](rng, 20000, 12), normalDense[float32](rng, 20000, 20)
	for i := range k.Data[:12000] {
		k.Data[i] *= 3 // the greatest score is not in the last piece
	}
	want, size := attentionOf(s, 1, false, q, k, v)
	eachISA(t, func(t *testing.T, isa string) {
		opt := AttentionOptions{Options: Options{ISA: isa}, Scale: 1}
		out := layout.New[float32](40, 20)
		GraphAttention(opt, out, s, q, k, v)
		near(t, out, want, size, 12, 1000)
		turned := layout.ColMajor(make([]float32, 800), 40, 20)
		GraphAttention(opt, turned, s, columnMajor(q), columnMajor(k), columnMajor(v))
		near(t, turned, want, size, 12, 1000)
	})
	sameForThreads(t, func(opt Options) []float32 {
		out := layout.New[float32](40, 20)
		GraphAttention(AttentionOptions{Options: opt}, out, s, q, k, v)
		return out.Data
	})
}

// Large scores do not overflow; NaN and infinite ones do what the formula does.
func TestGraphAttentionExtremes(t *testing.T) {
	s, err := sparse.FromCOO(6, 4, []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}, []int{0, 1, 0, 2, 0, 3, 2, 2, 1, 3},
		[]float32{1000, 1001, 0, float32(math.Inf(-1)), 0, float32(math.NaN()), -5e38 / 2, 0, float32(math.Inf(-1)), float32(math.Inf(-1))})
	if err != nil {
		t.Fatal(err)
	}
	one := layout.New[float32](6, 1)
	v := layout.RowMajor([]float32{1, 2, 3, 4}, 4, 1)
	e := math.E
	want := fmt.Sprintf("%.4f", []float64{(1 + 2*e) / (1 + e), 1, math.NaN(), 3, math.NaN(), 0})
	eachISA(t, func(t *testing.T, isa string) {
		out := layout.New[float32](6, 1)
		GraphAttention(AttentionOptions{Options: Options{ISA: isa}, Bias: true}, out, s, one, layout.New[float32](4, 1), v)
		if got := fmt.Sprintf("%.4f", out.Data); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestGraphAttentionRefuses(t *testing.T) {
	s := randomEntries[float64](rand.New(level.PCG(1, 1)), 6, 5, 1)
	q, k, v, out := layout.New[float64](6, 8), layout.New[float64](5, 8), layout.New[float64](5, 3), layout.New[float64](6, 3)
	call := func(opt AttentionOptions, out, q, k, v layout.Matrix[float64]) func() {
		return func() { GraphAttention(opt, out, s, q, k, v) }
	}
	refuses(t, "cpu.GraphAttention", "out is 6 x 3, s is 6 x 5, q is 6 x 8, k is 5 x 3, v is 5 x 3; want m x h, m x n, m x f, n x f, n x h",
		call(AttentionOptions{}, out, q, v, v))
	refusesOption(t, "cpu.GraphAttention", "Options.Scaling is for other products; attention has Scale, and no beta",
		call(AttentionOptions{Options: Options{Scaling: Scale(0, 0)}}, out, q, k, v))
	refuses(t, "cpu.GraphAttention", "out shares memory with q; copy it first",
		call(AttentionOptions{}, layout.RowMajor(q.Data, 6, 3), q, k, v))
}

func ExampleGraphAttention() {
	// Node 0 looks at nodes 1 and 2; the key of node 2 is what it asks for.
	s, err := sparse.FromCOO(3, 3, []int{0, 0}, []int{1, 2}, []float32{1, 1})
	if err != nil {
		panic(err)
	}
	q := layout.RowMajor([]float32{0, 4, 0, 0, 0, 0}, 3, 2)
	k := layout.RowMajor([]float32{0, 0, 4, 0, 0, 4}, 3, 2)
	v := layout.RowMajor([]float32{0, 1, 100}, 3, 1)
	out := layout.New[float32](3, 1)
	GraphAttention(AttentionOptions{}, out, s, q, k, v)
	fmt.Printf("%.1f\n", out.Data)
	// Output: [100.0 0.0 0.0]
}
