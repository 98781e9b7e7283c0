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

func mustMask(m sparse.BlockMask, err error) sparse.BlockMask {
	if err != nil {
		panic(err)
	}
	return m
}

// maskElements is a mask as a matrix with an entry for each element that counts.
func maskElements[T dtype.Float](m sparse.BlockMask) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](m.Rows(), m.Cols())
	for i := range m.Rows() {
		for j := range m.Cols() {
			if m.Has(i, j) {
				b.Add(i, j, 0)
			}
		}
	}
	s, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return s
}

// blockMasks are masks of every kind: blocks cut short, rows without, more columns than a step sees.
func blockMasks() map[string]sparse.BlockMask {
	band := mustMask(sparse.BandMask(150, 16, 1))
	long := mustMask(mustMask(sparse.BandMask(400, 7, 2)).Or(mustMask(sparse.GlobalMask(400, 7, 2))))
	some := sparse.NewBuilder[float32](4, 3)
	some.Add(0, 2, 1)
	some.Add(0, 0, 1)
	some.Add(2, 1, 0)
	blocks, err := some.Matrix()
	if err != nil {
		panic(err)
	}
	return map[string]sparse.BlockMask{
		"full": mustMask(sparse.FullMask(9, 11, 4)), "band": band, "causal": band.Causal(), "long": long, "long causal": long.Causal(),
		"strided": mustMask(sparse.StridedMask(130, 20, 3)).Causal(), "butterfly": mustMask(sparse.ButterflyMask(200, 33)),
		"some": mustMask(sparse.NewBlockMask(15, 12, 4, blocks)), "some causal": mustMask(sparse.NewBlockMask(15, 12, 4, blocks)).Causal(),
		"wide": mustMask(sparse.FullMask(3, 700, 1000)), "decoding": mustMask(sparse.FullMask(3, 70, 8)).Causal(),
		"high": mustMask(sparse.FullMask(300, 5, 300)).Causal(), "tall": mustMask(sparse.FullMask(131, 131, 130)).Causal(),
	}
}

func TestBlockAttention(t *testing.T) {
	oracles := map[string]attentionOracle{}
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testBlockAttention[float32](t, isa, oracles) })
		t.Run("f64", func(t *testing.T) { testBlockAttention[float64](t, isa, oracles) })
	})
}

// An attentionOracle is results by their formulas, and what the magnitudes of their terms add up to. Every instruction set
// computes the same cases.
type attentionOracle struct{ want, size [3][]float64 }

func testBlockAttention[T dtype.Float](t *testing.T, isa string, oracles map[string]attentionOracle) {
	rng := rand.New(level.PCG(1, 2))
	fill := func(m layout.Matrix[T]) layout.Matrix[T] {
		for i := range m.Data {
			m.Data[i] = T(rng.NormFloat64())
		}
		return m
	}
	for name, mask := range byName(blockMasks()) {
		s := maskElements[T](mask)
		for _, c := range []struct {
			f, h  int
			scale float64
		}{{0, 3, 1}, {1, 1, 0}, {7, 9, 0}, {64, 64, .2}, {33, 130, 0}} {
			if large := s.NNZ() > 10_000; c.f > 10 && level.Of(true, large == (dtype.Of[T]() == dtype.F64), false) || testing.Short() && large {
				continue
			}
			q, k, v := fill(guarded[T](t, s.Rows(), c.f)), fill(guarded[T](t, s.Cols(), c.f)), fill(guarded[T](t, s.Cols(), c.h))
			poison(s, q, k)
			poison(s, q, v)
			out := guarded[T](t, s.Rows(), c.h)
			for i := range out.Data {
				out.Data[i] = T(math.NaN())
			}
			sums := make([]float64, s.Rows())
			BlockAttention(BlockAttentionOptions{Options: Options{ISA: isa, Threads: 2}, Scale: c.scale, LogSums: sums}, out, mask, q, k, v)
			scale := c.scale
			if scale == 0 {
				scale = 1 / math.Sqrt(float64(c.f))
			}
			key := fmt.Sprint(name, dtype.Of[T](), c)
			oracle, ok := oracles[key]
			if !ok {
				oracle.want[0], oracle.size[0] = attentionOf(s, scale, false, q, k, v)
				oracle.want[1] = logSums(s, scale, q, k)
				oracles[key] = oracle
			}
			t.Run(name, func(t *testing.T) {
				near(t, out, oracle.want[0], oracle.size[0], c.f, s.Cols())
				logSumsNear(t, oracle.want[1], sums)
			})
		}
	}
}

// logSumsNear compares with what logSums returned.
func logSumsNear(t *testing.T, all, got []float64) {
	t.Helper()
	for i, want := range all {
		if got[i] != want && math.Abs(got[i]-want) > 1e-4*(1+math.Abs(want)) {
			t.Fatalf("log of the sum of row %d is %v, want %v", i, got[i], want)
		}
	}
}

// logSums are the logarithms of the sums of weights, by the formula in float64.
func logSums[T dtype.Float](s sparse.Matrix[T], scale float64, q, k layout.Matrix[T]) []float64 {
	sums := make([]float64, s.Rows())
	for i := range sums {
		sum := 0.0
		for j := range s.Row(i) {
			x := 0.0
			for f := range q.Cols {
				x += float64(q.At(i, f)) * float64(k.At(j, f))
			}
			sum += math.Exp(x * scale)
		}
		sums[i] = math.Log(sum)
	}
	return sums
}

// headAt is columns h*f to h*f+f-1 of m, in a slice that holds the heads behind too.
func headAt[T dtype.Float](m layout.Matrix[T], f, h int) layout.Matrix[T] {
	return layout.Matrix[T]{Data: m.Data[h*f:], Rows: m.Rows, Cols: f, RowStride: m.RowStride, ColStride: 1}
}

// Heads side by side, one after another, with shared keys, and turned operands: each is what
// one head alone gives, bit for bit.
func TestBlockAttentionHeads(t *testing.T) {
	const n, f, heads = 150, 24, 3
	mask := blockMasks()["causal"]
	rng := rand.New(level.PCG(1, 2))
	q, k, v := normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f)
	sameForThreads(t, func(opt Options) []float32 {
		part := func(m layout.Matrix[float32], h int) layout.Matrix[float32] { return headAt(m, f, h) }
		out := layout.New[float32](n, heads*f)
		BlockAttention(BlockAttentionOptions{Options: opt, Heads: Heads{Count: heads, Out: f, Q: f, K: f}}, part(out, 0), mask, part(q, 0), part(k, 0), part(v, 1))
		for h := range heads {
			one := layout.ColMajor(make([]float32, n*f), n, f)
			BlockAttention(BlockAttentionOptions{Options: opt}, one, mask, columnMajor(part(q, h)), columnMajor(part(k, h)), columnMajor(part(v, 1)))
			for i := range n {
				for j := range f {
					if have, want := out.At(i, h*f+j), one.At(i, j); have != want {
						t.Fatalf("head %d: element (%d, %d) is %v, want %v", h, i, j, have, want)
					}
				}
			}
		}
		return out.Data
	})
}

// Large scores do not overflow, NaN and infinite ones do what the formula does, and what is
// hidden counts for nothing, whatever it is.
func TestBlockAttentionExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	mask := mustMask(sparse.FullMask(6, 6, 6)).Causal()
	q := layout.RowMajor([]float32{1, 1, 1000, -1, 0, 1}, 6, 1)
	k := layout.RowMajor([]float32{1, 2, 1, inf, 5, nan}, 6, 1)
	v := layout.RowMajor([]float32{1, 2, 3, 4, inf, 6}, 6, 1)
	e := math.E
	// Row 2 has its weight where the key is 2; row 3 sees a score of -Inf, row 4 one of 0 times Inf.
	want := fmt.Sprintf("%.4f", []float64{1, (1 + 2*e) / (1 + e), 2, (1 + 3 + 2/e) / (2 + 1/e), math.NaN(), math.NaN()})
	eachISA(t, func(t *testing.T, isa string) {
		out := layout.New[float32](6, 1)
		BlockAttention(BlockAttentionOptions{Options: Options{ISA: isa}}, out, mask, q, k, v)
		if got := fmt.Sprintf("%.4f", out.Data); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// Rows of nothing but -Inf are NaN, as in the formula; those that see nothing are what was asked for.
func TestBlockAttentionUnseen(t *testing.T) {
	mask := mustMask(sparse.FullMask(3, 2, 1)).Causal() // row 0 sees nothing
	q, k := layout.RowMajor([]float32{1, 1, -1}, 3, 1), layout.RowMajor([]float32{float32(math.Inf(-1)), float32(math.Inf(1))}, 2, 1)
	v := layout.RowMajor([]float32{1, 2}, 2, 1)
	eachISA(t, func(t *testing.T, isa string) {
		for _, c := range []struct {
			nan  bool
			want string
		}{{false, "[0 NaN NaN]"}, {true, "[NaN NaN NaN]"}} {
			out := layout.New[float32](3, 1)
			BlockAttention(BlockAttentionOptions{Options: Options{ISA: isa}, UnseenNaN: c.nan}, out, mask, q, k, v)
			if got := fmt.Sprint(out.Data); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		}
	})
}

func TestBlockAttentionRefuses(t *testing.T) {
	mask := mustMask(sparse.FullMask(6, 5, 2))
	q, k, v, out := layout.New[float64](6, 8), layout.New[float64](5, 8), layout.New[float64](5, 3), layout.New[float64](6, 3)
	call := func(opt BlockAttentionOptions, out, q, k, v layout.Matrix[float64]) func() {
		return func() { BlockAttention(opt, out, mask, q, k, v) }
	}
	const name = "cpu.BlockAttention"
	refuses(t, name, "out is 6 x 3, the mask is 6 x 5, q is 6 x 8, k is 5 x 3, v is 5 x 3; want m x h, m x n, m x f, n x f, n x h",
		call(BlockAttentionOptions{}, out, q, v, v))
	refusesOption(t, name, "Options.Scaling is for other products; attention has Scale, and no beta",
		call(BlockAttentionOptions{Options: Options{Scaling: Scale(0, 0)}}, out, q, k, v))
	refuses(t, name, "out shares memory with q; copy it first", call(BlockAttentionOptions{}, layout.RowMajor(q.Data, 6, 3), q, k, v))
	refuses(t, name, "-1 heads that begin 0 elements apart in out, 0 in q, 0 in k and 0 in v; none may be negative",
		call(BlockAttentionOptions{Heads: Heads{Count: -1}}, out, q, k, v))
	refuses(t, name, fmt.Sprintf("18 elements of out do not hold %[1]d heads of 6 x 3 that begin %[1]d elements apart; want more, or a smaller distance", math.MaxInt/2),
		call(BlockAttentionOptions{Heads: Heads{Count: math.MaxInt / 2, Out: math.MaxInt / 2}}, out, q, k, v))
	refuses(t, name, "2 heads of 6 x 3 of out with strides (3, 1) that begin 0 elements apart share places; want them apart",
		call(BlockAttentionOptions{Heads: Heads{Count: 2}}, out, q, k, v))
	refuses(t, name, "LogSums has 5 elements, 1 heads have 6 rows; want one for each",
		call(BlockAttentionOptions{LogSums: make([]float64, 5)}, out, q, k, v))
}

// attentionBack is the gradients by their formulas in float64, and what the magnitudes of
// their terms add up to.
func attentionBack[T dtype.Float](s sparse.Matrix[T], scale float64, q, k, v, dout layout.Matrix[T]) (grads, sizes [3]layout.Matrix[float64]) {
	for n, m := range []layout.Matrix[T]{q, k, v} {
		grads[n], sizes[n] = layout.New[float64](m.Rows, m.Cols), layout.New[float64](m.Rows, m.Cols)
	}
	add := func(n, i, j int, x, size float64) {
		at := i*grads[n].Cols + j
		grads[n].Data[at] += x
		sizes[n].Data[at] += size
	}
	out, _ := attentionOf(s, scale, false, q, k, v)
	for i := range s.Rows() {
		mean, total, most := 0.0, 0.0, 0.0
		for c := range v.Cols {
			mean += out[i*v.Cols+c] * float64(dout.At(i, c))
			most += math.Abs(out[i*v.Cols+c] * float64(dout.At(i, c)))
		}
		weights := make([]float64, s.Cols())
		for j := range s.Row(i) {
			x := 0.0
			for f := range q.Cols {
				x += float64(q.At(i, f)) * float64(k.At(j, f))
			}
			weights[j] = math.Exp(x * scale)
			total += weights[j]
		}
		for j := range s.Row(i) {
			w, d, size := weights[j]/total, 0.0, most
			for c := range v.Cols {
				x := float64(dout.At(i, c)) * float64(v.At(j, c))
				d, size = d+x, size+math.Abs(x)
				add(2, j, c, w*float64(dout.At(i, c)), w*math.Abs(float64(dout.At(i, c))))
			}
			for f := range q.Cols {
				x, y := float64(q.At(i, f)), float64(k.At(j, f))
				add(0, i, f, scale*w*(d-mean)*y, scale*w*size*math.Abs(y))
				add(1, j, f, scale*w*(d-mean)*x, scale*w*size*math.Abs(x))
			}
		}
	}
	return grads, sizes
}

func TestBlockAttentionBack(t *testing.T) {
	oracles := map[string]attentionOracle{}
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testBlockAttentionBack[float32](t, isa, oracles) })
		t.Run("f64", func(t *testing.T) { testBlockAttentionBack[float64](t, isa, oracles) })
	})
}

func testBlockAttentionBack[T dtype.Float](t *testing.T, isa string, oracles map[string]attentionOracle) {
	rng := rand.New(level.PCG(1, 2))
	for name, mask := range byName(blockMasks()) {
		s := maskElements[T](mask)
		for _, c := range [][2]int{{1, 1}, {7, 9}, {40, 20}} {
			if large := s.NNZ() > 10_000; c[0] > 10 && level.Of(true, large == (dtype.Of[T]() == dtype.F64), false) || testing.Short() && large {
				continue
			}
			fill := func(m layout.Matrix[T]) layout.Matrix[T] {
				for i := range m.Data {
					m.Data[i] = T(rng.NormFloat64())
				}
				return m
			}
			q, k, v := fill(guarded[T](t, s.Rows(), c[0])), fill(guarded[T](t, s.Cols(), c[0])), fill(guarded[T](t, s.Cols(), c[1]))
			dout := fill(guarded[T](t, s.Rows(), c[1]))
			poison(s, q, k)
			poison(s, dout, v)
			out := layout.New[T](s.Rows(), c[1])
			opt := BlockAttentionOptions{Options: Options{ISA: isa, Threads: 2}, LogSums: make([]float64, s.Rows())}
			BlockAttention(opt, out, mask, q, k, v)
			have := [3]layout.Matrix[T]{guarded[T](t, q.Rows, c[0]), guarded[T](t, k.Rows, c[0]), guarded[T](t, v.Rows, c[1])}
			for _, m := range have {
				for i := range m.Data {
					m.Data[i] = T(math.NaN())
				}
			}
			BlockAttentionBack(opt, have[0], have[1], have[2], mask, q, k, v, out, dout)
			key := fmt.Sprint(name, dtype.Of[T](), c)
			oracle, ok := oracles[key]
			if !ok {
				want, size := attentionBack(s, 1/math.Sqrt(float64(c[0])), q, k, v, dout)
				for n := range want {
					oracle.want[n], oracle.size[n] = want[n].Data, size[n].Data
				}
				oracles[key] = oracle
			}
			for n := range have {
				t.Run(fmt.Sprint(name, " d", "qkv"[n:n+1]), func(t *testing.T) {
					near(t, have[n], oracle.want[n], oracle.size[n], c[0]+c[1], s.Rows()+s.Cols())
				})
			}
		}
	}
}

// The formulas are the derivatives of attention.
func TestAttentionBackFormulas(t *testing.T) {
	rng := rand.New(level.PCG(3, 4))
	mask := blockMasks()["some causal"]
	s := maskElements[float64](mask)
	q, k, v, dout := normalDense[float64](rng, 15, 3), normalDense[float64](rng, 12, 3), normalDense[float64](rng, 12, 2), normalDense[float64](rng, 15, 2)
	loss := func() (sum float64) {
		out, _ := attentionOf(s, .5, false, q, k, v)
		for i, x := range out {
			sum += x * dout.Data[i]
		}
		return sum
	}
	grads, _ := attentionBack(s, .5, q, k, v, dout)
	for n, m := range []layout.Matrix[float64]{q, k, v} {
		for i, x := range m.Data {
			const h = 1e-5
			m.Data[i] = x + h
			up := loss()
			m.Data[i] = x - h
			down := loss()
			m.Data[i] = x
			if have, want := grads[n].Data[i], (up-down)/(2*h); math.Abs(have-want) > 1e-7 {
				t.Errorf("gradient %d of %q is %v, differences say %v", i, "qkv"[n], have, want)
			}
		}
	}
}

// Threads and the places of heads leave the bits alone.
func TestBlockAttentionBackHeads(t *testing.T) {
	const n, f, heads = 150, 24, 2
	mask := blockMasks()["causal"]
	rng := rand.New(level.PCG(1, 2))
	q, k, v, dout := normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f)
	sameForThreads(t, func(opt Options) []float32 {
		o := BlockAttentionOptions{Options: opt, Heads: Heads{Count: heads, Out: f, Q: f, K: f, V: f}, LogSums: make([]float64, heads*n)}
		out, d := layout.New[float32](n, heads*f), layout.New[float32](3*n, heads*f)
		first := func(m layout.Matrix[float32]) layout.Matrix[float32] { return headAt(m, f, 0) }
		part := func(i int) layout.Matrix[float32] { return first(d.Slice(i*n, (i+1)*n, 0, heads*f)) }
		BlockAttention(o, first(out), mask, first(q), first(k), first(v))
		BlockAttentionBack(o, part(0), part(1), part(2), mask, first(q), first(k), first(v), first(out), first(dout))
		one := BlockAttentionOptions{Options: opt, LogSums: o.LogSums[n:]}
		g := layout.New[float32](3*n, f)
		BlockAttentionBack(one, g.Slice(0, n, 0, f), g.Slice(n, 2*n, 0, f), g.Slice(2*n, 3*n, 0, f), mask, headAt(q, f, 1), headAt(k, f, 1), headAt(v, f, 1), headAt(out, f, 1), headAt(dout, f, 1))
		for i := range 3 * n {
			for j := range f {
				if have, want := d.At(i, f+j), g.At(i, j); have != want {
					t.Fatalf("element (%d, %d) is %v, want %v", i, j, have, want)
				}
			}
		}
		return d.Data
	})
}
