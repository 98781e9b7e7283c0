package check

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// FixedCase is a kernel that was generated for some products only.
type FixedCase[T dtype.Float] struct {
	Name   string // of the subtest; may be empty
	Only   Shape  // the dimensions that are fixed; 0 is any
	MR, NR int    // the tile of its micro-kernel
	KC     int    // elements of a k-block

	// Gemm takes matrices with any strides.
	Gemm Gemm[T]
	// Arrays and Batch take dense row-major matrices, one product or n.Count of them.
	// They are nil if a dimension is not fixed.
	Arrays func(out, a, b []T)
	Batch  func(n Batch, out, a, b []T)
}

// Batch is how many products there are and how many elements lie between them.
type Batch struct{ Count, Out, A, B int }

// Fixed puts a kernel for a fixed shape through the checks of [Suite] that its shape
// leaves room for, and its direct calls through theirs.
func Fixed[T dtype.Float](t TB, c FixedCase[T]) {
	t.Helper()
	if c.Only == (Shape{}) || c.MR < 1 || c.NR < 1 || c.KC < 1 {
		t.Errorf("check: FixedCase fixes %v with MR=%d NR=%d KC=%d: something must be fixed, and the tile and the depth be positive", c.Only, c.MR, c.NR, c.KC)
		return
	}
	if c.Name != "" {
		group(t, "kernel="+c.Name, func(t TB) { fixed(t, c) })
		return
	}
	fixed(t, c)
}

func fixed[T dtype.Float](t TB, c FixedCase[T]) {
	scales := []float64{0, 1, -1, 2.5}
	r := &runner[T]{f: c.Gemm, o: Options{MR: c.MR, NR: c.NR, KC: c.KC, Alphas: scales, Betas: scales}}
	f := &fixedRunner[T]{c: c, r: r}
	defer r.close(t)
	for _, g := range []struct {
		name string
		run  func(TB)
	}{
		{"matrices", f.matrices}, {"refused", f.refused}, {"arrays", f.arrays}, {"batch", f.batch}, {"batcherror", f.batchErrors},
	} {
		if r.dead {
			t.Logf("the kernel panicked: the checks from %s on are left out", g.name)
			return
		}
		group(t, "check="+g.name, func(t TB) {
			r.failures, r.calls, r.mac = 0, 0, 0
			g.run(t)
			t.Logf("%d calls, %.1f million multiply-adds", r.calls, float64(r.mac)/1e6)
		})
	}
}

// only returns s with the fixed dimensions as they are.
func (s Shape) only(fixed Shape) Shape {
	pick := func(n, f int) int {
		if f > 0 {
			return f
		}
		return n
	}
	return Shape{pick(s.M, fixed.M), pick(s.N, fixed.N), pick(s.K, fixed.K)}
}

// onlyShapes fits shapes to what is fixed and drops repetitions.
func onlyShapes(shapes []Shape, fixed Shape) []Shape {
	var out []Shape
	seen := map[Shape]bool{}
	for _, s := range shapes {
		if s = s.only(fixed); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// fixedRunner checks one case.
type fixedRunner[T dtype.Float] struct {
	c FixedCase[T]
	r *runner[T]
}

// matrices runs the oracles over all layouts, alignments and scales.
func (f *fixedRunner[T]) matrices(t TB) {
	r := f.r
	shapes := onlyShapes(Shapes(f.c.MR, f.c.NR, f.c.KC, Long()), f.c.Only)
	c := combos{o: &r.o}
	budget := 40_000_000 / len(shapes) // multiply-adds
	if brief() {
		budget /= 4
	}
	for _, s := range some(shapes) {
		integers := r.integers(t, s, true)
		if integers == nil {
			return
		}
		denormals, err := newIntegers[T](s, r.o.Alphas, r.o.Betas, T(smallest[T]()), 15, true)
		if err != nil {
			t.Errorf("%v: %v", s, err)
			return
		}
		var ref *reference[T]
		for i := range min(max(budget/(s.MACs()+1000), 6), 2*len(Layouts)*len(Layouts)) {
			c := c.next()
			c.at = [...]position{middle, right, left}[i%3]
			whole := c.alpha == float64(int(c.alpha)) && c.beta == float64(int(c.beta))
			switch {
			case i%6 == 3 && s.MACs() > 0 && c.alpha != 0:
				p := special[T](s, i/6)
				r.try(t, p, c, func(have []T) error { return p.classes(have, c.alpha, c.beta) })
			case i%6 == 4 && whole: // half a unit would round
				r.try(t, &denormals.problem, c, func(have []T) error { return denormals.compare(have, c.alpha, c.beta) })
			case i%6 == 5:
				if ref == nil {
					ref = refer(random[T](s, fills[s.K%len(fills)], 7))
				}
				r.try(t, ref.problem, c, func(have []T) error {
					_, err := ref.compare(have, c.alpha, c.beta, f.c.KC)
					return err
				})
			default:
				r.try(t, &integers.problem, c, func(have []T) error { return integers.compare(have, c.alpha, c.beta) })
			}
			if r.done() {
				return
			}
		}
	}
}

// refused hands over shapes that the kernel was not generated for.
func (f *fixedRunner[T]) refused(t TB) {
	s := Shape{5, 6, 7}.only(f.c.Only)
	for _, d := range []Shape{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 1, 1}} {
		if d.M*f.c.Only.M == 0 && d.N*f.c.Only.N == 0 && d.K*f.c.Only.K == 0 {
			continue // a dimension that is not fixed
		}
		w := Shape{s.M + d.M, s.N + d.N, s.K + d.K}
		out := layout.New[T](w.M, w.N)
		paint(out.Data)
		f.r.calls++
		shapePanic(t, fmt.Sprintf("%v where %v is fixed", w, f.c.Only), func() { f.c.Gemm(1, layout.New[T](w.M, w.K), layout.New[T](w.K, w.N), 0, out) })
		if i := unpainted(out.Data); i >= 0 {
			t.Errorf("%v: out was written before the panic, at Data[%d]", w, i)
		}
	}
}

// shapePanic wants f to panic with a layout.ShapeError.
func shapePanic(t TB, what string, f func()) {
	var shape layout.ShapeError
	if e := panicOf(f); e == nil {
		t.Errorf("%s: no panic", what)
	} else if err, ok := e.(error); !ok || !errors.As(err, &shape) {
		t.Errorf("%s: panic with %T %v, want a layout.ShapeError", what, e, e)
	}
}

// BenchmarkFixed times the direct call of a kernel for one shape and reports GFLOP/s.
// The result is compared with a plain loop first: a wrong kernel has no speed.
func BenchmarkFixed[T dtype.Float](b *testing.B, isa string, s Shape, f func(out, x, y []T)) {
	b.Run(fmt.Sprintf("isa=%s/type=%v/m=%d/n=%d/k=%d", isa, dtype.Of[T](), s.M, s.N, s.K), func(b *testing.B) {
		p, err := newIntegers[T](s, []float64{1}, []float64{0}, 1, 0, true)
		if err != nil {
			b.Fatal(err)
		}
		out := make([]T, len(p.c))
		f(out, p.a, p.b)
		if err := p.compare(out, 1, 0); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			f(out, p.a, p.b)
		}
		b.ReportMetric(2*float64(s.MACs())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
