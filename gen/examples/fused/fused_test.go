package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

func random(r *rand.Rand, rows, cols int) layout.Matrix[float32] {
	m := layout.New[float32](rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	return m
}

func vector(r *rand.Rand, n int) []float32 { return random(r, 1, n).Data }

// TestThreads compares all outputs and reductions, bit for bit, for any number of
// threads, with a k of one and of several blocks.
func TestThreads(t *testing.T) {
	for _, isa := range run.PlainISAs() {
		for _, s := range [][3]int{{300, 500, 90}, {64, 200, 1500}, {257, 131, 2500}} {
			m, n, k := s[0], s[1], s[2]
			if isa == run.Portable {
				k = k/8 + 70
			}
			r := rand.New(level.PCG(1, 2))
			a, b, bias := random(r, m, k), random(r, k, n), vector(r, n)
			type result struct {
				out, stat, rowMax, rowSum []float32
				colSum, colMax            []float32
				class, rowArgMin          []int32
			}
			call := func(threads int) result {
				o := run.Options{ISA: isa, Threads: threads}
				out, stat := layout.New[float32](m, n), layout.New[float32](m, n)
				x := result{out.Data, stat.Data, make([]float32, m), make([]float32, m), make([]float32, n), make([]float32, n), make([]int32, m), make([]int32, m)}
				LogitsOpt(o, out, x.rowMax, x.class, x.colSum, a, b, bias)
				StatsOpt(o, stat, x.rowSum, x.rowArgMin, x.colMax, a, b, bias)
				return x
			}
			want := call(1)
			for _, threads := range []int{2, 3, 7} {
				have := call(threads)
				for _, p := range []struct {
					name       string
					have, want []float32
				}{{"out", have.out, want.out}, {"stat", have.stat, want.stat}, {"rowMax", have.rowMax, want.rowMax}, {"rowSum", have.rowSum, want.rowSum}, {"colSum", have.colSum, want.colSum}, {"colMax", have.colMax, want.colMax}} {
					if !slices.Equal(p.have, p.want) {
						t.Errorf("%s m=%d n=%d k=%d threads=%d: %s differs from one thread's", isa, m, n, k, threads, p.name)
					}
				}
				if !slices.Equal(have.class, want.class) || !slices.Equal(have.rowArgMin, want.rowArgMin) {
					t.Errorf("%s m=%d n=%d k=%d threads=%d: indices differ from one thread's", isa, m, n, k, threads)
				}
			}
		}
	}
}

// TestInPlace lets out be the full operand, and compares with separate matrices.
func TestInPlace(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	for _, isa := range run.PlainISAs() {
		a, b, res := random(r, 50, 1100), random(r, 1100, 70), random(r, 50, 70)
		pre, out := layout.New[float32](50, 70), layout.New[float32](50, 70)
		ResidualOpt(run.Options{ISA: isa}, out, pre, a, b, res, 0.5)
		ResidualOpt(run.Options{ISA: isa}, res, pre, a, b, res, 0.5)
		if !slices.Equal(out.Data, res.Data) {
			t.Errorf("%s: out in the place of res differs", isa)
		}
	}
}

// TestLayouts lets outputs and full operands have any strides.
func TestLayouts(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	const m, n, k = 23, 57, 40
	a, b, res := random(r, m, k), random(r, k, n), random(r, m, n)
	for _, isa := range run.PlainISAs() {
		o := run.Options{ISA: isa}
		out, pre := layout.New[float32](m, n), layout.New[float32](m, n)
		ResidualOpt(o, out, pre, a, b, res, 2)
		strided := func() layout.Matrix[float32] {
			return layout.Matrix[float32]{Data: make([]float32, 3*m*n*2), Rows: m, Cols: n, RowStride: 3, ColStride: 3 * m}
		}
		out2, pre2, res2 := strided(), layout.New[float32](n, m).T(), strided()
		for i := range m {
			for j := range n {
				res2.Set(i, j, res.At(i, j))
			}
		}
		at := layout.New[float32](k, m).T()
		for i := range m {
			for j := range k {
				at.Set(i, j, a.At(i, j))
			}
		}
		ResidualOpt(o, out2, pre2, at, b, res2, 2)
		for i := range m {
			for j := range n {
				for _, p := range [][2]float32{{out.At(i, j), out2.At(i, j)}, {pre.At(i, j), pre2.At(i, j)}} {
					// Go's epilogue rounds a product that assembly fuses.
					if d := math.Abs(float64(p[0] - p[1])); d > 1e-5*(1+math.Abs(float64(p[0]))) {
						t.Fatalf("%s (%d, %d): %v in rows, %v strided", isa, i, j, p[0], p[1])
					}
				}
			}
		}
	}
}

// TestSpecialReductions has NaN, ties, infinities and no columns at all.
func TestSpecialReductions(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, isa := range run.PlainISAs() {
		for _, c := range []struct {
			name      string
			row       []float32
			rowMax    float32
			class     int32
			rowArgMin int32
		}{
			{"ties", []float32{1, 5, 5, 2, 1}, 5, 1, 0},
			{"nan", []float32{1, nan, 7, nan}, nan, 1, 1},
			{"all low", []float32{-inf, -inf, -inf}, -inf, 0, 0},
			{"all high", []float32{inf, inf}, inf, 0, 0},
			{"long", append(make([]float32, 130), 3, -3, 3, -3), 3, 130, 131},
			{"none", nil, -inf, -1, -1},
		} {
			n := len(c.row)
			// A product with k = 0 is zero, so the bias alone is the row.
			a, b := layout.New[float32](3, 0), layout.New[float32](0, n)
			out := layout.New[float32](3, n)
			rowMax, class, rowArgMin := make([]float32, 3), make([]int32, 3), make([]int32, 3)
			LogitsOpt(run.Options{ISA: isa}, out, rowMax, class, make([]float32, n), a, b, c.row)
			StatsOpt(run.Options{ISA: isa}, out, make([]float32, 3), rowArgMin, make([]float32, n), a, b, c.row)
			for i := range 3 {
				if p := rowMax[i]; p != c.rowMax && !(p != p && c.rowMax != c.rowMax) || class[i] != c.class || rowArgMin[i] != c.rowArgMin {
					t.Errorf("%s %s: rowMax %v at %d, lowest at %d; want %v at %d, %d", isa, c.name, rowMax[i], class[i], rowArgMin[i], c.rowMax, c.class, c.rowArgMin)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	a, b, out, bias := layout.New[float32](3, 4), layout.New[float32](4, 5), layout.New[float32](3, 5), make([]float32, 5)
	for _, c := range []struct {
		name string
		call func()
		want string
	}{
		{"bias", func() { DenseGELU(out, a, b, bias[:4]) }, "fused.DenseGELU: bias has 4 elements, the product has 5 columns"},
		{"bias, with options", func() { DenseGELUOpt(run.Options{Threads: 1}, out, a, b, bias[:4]) }, "fused.DenseGELUOpt: bias has 4 elements, the product has 5 columns"},
		{"threads", func() { DenseGELUOpt(run.Options{Threads: -1}, out, a, b, bias) }, "fused.DenseGELUOpt: -1 threads; want 1 or more"},
		{"pack of another", func() { DenseGELUOpt(run.Options{B: DenseGELUPack(b)}, out, a, layout.New[float32](4, 5), bias) }, "Options.B was packed from another matrix than b"},
		{"pack of another kernel", func() { DenseGELUOpt(run.Options{B: DenseGELUErfPack(b)}, out, a, b, bias) }, "Options.B was packed by fused.DenseGELUErfPack for another kernel"},
		{"pack of nothing", func() { DenseGELUPack(layout.Matrix[float32]{Rows: 1, Cols: 1, RowStride: 1, ColStride: 1}) }, "fused.DenseGELUPack: b: 0 elements"},
		{"alias of a caller", func() { DenseGELUOpt(run.Options{Caller: "layer.Forward"}, out, b, a, bias) }, "layer.Forward: out is 3 x 5, a is 4 x 5"},
		{"shape", func() { DenseGELU(out, b, a, bias) }, "out is 3 x 5, a is 4 x 5, b is 3 x 4"},
		{"alias", func() { DenseGELU(out, layout.RowMajor(out.Data, 3, 4), b, bias) }, "out shares memory with a"},
		{"alias of vector", func() { DenseGELU(out, a, b, out.Data[3:8]) }, "out shares memory with bias"},
		{"shifted operand", func() {
			long := layout.New[float32](4, 5)
			Residual(long.Slice(0, 3, 0, 5), out, a, b, long.Slice(1, 4, 0, 5), 1)
		}, "out shares memory with res"},
		{"two outputs", func() { Residual(out, out, a, b, layout.New[float32](3, 5), 1) }, "out shares memory with pre"},
		{"stride", func() {
			DenseGELU(layout.Matrix[float32]{Data: out.Data, Rows: 3, Cols: 5, RowStride: math.MaxInt/2 + 1, ColStride: 1}, a, b, bias)
		}, "do not hold"},
		{"scaled", func() { DenseGELUOpt(run.Options{Scaling: run.Scale(2, 0)}, out, a, b, bias) }, "make them operands"},
	} {
		func() {
			defer func() {
				err, ok := recover().(error)
				if !ok || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: have %v, want %q", c.name, err, c.want)
				}
			}()
			c.call()
			t.Errorf("%s: no panic", c.name)
		}()
	}
}

// TestAllocations counts what a call allocates once the buffers are there.
func TestAllocations(t *testing.T) {
	r := rand.New(level.PCG(7, 8))
	a, b, out, bias := random(r, 100, 64), random(r, 64, 90), layout.New[float32](100, 90), vector(r, 90)
	rowMax, class, colSum := make([]float32, 100), make([]int32, 100), make([]float32, 90)
	o := run.Options{Threads: 1}
	for name, call := range map[string]func(){
		"DenseGELU": func() { DenseGELUOpt(o, out, a, b, bias) },
		"Logits":    func() { LogitsOpt(o, out, rowMax, class, colSum, a, b, bias) },
	} {
		if n := testing.AllocsPerRun(20, call); n != 0 && run.ISAs()[0] != run.Portable {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func ExampleDenseGELU() {
	a := layout.RowMajor([]float32{1, 2, 3, 4}, 2, 2)
	b := layout.RowMajor([]float32{1, 0, 0, 1}, 2, 2)
	out := layout.New[float32](2, 2)
	DenseGELU(out, a, b, []float32{0, -3})
	fmt.Printf("%.4f\n", out.Data)
	// Output: [0.8412 -0.1588 2.9964 0.8412]
}
