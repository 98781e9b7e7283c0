package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/gentest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// TestUpToDate is what any package with a spec may have; here TestRegenerate of package
// gen does the same for all of them.
func TestUpToDate(t *testing.T) {
	if !level.Long() {
		t.Skip("TILESMITH_LONG=1 builds the spec once more")
	}
	gentest.UpToDate(t, "spec.go")
}

func random[T float32 | float64](seed uint64, rows, cols int) layout.Matrix[T] {
	r := rand.New(level.PCG(seed, 1))
	m := layout.New[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64())
	}
	return m
}

// skewed is a graph with one row that has most of all entries, and empty ones.
func skewed[T float32 | float64](t *testing.T) sparse.Matrix[T] {
	t.Helper()
	dense, err := sample.DenseRow[T](300, 2500, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := sample.EmptyRows[T](300, 2500, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := sample.Random(dense, 3).Add(sample.Random(empty, 4))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestInPlace lets out be the full operand of an epilogue.
func TestInPlace(t *testing.T) {
	a, b := skewed[float32](t), random[float32](5, 2500, 48)
	scale := random[float32](6, 1, 300).Data
	for _, isa := range run.PlainISAs() {
		res, out, pre := random[float32](7, 300, 48), layout.New[float32](300, 48), layout.New[float32](300, 48)
		class, colSum := make([]int32, 300), make([]float32, 48)
		ResidualMeanOpt(run.Options{ISA: isa}, out, pre, class, colSum, a, b, res, scale)
		ResidualMeanOpt(run.Options{ISA: isa}, res, pre, class, colSum, a, b, res, scale)
		if !slices.Equal(out.Data, res.Data) {
			t.Errorf("%s: out in the place of res differs", isa)
		}
	}
}

// TestStrides lets b, out and a full operand have any strides.
func TestStrides(t *testing.T) {
	a, b, res := skewed[float32](t), random[float32](8, 2500, 48), random[float32](9, 300, 48)
	scale := random[float32](6, 1, 300).Data
	class, colSum := make([]int32, 300), make([]float32, 48)
	flip := func(m layout.Matrix[float32]) layout.Matrix[float32] {
		f := layout.New[float32](m.Cols, m.Rows).T()
		for i := range m.Rows {
			for j := range m.Cols {
				f.Set(i, j, m.At(i, j))
			}
		}
		return f
	}
	for _, isa := range run.PlainISAs() {
		o := run.Options{ISA: isa}
		rows, columns := layout.New[float32](300, 48), flip(layout.New[float32](300, 48))
		pre := layout.New[float32](300, 48)
		same := func(what string, slack float64) {
			t.Helper()
			for i := range 300 {
				for j := range 48 {
					x, y := float64(rows.At(i, j)), float64(columns.At(i, j))
					if math.Abs(x-y) > slack*(1+math.Abs(x)) {
						t.Fatalf("%s, %s: (%d, %d) is %v in rows, %v in columns", isa, what, i, j, x, y)
					}
				}
			}
		}
		PropagateOpt(o, rows, a, b)
		PropagateOpt(o, columns, a, flip(b))
		same("a product", 0)
		o.Scaling = run.Scale(-2, 0.5)
		PropagateOpt(o, rows, a, b)
		PropagateOpt(o, columns, a, flip(b))
		same("alpha and beta", 1e-5) // where columns are apart, beta*out is rounded on its own
		o.Scaling = run.Scaling{}
		ResidualMeanOpt(o, rows, pre, class, colSum, a, b, res, scale)
		ResidualMeanOpt(o, columns, pre, class, colSum, a, flip(b), flip(res), scale)
		same("an epilogue", 1e-5) // which runs in Go where columns are apart
	}
}

// TestSpecialRows has rows without entries, with NaN, and with a stored 0 that meets
// Inf.
func TestSpecialRows(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	a, err := sparse.FromCOO(4, 3, []int{0, 0, 2, 3}, []int{0, 1, 1, 2}, []float32{2, 3, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	wide, err := sparse.FromCOO(4, 3, []int{0, 0, 2, 3}, []int{0, 1, 1, 2}, []float64{2, 3, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	b, x := layout.New[float32](3, 100), layout.New[float64](3, 100)
	for k, v := range []float64{5, inf, nan} {
		for j := range 100 {
			b.Set(k, j, float32(v))
			x.Set(k, j, v)
		}
	}
	for _, isa := range run.PlainISAs() {
		o := run.Options{ISA: isa}
		out, mean := layout.New[float32](4, 100), layout.New[float64](4, 100)
		for _, c := range []struct {
			name string
			call func()
			want [4]float64
		}{
			{"sum", func() { PropagateOpt(o, out, a, b) }, [4]float64{inf, 0, nan, nan}},
			{"max of a pattern", func() { MaxAggregateOpt(o, out, a, b) }, [4]float64{inf, -inf, inf, nan}},
			{"mean of a pattern", func() { MeanAggregateOpt(o, mean, wide, x) }, [4]float64{inf, 0, inf, nan}},
		} {
			c.call()
			for i, want := range c.want {
				for _, j := range []int{0, 63, 99} {
					have := float64(out.At(i, j))
					if strings.HasPrefix(c.name, "mean") {
						have = mean.At(i, j)
					}
					if have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
						t.Errorf("%s, %s: row %d is %v, want %v", isa, c.name, i, have, want)
					}
				}
			}
		}
	}
}

// TestRefused holds what a call says that does not fit together.
func TestRefused(t *testing.T) {
	a, err := sample.Uniform[float32](6, 5, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := format.Pack(a, format.ELL(2))
	if err != nil {
		t.Fatal(err)
	}
	m := func(rows, cols int) layout.Matrix[float32] { return layout.New[float32](rows, cols) }
	v := func(n int) []float32 { return make([]float32, n) }
	scaled := run.Options{Scaling: run.Scale(2, 0)}
	shared := m(11, 48)
	for _, c := range []struct {
		call func()
		why  string
	}{
		{func() { Aggregate(m(6, 128), a, m(4, 128), v(128)) }, "graph.Aggregate: out is 6 x 128, a is 6 x 5, b is 4 x 128; want m x n, m x k, k x n"},
		{func() { AggregateOpt(run.Options{Threads: -1}, m(6, 128), a, m(5, 128), v(128)) }, "graph.AggregateOpt: -1 threads; want 1 or more"},
		{func() { Aggregate(m(6, 64), a, m(5, 64), v(64)) }, "generated for 128; leave Features 0"},
		{func() { Aggregate(m(6, 128), a, m(5, 128), v(127)) }, "bias has 127 elements, the product has 128 columns"},
		{func() { AggregateOpt(scaled, m(6, 128), a, m(5, 128), v(128)) }, "graph.AggregateOpt: alpha and beta belong to products without an epilogue; make them operands of the function"},
		{func() {
			MeanAggregateOpt(scaled, layout.New[float64](0, 0), sparse.Matrix[float64]{}, layout.New[float64](0, 0))
		}, "alpha and beta belong to sums"},
		{func() { AggregateELL(m(6, 64), packed, m(5, 64), v(64)) }, `a is in the format "ell2", the kernel is for "ell8"`},
		{func() { AggregateELL(m(6, 64), format.Packed[float32]{}, m(5, 64), v(64)) }, "a is 0 x 0"},
		{func() { GATScores(v(11), a, m(6, 64), m(5, 64), v(6), v(5)) }, "graph.GATScores: out has 11 elements, s has 12 entries"},
		{func() { GATScores(v(12), a, m(6, 64), m(5, 64), v(5), v(5)) }, "from has 5 elements, s has 6 rows"},
		{func() { GATScores(v(12), a, m(6, 60), m(5, 60), v(6), v(5)) }, "generated for 64"},
		{func() {
			PageRank(make([]float64, 2), make([]float64, 1), sparse.Matrix[float64]{}, nil, make([]float64, 2), 1)
		}, "a is 0 x 0"},
		{func() {
			ResidualMean(shared.Slice(0, 6, 0, 48), m(6, 48), make([]int32, 6), v(48), a, shared.Slice(5, 10, 0, 48), m(6, 48), v(6))
		}, "out shares memory with b"},
		{func() { Readout(m(2, 32), []int{0, 3, 5}, m(6, 32), v(32)) }, "graph.Readout: offset 2 is 5; want 0 first, 6 last, and none less than the one before"},
		{func() { Readout(m(0, 32), nil, m(0, 32), v(32)) }, "there are 0 offsets; want m x h, n x h, m+1"},
		{func() { Readout(m(1, 16), []int{0, 6}, m(6, 16), v(16)) }, "x has 16 columns, the kernel is generated for 32"},
		{func() { GATWeights(v(11), a, v(6), v(5)) }, "graph.GATWeights: out has 11 elements, s has 12 entries"},
		{func() { GATWeights(v(12), a, v(6), v(6)) }, "to has 6 elements, s has 5 columns"},
		{func() { GATWeights(shared.Data[:12], a, shared.Data[6:12], v(5)) }, "out shares memory with from"},
		{func() { GATWeightsOpt(scaled, v(12), a, v(6), v(5)) }, "alpha and beta belong to products without an epilogue"},
		{func() { Readout(shared.Slice(0, 1, 0, 32), []int{0, 6}, shared.Slice(0, 6, 0, 32), v(32)) }, "out shares memory with x"},
	} {
		func() {
			defer func() {
				e, ok := recover().(error)
				if !ok || !strings.Contains(e.Error(), c.why) {
					t.Errorf("panic with %v, want an error with %q", e, c.why)
				}
			}()
			c.call()
		}()
	}
}

// TestAllocations: a call with an epilogue keeps its memory for the next.
func TestAllocations(t *testing.T) {
	if !slices.Contains(run.ISAs(), "avx2") {
		t.Skip("the portable code may allocate")
	}
	a, b := skewed[float32](t), random[float32](5, 2500, 128)
	out, bias := layout.New[float32](300, 128), make([]float32, 128)
	o := run.Options{Threads: 1}
	offsets, pooled, x := []int{0, 7, 2500}, layout.New[float32](2, 32), random[float32](6, 2500, 32)
	for name, call := range map[string]func(){
		"Aggregate": func() { AggregateOpt(o, out, a, b, bias) },
		"Readout":   func() { ReadoutOpt(o, pooled, offsets, x, bias[:32]) },
	} {
		if n := testing.AllocsPerRun(20, call); n > 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}
