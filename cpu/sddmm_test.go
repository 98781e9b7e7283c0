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
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// structures are matrices that sampled products may find hard, with values of small
// integers, and column 0 and row 0 empty where there are others.
func structures[T dtype.Float]() map[string]sparse.Matrix[T] {
	rng := rand.New(level.PCG(3, 4))
	all := map[string]sparse.Matrix[T]{}
	add := func(name string, m, n int, keep func(i, j int) bool) {
		b := sparse.NewBuilder[T](m, n)
		for i := range m {
			for j := range n {
				if keep(i, j) {
					b.Add(i, j, T(rng.IntN(7)-3))
				}
			}
		}
		a, err := b.Matrix()
		if err != nil {
			panic(err)
		}
		all[name] = a
	}
	add("none", 5, 7, func(_, _ int) bool { return false })
	add("one", 1, 1, func(_, _ int) bool { return true })
	add("row", 1, 300, func(_, j int) bool { return j > 0 })
	add("column", 300, 1, func(i, _ int) bool { return i > 0 && i%3 != 0 })
	add("dense", 21, 33, func(i, j int) bool { return i > 0 && j > 0 })
	add("denserow", 40, 700, func(i, j int) bool { return j > 0 && (i == 20 || (i*j)%50 == 1) })
	add("densecolumn", 700, 40, func(i, j int) bool { return i > 0 && (j == 20 || (i*j)%50 == 1) })
	add("emptyrows", 900, 30, func(i, j int) bool { return i%90 == 1 && j%3 == 1 })
	add("emptyends", 60, 30, func(i, j int) bool { return i > 20 && i < 40 && j%3 == 1 })
	add("random", 200, 150, func(i, j int) bool { return i > 0 && j > 0 && rng.Float64() < .05 })
	return all
}

func TestSDDMM(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testSDDMM[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testSDDMM[float64](t, isa) })
	})
}

// testSDDMM compares small integers bit for bit. Operands lie at inaccessible pages;
// rows that no entry is in are NaN.
func testSDDMM[T dtype.Float](t *testing.T, isa string) {
	rng := rand.New(level.PCG(1, 2))
	inf := T(math.Inf(1))
	features := []int{0, 1, 2, 7, 8, 9, 16, 17, 33, 64, 100, 250, 300, 530}
	if !level.Long() {
		features = level.Of([]int{0, 1, 17, 100}, []int{0, 1, 2, 7, 9, 16, 33, 100, 300}, nil)
	}
	for name, s := range byName(structures[T]()) {
		for _, f := range features {
			a, b := guarded[T](t, s.Rows(), f), guarded[T](t, s.Cols(), f)
			for _, m := range []layout.Matrix[T]{a, b} {
				for i := range m.Data {
					m.Data[i] = T(rng.IntN(9) - 4)
				}
			}
			poison(s, a, b)
			dots := make([]T, s.NNZ())
			for e := range s.All() {
				dots[e.K] = dot(a, b, e)
			}
			for _, c := range []struct {
				pattern     bool
				alpha, beta T
			}{{false, 1, 0}, {true, 1, 0}, {false, -2, 0}, {true, 3, -1}, {false, 0, 2}, {false, inf, 0}, {true, -inf, 2}, {true, T(math.NaN()), 0}} {
				out := guarded[T](t, 1, s.NNZ()).Data
				old := make([]T, len(out))
				for k := range out {
					old[k] = T(rng.IntN(9) - 4)
					out[k] = old[k]
					if c.beta == 0 {
						out[k] = T(math.NaN())
					}
				}
				opt := SDDMMOptions{Options: scaled(isa, 2, c.alpha, c.beta), Pattern: c.pattern}
				SDDMMInto(opt, out, s, a, b)
				for e, v := range s.All() {
					want := c.alpha * dots[e.K]
					if !c.pattern {
						want *= v
					}
					if c.alpha == 0 {
						want = 0
					}
					if want += c.beta * old[e.K]; !alike(out[e.K], want) {
						t.Fatalf("%s, f=%d, %+v: entry %d (%d, %d) is %v, want %v", name, f, c, e.K, e.I, e.J, out[e.K], want)
					}
				}
			}
		}
	}
}

func dot[T dtype.Float](a, b layout.Matrix[T], e sparse.Entry) (sum T) {
	for f := range a.Cols {
		sum += a.At(e.I, f) * b.At(e.J, f)
	}
	return sum
}

// poison fills the rows of a and b that no entry of s is in with NaN.
func poison[T dtype.Float](s sparse.Matrix[T], a, b layout.Matrix[T]) {
	rows, cols := make([]bool, s.Rows()), make([]bool, s.Cols())
	for e := range s.All() {
		rows[e.I], cols[e.J] = true, true
	}
	for _, x := range []struct {
		used []bool
		m    layout.Matrix[T]
	}{{rows, a}, {cols, b}} {
		for i, used := range x.used {
			for f := range x.m.Cols {
				if !used {
					x.m.Set(i, f, T(math.NaN()))
				}
			}
		}
	}
}

// guarded returns a row-major matrix that ends at an inaccessible page.
func guarded[T dtype.Float](t *testing.T, m, n int) layout.Matrix[T] {
	t.Helper()
	g, err := guard.New[T](max(m*n, 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Check(); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return layout.RowMajor(g.Right(m*n), m, n)
}

// Operands of any strides give the same bits as contiguous ones, and rounding stays
// within (f+2) units of the sum of magnitudes.
func TestSDDMMRounding(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	s := randomEntries[float32](rng, 120, 90, .2)
	eachISA(t, func(t *testing.T, isa string) {
		for _, f := range []int{3, 40, 300} {
			a, b := normalDense[float32](rng, 120, f), normalDense[float32](rng, 90, f)
			out, turned := make([]float32, s.NNZ()), make([]float32, s.NNZ())
			SDDMMInto(SDDMMOptions{Options: Options{ISA: isa}}, out, s, a, b)
			SDDMMInto(SDDMMOptions{Options: Options{ISA: isa}}, turned, s, columnMajor(a), columnMajor(b))
			for e, v := range s.All() {
				sum, size := 0.0, 0.0
				for k := range f {
					p := float64(v) * float64(a.At(e.I, k)) * float64(b.At(e.J, k))
					sum, size = sum+p, size+math.Abs(p)
				}
				if d := math.Abs(float64(out[e.K]) - sum); d > float64(f+2)*0x1p-24*size {
					t.Fatalf("f=%d: entry (%d, %d) is %v, want %v", f, e.I, e.J, out[e.K], sum)
				}
				if turned[e.K] != out[e.K] && isa != "go" { // where the stride decides which loop runs
					t.Fatalf("f=%d: entry (%d, %d) is %v by columns, %v by rows", f, e.I, e.J, turned[e.K], out[e.K])
				}
			}
		}
	})
}

func columnMajor[T dtype.Float](m layout.Matrix[T]) layout.Matrix[T] {
	c := layout.ColMajor(make([]T, m.Rows*m.Cols), m.Rows, m.Cols)
	for i := range m.Rows {
		for j := range m.Cols {
			c.Set(i, j, m.At(i, j))
		}
	}
	return c
}

// NaN and Inf spread as the plain loop says.
func TestSDDMMNonFinite(t *testing.T) {
	s, err := sparse.FromCOO(2, 3, []int{0, 0, 1, 1}, []int{0, 2, 1, 2}, []float64{0, 1, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	a := layout.RowMajor([]float64{1, inf, 2, 0}, 2, 2)
	b := layout.RowMajor([]float64{1, 1, 1, inf, 1, -1}, 3, 2)
	want := []float64{math.NaN(), -inf, math.NaN(), 4} // 0*Inf, 1-Inf, 2+0*Inf, 2*2
	eachISA(t, func(t *testing.T, isa string) {
		got := make([]float64, 4)
		SDDMMInto(SDDMMOptions{Options: Options{ISA: isa}}, got, s, a, b)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestSDDMMThreads(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	s := randomEntries[float64](rng, 300, 3000, .03)
	a, b := normalDense[float64](rng, 300, 70), normalDense[float64](rng, 3000, 70)
	sameForThreads(t, func(opt Options) []float64 {
		out := make([]float64, s.NNZ())
		SDDMMInto(SDDMMOptions{Options: opt}, out, s, a, b)
		return out
	})
}

func TestSDDMMRefuses(t *testing.T) {
	s := randomEntries[float64](rand.New(level.PCG(1, 1)), 6, 5, 1)
	a, b := layout.New[float64](6, 8), layout.New[float64](5, 8)
	into := func(out []float64, a, b layout.Matrix[float64]) func() {
		return func() { SDDMMInto(SDDMMOptions{}, out, s, a, b) }
	}
	refuses(t, "cpu.SDDMMInto", "s is 6 x 5, a is 6 x 8, b is 6 x 8; want m x n, m x f, n x f", into(make([]float64, 30), a, a))
	refuses(t, "cpu.SDDMMInto", "out has 29 values, s has 30 entries; want as many", into(make([]float64, 29), a, b))
	refuses(t, "cpu.SDDMMInto", "out shares memory with an operand; copy the operand first", into(a.Data[:30], a, b))
	refuses(t, "cpu.SDDMMInto", "b: 39 elements do not hold 5 x 8 with strides (8, 1); want at least 40", into(make([]float64, 30), a, layout.Matrix[float64]{Data: b.Data[:39], Rows: 5, Cols: 8, RowStride: 8, ColStride: 1}))
}

func ExampleSDDMM() {
	// Two users' ratings, three products, vectors of taste: how much does each user
	// like what they have rated?
	s, err := sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 1}, []float32{1, 1, 1})
	if err != nil {
		panic(err)
	}
	users := layout.RowMajor([]float32{1, 2, 3, 4}, 2, 2)
	products := layout.RowMajor([]float32{1, 0, 0, 1, 1, 1}, 3, 2)
	for e, v := range SDDMM(s, users, products).All() {
		fmt.Println(e.I, e.J, v)
	}
	// Output:
	// 0 0 1
	// 0 2 3
	// 1 1 4
}
