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
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// stencil returns Poisson's five points on n x n, and drift on one side of them, which
// makes it unsymmetric.
func stencil[T dtype.Float](t testing.TB, n int, drift T) sparse.Matrix[T] {
	t.Helper()
	b := sparse.NewBuilder[T](n*n, n*n)
	for i := range n * n {
		b.Add(i, i, 4)
		if i%n > 0 {
			b.Add(i, i-1, -1-drift)
			b.Add(i-1, i, -1+drift)
		}
		if i >= n {
			b.Add(i, i-n, -1-drift)
			b.Add(i-n, i, -1+drift)
		}
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// dominant returns a random matrix whose diagonal outweighs its rows: symmetric, or not.
func dominant(t testing.TB, r *rand.Rand, n, each int, symmetric bool) sparse.Matrix[float64] {
	t.Helper()
	b, weight := sparse.NewBuilder[float64](n, n), make([]float64, n)
	for range n * each / 2 {
		i, j, v := r.IntN(n), r.IntN(n), r.NormFloat64()
		if i == j {
			continue
		}
		b.Add(i, j, v)
		weight[i] += math.Abs(v)
		if !symmetric {
			v = r.NormFloat64()
		}
		b.Add(j, i, v)
		weight[j] += math.Abs(v)
	}
	for i, w := range weight {
		b.Add(i, i, w+.1+r.Float64())
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type solver[T dtype.Float] struct {
	name      string
	symmetric bool // needs it
	run       func(x []T, a Operator[T], b []T, opt Options[T]) (Result, error)
}

func solvers[T dtype.Float]() []solver[T] {
	return []solver[T]{{"CG", true, CG[T]}, {"BiCGSTAB", false, BiCGSTAB[T]}, {"GMRES", false, GMRES[T]}}
}

// preconditioners returns all that a matrix takes.
func preconditioners[T dtype.Float](t testing.TB, a sparse.Matrix[T], symmetric bool) map[string]Operator[T] {
	t.Helper()
	list := map[string]Operator[T]{"none": nil}
	add := func(name string, m Operator[T], err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		list[name] = m
	}
	m, err := Jacobi(a)
	add("jacobi", m, err)
	if symmetric {
		m, err := IC0(a, 0)
		add("ic0", m, err)
	}
	f, err := ILU0(a)
	add("ilu0", f, err)
	return list
}

// leftOver is |b - a*x| and |b|, in float64 by the rows.
func leftOver[T dtype.Float](a sparse.Matrix[T], x, b []T) (residual, size float64) {
	for i := range b {
		s := float64(b[i])
		for j, v := range a.Row(i) {
			s -= float64(v) * float64(x[j])
		}
		residual, size = residual+s*s, size+float64(b[i])*float64(b[i])
	}
	return math.Sqrt(residual), math.Sqrt(size)
}

// TestSolvers: every solver with every preconditioner finds what it says it found.
func TestSolvers(t *testing.T) {
	r := rand.New(level.PCG(7, 8))
	for _, c := range []struct {
		name      string
		a         sparse.Matrix[float64]
		symmetric bool
	}{
		{"poisson", stencil(t, 25, 0.0), true},
		{"drift", stencil(t, 25, 0.6), false},
		{"random", dominant(t, r, 500, 8, true), true},
		{"random unsymmetric", dominant(t, r, 500, 8, false), false},
		{"one", dominant(t, r, 1, 0, true), true},
		{"none", sparse.Matrix[float64]{}, true},
	} {
		n := c.a.Rows()
		b := make([]float64, n)
		for i := range b {
			b[i] = r.NormFloat64()
		}
		steps := map[string]int{}
		for _, s := range solvers[float64]() {
			if s.symmetric && !c.symmetric {
				continue
			}
			for name, m := range preconditioners(t, c.a, c.symmetric) {
				x := make([]float64, n)
				result, err := s.run(x, Sparse[float64](run.Options{}, c.a), b, Options[float64]{Relative: 1e-9, Precondition: m})
				if err != nil || !result.Converged {
					t.Errorf("%s, %s, %s: %+v, %v", c.name, s.name, name, result, err)
					continue
				}
				residual, size := leftOver(c.a, x, b)
				if !(residual <= 1.001e-9*size) || math.Abs(residual-result.Residual) > 1e-13*size {
					t.Errorf("%s, %s, %s: a residual of %g of %g, it says %g", c.name, s.name, name, residual, size, result.Residual)
				}
				steps[s.name+" "+name] = result.Steps
			}
		}
		if c.name == "poisson" {
			for _, worse := range []string{"CG none", "GMRES none", "BiCGSTAB none"} {
				if better := strings.Replace(worse, "none", "ilu0", 1); 2*steps[better] >= 3*steps[worse]/2 {
					t.Errorf("%d steps of %s, %d of %s: the preconditioner does not help", steps[worse], worse, steps[better], better)
				}
			}
		}
	}
}

// TestSolvers32 solves in float32.
func TestSolvers32(t *testing.T) {
	a := stencil(t, 20, float32(0))
	b := make([]float32, a.Rows())
	for i := range b {
		b[i] = float32(i%7) - 2
	}
	for _, s := range solvers[float32]() {
		for name, m := range preconditioners(t, a, true) {
			x := make([]float32, len(b))
			result, err := s.run(x, Sparse[float32](run.Options{}, a), b, Options[float32]{Precondition: m})
			residual, size := leftOver(a, x, b)
			if err != nil || residual > 0x1p-11*size {
				t.Errorf("%s, %s: %+v, %v, a residual of %g of %g", s.name, name, result, err, residual, size)
			}
		}
	}
}

// TestOperators: what an operator is made of does not matter.
func TestOperators(t *testing.T) {
	r := rand.New(level.PCG(9, 10))
	a := dominant(t, r, 80, 6, true)
	dense := layout.New[float64](80, 80)
	for e, v := range a.All() {
		dense.Set(e.I, e.J, v)
	}
	packed, err := format.Pack(a, format.ELL(40))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := rule.Decompose(a, rule.Hyb(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, 80)
	b[3] = 1
	want := make([]float64, 80)
	if _, err := CG(want, Sparse[float64](run.Options{}, a), b, Options[float64]{Relative: 1e-12}); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Operator[float64]{
		"packed": Sparse[float64](run.Options{}, packed), "sum": Sparse[float64](run.Options{}, sum), "dense": Dense(run.Options{}, dense),
		"func": Func(80, 80, func(dst, src []float64) {
			for i := range dst {
				dst[i] = 0
				for j, v := range a.Row(i) {
					dst[i] += v * src[j]
				}
			}
		}),
	} {
		x := make([]float64, 80)
		if _, err := CG(x, o, b, Options[float64]{Relative: 1e-12}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range x {
			if math.Abs(x[i]-want[i]) > 1e-10 {
				t.Fatalf("%s: x[%d] is %g, want %g", name, i, x[i], want[i])
			}
		}
	}
}

// TestSolversSame: threads do not change a bit, nor does what was in x before matter but
// as a guess, and a right guess takes no step.
func TestSolversSame(t *testing.T) {
	a := stencil(t, 300, 0.0)
	b := make([]float64, a.Rows())
	for i := range b {
		b[i] = math.Sin(float64(i))
	}
	m, err := IC0(a, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range solvers[float64]() {
		opt := Options[float64]{Relative: 1e-12, Steps: 12, Precondition: m, Threads: 1}
		one, many := make([]float64, len(b)), make([]float64, len(b))
		r1, e1 := s.run(one, Sparse[float64](run.Options{Threads: 1}, a), b, opt)
		opt.Threads = 4
		r4, e4 := s.run(many, Sparse[float64](run.Options{Threads: 4}, a), b, opt)
		if r1 != r4 || !errors.Is(e1, ErrSteps) || !errors.Is(e4, ErrSteps) || r1.Steps != 12 || r1.Converged {
			t.Errorf("%s: %+v, %v and %+v, %v", s.name, r1, e1, r4, e4)
		}
		for i := range one {
			if one[i] != many[i] {
				t.Fatalf("%s: x[%d] is %g on one goroutine and %g on four", s.name, i, one[i], many[i])
			}
		}
		opt.Relative, opt.Steps = 0.99, 0
		if r, err := s.run(one, Sparse[float64](run.Options{}, a), b, opt); err != nil || r.Steps > 1 {
			t.Errorf("%s: %+v, %v from a good guess", s.name, r, err)
		}
	}
}

// TestSolverAllocations: a step allocates nothing.
func TestSolverAllocations(t *testing.T) {
	a := stencil(t, 30, 0.0)
	b, x := make([]float64, a.Rows()), make([]float64, a.Rows())
	for i := range b {
		b[i] = math.Cos(float64(i * i))
	}
	for _, s := range solvers[float64]() {
		for name, m := range preconditioners(t, a, true) {
			count := func(steps int) float64 {
				o := Sparse[float64](run.Options{}, a)
				return testing.AllocsPerRun(5, func() {
					clear(x)
					_, _ = s.run(x, o, b, Options[float64]{Relative: 1e-300, Steps: steps, Precondition: m, Restart: 8})
				})
			}
			if few, many := count(8), count(24); many-few > 2 { // the text of an error may be longer
				t.Errorf("%s, %s: %g allocations in 8 steps, %g in 24", s.name, name, few, many)
			}
		}
	}
}

// TestSolversHostile: what cannot be solved ends with an error of its kind, not with a
// wrong answer that claims to be right.
func TestSolversHostile(t *testing.T) {
	build := func(n int, entries ...float64) sparse.Matrix[float64] {
		b := sparse.NewBuilder[float64](n, n)
		for k := 0; k+2 < len(entries); k += 3 {
			b.Add(int(entries[k]), int(entries[k+1]), entries[k+2])
		}
		m, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		a    sparse.Matrix[float64]
		b    []float64
	}{
		{"NaN in a", build(2, 0, 0, nan, 1, 1, 1), []float64{1, 1}},
		{"Inf in a", build(2, 0, 0, inf, 1, 1, 1), []float64{1, 1}},
		{"NaN in b", build(2, 0, 0, 1, 1, 1, 1), []float64{nan, 1}},
		{"Inf in b", build(2, 0, 0, 1, 1, 1, 1), []float64{inf, 1}},
		{"a row of 0", build(2, 0, 0, 1), []float64{1, 1}},
		{"nothing", build(3), []float64{1, 1, 1}},
		{"singular", build(2, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1), []float64{1, -1}},
		{"overflow", build(2, 0, 0, 1e300, 1, 1, 1e300), []float64{1e300, 1e300}},
	} {
		for _, s := range solvers[float64]() {
			x := make([]float64, len(c.b))
			result, err := s.run(x, Sparse[float64](run.Options{}, c.a), c.b, Options[float64]{})
			if err == nil && c.name == "overflow" {
				continue // whoever gets there is right
			}
			var e *Error
			if !errors.As(err, &e) || result.Converged || !strings.Contains(err.Error(), "solve."+s.name) {
				t.Errorf("%s, %s: %+v, %v", c.name, s.name, result, err)
			}
		}
	}
	// Indefinite: CG says so, the others solve it.
	a, b := build(2, 0, 0, 1, 1, 1, -1), []float64{1, 1}
	for _, s := range solvers[float64]() {
		_, err := s.run(make([]float64, 2), Sparse[float64](run.Options{}, a), b, Options[float64]{})
		switch {
		case s.symmetric && (!errors.Is(err, ErrBreakdown) || !strings.Contains(err.Error(), "not positive definite")):
			t.Errorf("%s of an indefinite matrix: %v", s.name, err)
		case s.name == "GMRES" && err != nil:
			t.Error(err)
		}
	}
	// 0 is solved for at once.
	for _, s := range solvers[float64]() {
		if r, err := s.run(make([]float64, 2), Sparse[float64](run.Options{}, a), make([]float64, 2), Options[float64]{}); err != nil || r.Steps != 0 || !r.Converged {
			t.Errorf("%s: %+v, %v for a b of 0", s.name, r, err)
		}
	}
}

// TestBreakdownRestarts: systems of small integers, in which a residual of BiCGSTAB, or the matrix times a direction, is
// exactly orthogonal to the first residual.
func TestBreakdownRestarts(t *testing.T) {
	for _, c := range []struct {
		what    string
		entries []float64
		b       []float64
	}{
		{"residual", []float64{1, 0, 2, 0, 1, 2, 1, 0, 0}, []float64{1, 0, 1}},
		{"direction", []float64{0, 2, 1, 1, 0, -1, 0, -1, -1}, []float64{1, 2, -1}},
	} {
		b := sparse.NewBuilder[float64](3, 3)
		for i, v := range c.entries {
			b.Add(i/3, i%3, v)
		}
		a, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 3)
		result, err := BiCGSTAB(x, Sparse[float64](run.Options{}, a), c.b, Options[float64]{Relative: 1e-9})
		if residual, size := leftOver(a, x, c.b); err != nil || result.Restarts == 0 || residual > 1.001e-9*size {
			t.Errorf("%s: %+v, %v, a residual of %g of %g", c.what, result, err, residual, size)
		}
	}
}

// TestPreconditionersRefuse names the row.
func TestPreconditionersRefuse(t *testing.T) {
	hole, _ := sparse.FromCOO(3, 3, []int{0, 1, 2, 2}, []int{0, 2, 1, 2}, []float64{1, 1, 1, 1})
	zero, _ := sparse.FromCOO(2, 2, []int{0, 0, 1, 1}, []int{0, 1, 0, 1}, []float64{1, 1, 1, 1})
	wide, _ := sparse.FromCOO[float64, int](2, 3, nil, nil, nil)
	indefinite, _ := sparse.FromCOO(2, 2, []int{0, 1}, []int{0, 1}, []float64{1, -1})
	try := func(what string, err error, kind error, text string) {
		if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%s: %v, want %v with %q", what, err, kind, text)
		}
	}
	_, err := Jacobi(hole)
	try("jacobi", err, ErrSingular, "row 1")
	_, err = Jacobi(wide)
	try("jacobi", err, sparse.ErrShape, "2 x 3")
	_, err = ILU0(hole)
	try("ilu0", err, ErrSingular, "row 1")
	_, err = ILU0(zero)
	try("ilu0", err, ErrSingular, "row 1 is 0")
	_, err = ILU0(wide)
	try("ilu0", err, sparse.ErrShape, "2 x 3")
	_, err = IC0(indefinite, 0)
	try("ic0", err, ErrBreakdown, "row 1")
	_, err = IC0(wide, 0)
	try("ic0", err, sparse.ErrShape, "2 x 3")
}

// TestExactFactors: where nothing is left out, factors solve exactly: of a tridiagonal matrix,
// and of a dense one.
func TestExactFactors(t *testing.T) {
	r := rand.New(level.PCG(11, 12))
	for _, reach := range []int{1, 40} {
		b := sparse.NewBuilder[float64](40, 40)
		for i := range 40 {
			b.Add(i, i, 60)
			for j := max(0, i-reach); j < i; j++ {
				v := r.Float64()
				b.Add(i, j, v)
				b.Add(j, i, v)
			}
		}
		a, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		ic, err := IC0(a, 0)
		if err != nil {
			t.Fatal(err)
		}
		ilu, err := ILU0(a)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 40)
		for i := range want {
			want[i] = r.NormFloat64()
		}
		for name, f := range map[string]*Factors[float64]{"ic0": ic, "ilu0": ilu} {
			x := make([]float64, 40)
			f.Apply(x, want)
			if residual, size := leftOver(a, x, want); residual > 1e-13*size {
				t.Errorf("%s, reach %d: a residual of %g", name, reach, residual/size)
			}
		}
	}
}

// TestSolverRefuses: arguments that fit nothing.
func TestSolverRefuses(t *testing.T) {
	a := Sparse[float64](run.Options{}, stencil(t, 2, 0.0))
	memory := make([]float64, 9)
	for name, f := range map[string]func(){
		"nil":       func() { _, _ = CG(memory[:4], nil, make([]float64, 4), Options[float64]{}) },
		"short":     func() { _, _ = CG(memory[:3], a, make([]float64, 4), Options[float64]{}) },
		"shared":    func() { _, _ = GMRES(memory[:4], a, memory[3:7], Options[float64]{}) },
		"tolerance": func() { _, _ = CG(memory[:4], a, make([]float64, 4), Options[float64]{Relative: math.NaN()}) },
		"steps":     func() { _, _ = CG(memory[:4], a, make([]float64, 4), Options[float64]{Steps: -1}) },
		"restart":   func() { _, _ = GMRES(memory[:4], a, make([]float64, 4), Options[float64]{Restart: -1}) },
		"threads":   func() { _, _ = CG(memory[:4], a, make([]float64, 4), Options[float64]{Threads: -1}) },
		"size": func() {
			_, _ = BiCGSTAB(memory[:4], a, make([]float64, 4), Options[float64]{Precondition: Func(3, 3, func(dst, src []float64) {})})
		},
		"func":    func() { Func[float64](-1, 2, nil) },
		"scaling": func() { Sparse[float64](run.Options{Scaling: run.Scale(2, 0)}, stencil(t, 2, 0.0)) },
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

// TestWatch sees each step and can end it.
func TestWatch(t *testing.T) {
	a := stencil(t, 20, 0.0)
	b := make([]float64, a.Rows())
	b[17] = 1
	for _, s := range solvers[float64]() {
		x, seen, last := make([]float64, len(b)), 0, 0.0
		result, err := s.run(x, Sparse[float64](run.Options{}, a), b, Options[float64]{Relative: 1e-12, Watch: func(step int, residual float64) bool {
			if seen++; step != seen {
				t.Errorf("%s: step %d after %d", s.name, step, seen-1)
			}
			last = residual
			return step < 7
		}})
		if !errors.Is(err, ErrStopped) || seen != 7 || result.Steps != 7 || math.Abs(result.Residual-last) > 1e-10 {
			t.Errorf("%s: %d steps seen, %+v, %v; the last residual was %g", s.name, seen, result, err, last)
		}
	}
}

// TestFarFromOne: solvers solve where squares are too small or too large for a float64. Where b is
// subnormal they do, or fail; they do not say that x is a solution because a sum of squares is 0.
func TestFarFromOne(t *testing.T) {
	for _, c := range []struct {
		name string
		a    sparse.Matrix[float64]
		b, x []float64
	}{
		{"diagonal", mustCOO(t, 2, []int{0, 1}, []int{0, 1}, []float64{2, 4}), []float64{1, 1}, []float64{.5, .25}},
		{"tridiagonal", mustCOO(t, 3, []int{0, 0, 1, 1, 1, 2, 2}, []int{0, 1, 0, 1, 2, 1, 2}, []float64{2, -1, -1, 2, -1, -1, 2}),
			[]float64{1, 2, 3}, []float64{2.5, 4, 3.5}},
	} {
		jacobi, err := Jacobi(c.a)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Operator[float64]{nil, jacobi} {
			for _, scale := range []float64{5e-324, 1e-320, 1e-300, 1e-200, 1e-170, 1e-150, 1, 1e150, 1e170, 1e200, 1e300} {
				for _, s := range solvers[float64]() {
					b, x := make([]float64, len(c.b)), make([]float64, len(c.b))
					for i, v := range c.b {
						b[i] = v * scale
						if m != nil { // a first guess that is far off, and too small or too large itself
							x[i] = 100 * scale
						}
					}
					seen := math.Inf(1)
					watch := func(_ int, residual float64) bool { seen = residual; return true }
					r, err := s.run(x, Sparse[float64](run.Options{}, c.a), b, Options[float64]{Precondition: m, Relative: 1e-12, Watch: watch})
					wrong := 0.0
					for i, v := range c.x {
						wrong = max(wrong, math.Abs(x[i]/scale-v))
					}
					if subnormal := scale < 1e-307; err == nil != r.Converged || !subnormal && (err != nil || wrong > 1e-10 || seen > 1e-11*scale) {
						t.Errorf("%s of a %s matrix, b times %g, preconditioned %t: x is %g times that, off by %g; %+v, %v", s.name, c.name, scale, m != nil, x, wrong, r, err)
					}
				}
			}
		}
	}
}

func mustCOO(t *testing.T, n int, rows, cols []int, values []float64) sparse.Matrix[float64] {
	t.Helper()
	m, err := sparse.FromCOO(n, n, rows, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
