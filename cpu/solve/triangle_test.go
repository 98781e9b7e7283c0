package solve

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// randomTriangle returns a random n x n lower triangle, or an upper one. Of row i, want(i)
// entries are off the diagonal, drawn from the last reach columns.
func randomTriangle[T dtype.Float](t testing.TB, r *rand.Rand, n, reach int, upper bool, want func(i int) int, value func() T) sparse.Matrix[T] {
	t.Helper()
	b := sparse.NewBuilder[T](n, n)
	for i := range n {
		put := func(i, j int, v T) {
			if upper {
				i, j = n-1-i, n-1-j
			}
			b.Add(i, j, v)
		}
		seen := map[int]bool{}
		for range min(want(i), min(i, reach)) {
			if j := i - 1 - r.IntN(min(i, reach)); !seen[j] {
				seen[j] = true
				put(i, j, value())
			}
		}
		d := value()
		put(i, i, d)
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shapes of triangles: how long the chain of rows is, and how long rows are.
var triangles = []struct {
	name     string
	n, reach int
	want     func(i int) int
}{
	{"empty", 0, 1, func(int) int { return 0 }},
	{"one", 1, 1, func(int) int { return 0 }},
	{"diagonal", 37, 1, func(int) int { return 0 }},
	{"chain", 300, 1, func(int) int { return 1 }},
	{"band", 500, 9, func(int) int { return 4 }},
	{"wide", 700, 700, func(i int) int { return i % 3 }},
	{"dense", 60, 60, func(i int) int { return 4 * i }},
	{"arrow", 400, 400, func(i int) int { return 600 * (i / 399) }},
	{"mixed", 900, 300, func(i int) int { return (i * i) % 17 }},
}

// TestTriangle holds what is left over in every row to the rounding of its terms, for all
// kinds, ISAs and numbers of columns.
func TestTriangle(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testTriangle[float64](t, 0x1p-52) })
	t.Run("f32", func(t *testing.T) { testTriangle[float32](t, 0x1p-23) })
}

func testTriangle[T dtype.Float](t *testing.T, eps float64) {
	r := rand.New(level.PCG(1, 2))
	for _, shape := range triangles {
		for kind := range Kind(8) {
			if testing.Short() && (int(kind)+shape.n)%3 > 0 {
				continue
			}
			m := randomTriangle(t, r, shape.n, shape.reach, kind&Upper != 0, shape.want, func() T { return T(r.Float64() - 0.5) })
			// Off the diagonal little, so that x does not grow without bound.
			m = weaken(t, m)
			for _, isa := range isas() {
				tri, err := NewTriangleOpt(run.Options{ISA: isa}, m, kind)
				if err != nil {
					t.Fatal(err)
				}
				for i, cols := range []int{1, 2, 8, 17, 80} {
					if every := level.Of(5, 3, 1); i > 0 && (i+int(kind)+len(isa))%every != 0 {
						continue // with other kinds
					}
					b := layout.New[T](shape.n, cols)
					for i := range b.Data {
						b.Data[i] = T(r.Float64() - 0.5)
					}
					x := layout.New[T](shape.n, cols)
					tri.Solve(run.Options{}, x, b)
					if err := residual(m, kind, x, b, eps); err != nil {
						t.Errorf("%s, kind %d, %s, %d columns: %v", shape.name, kind, isa, cols, err)
					}
				}
			}
		}
	}
}

// TestTriangleSorted: a large triangle whose rows are of lengths that cannot be foreseen, which one goroutine solves by levels, has
// the bits that several find, also in place and at a stride, and little is left over.
func TestTriangleSorted(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	const n = 1<<15 + 5
	for kind := range Kind(8) {
		if kind%level.Of[Kind](7, 3, 1) != 0 {
			continue
		}
		m := weaken(t, randomTriangle(t, r, n, 4*n, kind&Upper != 0, func(int) int { return r.IntN(7) }, func() float64 { return r.Float64() - 0.5 }))
		tri, err := NewTriangle(m, kind)
		if err != nil {
			t.Fatal(err)
		}
		b, x, several := layout.New[float64](n, 1), layout.New[float64](n, 1), layout.New[float64](n, 1)
		for i := range b.Data {
			b.Data[i] = r.Float64() - 0.5
		}
		apart := layout.New[float64](n, 3)
		apart.Cols = 1
		tri.Solve(run.Options{Threads: 1}, x, b)
		tri.Solve(run.Options{Threads: 2}, several, b)
		tri.Solve(run.Options{Threads: 1}, apart, b)
		if err := residual(m, kind, x, b, 0x1p-52); err != nil {
			t.Errorf("kind %d: %v", kind, err)
		}
		tri.Solve(run.Options{Threads: 1}, b, b)
		for i, v := range x.Data {
			if several.Data[i] != v || apart.At(i, 0) != v || b.Data[i] != v {
				t.Fatalf("kind %d, row %d: %v by itself, %v by several goroutines, %v at a stride, %v in place", kind, i, v, several.Data[i], apart.At(i, 0), b.Data[i])
			}
		}
	}
}

// weaken divides what is off the diagonal by the length of its row and moves the
// diagonal away from 0.
func weaken[T dtype.Float](t testing.TB, m sparse.Matrix[T]) sparse.Matrix[T] {
	values := make([]T, m.NNZ())
	for e, v := range m.All() {
		if values[e.K] = v / T(m.RowNNZ(e.I)); e.I == e.J {
			values[e.K] = v + T(math.Copysign(0.5, float64(v)))
		}
	}
	m, err := m.WithValues(values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// residual checks |b - t*x| <= (length of the row + 4)*eps*(|t||x| + |b|) by elements,
// in float64.
func residual[T dtype.Float](m sparse.Matrix[T], kind Kind, x, b layout.Matrix[T], eps float64) error {
	if kind&Transposed != 0 {
		m = m.Transpose()
	}
	for i := range b.Rows {
		for j := range b.Cols {
			rest, size := float64(b.At(i, j)), math.Abs(float64(b.At(i, j)))
			take := func(k int, v float64) {
				y := v * float64(x.At(k, j))
				rest, size = rest-y, size+math.Abs(y)
			}
			for k, v := range m.Row(i) {
				if k != i || kind&Unit == 0 {
					take(k, float64(v))
				}
			}
			if kind&Unit != 0 {
				take(i, 1)
			}
			if bound := float64(m.RowNNZ(i)+4) * eps * size; !(math.Abs(rest) <= bound) {
				return fmt.Errorf("row %d, column %d: a residual of %g, allowed %g", i, j, rest, bound)
			}
		}
	}
	return nil
}

// TestTriangleStrides: strides, an x that is b, and threads do not change a bit.
func TestTriangleStrides(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	for _, shape := range triangles {
		m := weaken(t, randomTriangle(t, r, shape.n, shape.reach, false, shape.want, func() float64 { return r.Float64() - 0.5 }))
		tri, err := NewTriangle(m, Lower)
		if err != nil {
			t.Fatal(err)
		}
		for _, cols := range []int{1, 3, 16} {
			b := layout.New[float64](shape.n, cols)
			for i := range b.Data {
				b.Data[i] = r.Float64()
			}
			want := layout.New[float64](shape.n, cols)
			tri.Solve(run.Options{Threads: 1}, want, b)
			for name, x := range map[string]layout.Matrix[float64]{
				"columns": layout.New[float64](cols, shape.n).T(),
				"gaps":    {Data: make([]float64, 3*shape.n*cols+9), Rows: shape.n, Cols: cols, RowStride: 3 * cols, ColStride: 2},
				"rows":    layout.New[float64](shape.n, cols),
			} {
				for i := range shape.n {
					for j := range cols {
						x.Set(i, j, b.At(i, j))
					}
				}
				tri.Solve(run.Options{Threads: 4}, x, x) // in place
				for i := range shape.n {
					for j := range cols {
						if x.At(i, j) != want.At(i, j) {
							t.Fatalf("%s, %d columns, %s: x[%d][%d] is %g, want %g", shape.name, cols, name, i, j, x.At(i, j), want.At(i, j))
						}
					}
				}
			}
		}
	}
}

// TestTriangleThreads: a triangle wide enough to be shared has the same bits for any
// number of goroutines.
func TestTriangleThreads(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	const n = 30000
	m := weaken(t, randomTriangle(t, r, n, n, false, func(i int) int { return min(i/100, 6) }, func() float64 { return r.Float64() - 0.5 }))
	tri, err := NewTriangle(m, Lower)
	if err != nil {
		t.Fatal(err)
	}
	for _, cols := range []int{1, 8, 70} {
		b, want, x := layout.New[float64](n, cols), layout.New[float64](n, cols), layout.New[float64](n, cols)
		for i := range b.Data {
			b.Data[i] = r.Float64()
		}
		tri.Solve(run.Options{Threads: 1}, want, b)
		for _, threads := range []int{2, 5} {
			clear(x.Data)
			tri.Solve(run.Options{Threads: threads}, x, b)
			for i := range x.Data {
				if x.Data[i] != want.Data[i] {
					t.Fatalf("%d columns, %d threads: element %d is %g, want %g", cols, threads, i, x.Data[i], want.Data[i])
				}
			}
		}
	}
}

// TestTriangleDivides: a diagonal without an ordinary inverse is divided by.
func TestTriangleDivides(t *testing.T) {
	for _, d := range []float64{0x1p-1040, 0x1p1023, math.MaxFloat64} {
		m, _ := sparse.FromCOO(2, 2, []int{0, 1, 1}, []int{0, 0, 1}, []float64{1, 1, d})
		for _, cols := range []int{1, 8} {
			tri, err := NewTriangle(m, Lower)
			if err != nil {
				t.Fatal(err)
			}
			x, b := layout.New[float64](2, cols), layout.New[float64](2, cols)
			for j := range cols {
				b.Set(1, j, 3*d)
				if math.IsInf(3*d, 0) {
					b.Set(1, j, d)
				}
			}
			tri.Solve(run.Options{}, x, b)
			if have, want := x.At(1, cols-1), b.At(1, 0)/d; have != want {
				t.Errorf("diagonal %g, %d columns: %g, want %g", d, cols, have, want)
			}
		}
	}
}

// TestTriangleRefused: what is wrong is an error or a panic that says where.
func TestTriangleRefused(t *testing.T) {
	matrix := func(rows, cols int, i, j []int, v []float64) sparse.Matrix[float64] {
		m, err := sparse.FromCOO(rows, cols, i, j, v)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		m    sparse.Matrix[float64]
		kind Kind
		want error
		text string
	}{
		{matrix(2, 3, nil, nil, nil), Lower, ErrNotTriangle, "2 x 3"},
		{matrix(3, 3, []int{0, 1, 1, 2}, []int{0, 2, 1, 2}, []float64{1, 1, 1, 1}), Lower, ErrNotTriangle, "row 1 has an entry in column 2, above"},
		{matrix(3, 3, []int{0, 1, 1, 2}, []int{0, 0, 1, 2}, []float64{1, 1, 1, 1}), Upper, ErrNotTriangle, "row 1 has an entry in column 0, below"},
		{matrix(3, 3, []int{0, 1, 2}, []int{0, 1, 2}, []float64{1, 0, 1}), Lower, ErrSingular, "row 1 is 0"},
		{matrix(3, 3, []int{0, 1, 2}, []int{0, 1, 1}, []float64{1, 1, 1}), Lower | Transposed, ErrSingular, "row 2 has no diagonal"},
		{matrix(2, 2, []int{0, 0, 1}, []int{0, 0, 1}, []float64{1, -1, 1}), Upper, ErrSingular, "row 0 is 0"}, // the sum of two
	} {
		if _, err := NewTriangle(c.m, c.kind); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, kind %d: %v, want %v with %q", c.m, c.kind, err, c.want, c.text)
		}
	}
	ok := matrix(3, 3, []int{0, 1, 2}, []int{0, 1, 2}, []float64{1, 2, 3})
	tri, err := NewTriangle(ok, Lower)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]float64, 20)
	for name, f := range map[string]func(){
		"short":   func() { tri.Apply(make([]float64, 2), make([]float64, 3)) },
		"shared":  func() { tri.Apply(memory[:3], memory[1:4]) },
		"columns": func() { tri.Solve(run.Options{}, layout.New[float64](3, 2), layout.New[float64](3, 1)) },
		"places": func() {
			tri.Solve(run.Options{}, layout.Matrix[float64]{Data: memory, Rows: 3, Cols: 2}, layout.New[float64](3, 2))
		},
		"outside": func() {
			tri.Solve(run.Options{}, layout.New[float64](3, 9), layout.Matrix[float64]{Data: memory, Rows: 3, Cols: 9, RowStride: 9, ColStride: 1})
		},
		"scaling": func() {
			tri.Solve(run.Options{Scaling: run.Scale(2, 0)}, layout.New[float64](3, 1), layout.New[float64](3, 1))
		},
		"threads": func() { tri.Solve(run.Options{Threads: -1}, layout.New[float64](3, 1), layout.New[float64](3, 1)) },
		"isa":     func() { tri.Solve(run.Options{ISA: "sse9"}, layout.New[float64](3, 1), layout.New[float64](3, 1)) },
		"kind":    func() { _, _ = NewTriangle(ok, 64) },
	} {
		func() {
			defer func() {
				switch e := recover().(type) {
				case layout.ShapeError, run.OptionError:
				default:
					t.Errorf("%s: panics with %v, want a ShapeError or an OptionError", name, e)
				}
			}()
			f()
		}()
	}
}

// isas returns what this machine has.
func isas() []string {
	list := []string{run.Portable}
	for _, isa := range []string{"avx2", "avx512"} {
		func() {
			defer func() { _ = recover() }()
			_, _ = NewTriangleOpt(run.Options{ISA: isa}, sparse.Matrix[float64]{}, Lower)
			list = append(list, isa)
		}()
	}
	return list
}
