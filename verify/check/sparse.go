package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A SpMMFunc sets out = alpha*a*b + beta*out for a sparse a. With beta == 0 it never
// reads out. An error says that the kernel does not take such an a.
type SpMMFunc[T dtype.Float] func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error

// SparseOptions describe the kernel under test.
type SparseOptions struct {
	Widths []int // numbers of columns; by default some around the widths of vectors
	Long   int   // entries of the longest row tested; by default 3000
}

// SparseProduct puts f through the checks of a sparse product. Patterns are hard for some
// format, and operands end at inaccessible pages. Sums of small integers must be exact, alone
// and with factors, Inf and NaN included. Other sums must be within the error that their length
// allows. NaN and infinities must be where the plain loop has them and nowhere else.
func SparseProduct[T dtype.Float](t TB, f SpMMFunc[T], o SparseOptions) {
	t.Helper()
	if o.Widths == nil {
		o.Widths = []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 128, 200, 257}
	}
	if o.Long == 0 {
		o.Long = 3000
	}
	s := &sparseRunner[T]{f: f, o: o}
	defer s.close(t)
	for _, p := range sparsePatterns[T](o.Long) {
		group(t, "pattern="+p.name, func(t TB) {
			widths := o.Widths
			if p.a.NNZ() > 5000 {
				widths = []int{1, 16, 20, 128}
			}
			for _, n := range some(widths) {
				if !s.pattern(t, p, n) {
					return
				}
			}
		})
	}
}

// A sparsePattern is a matrix of small integers other than 0.
type sparsePattern[T dtype.Float] struct {
	name string
	a    sparse.Matrix[T]
}

func sparsePatterns[T dtype.Float](long int) []sparsePattern[T] {
	rng := rand.New(testenv.PCG(5, 6))
	var all []sparsePattern[T]
	add := func(name string, m, k int, keep func(i, j int) bool) {
		b := sparse.NewBuilder[T](m, k)
		for i := range m {
			for j := range k {
				if keep(i, j) {
					b.Add(i, j, T(1+rng.IntN(4))*T(1-2*rng.IntN(2)))
				}
			}
		}
		a, err := b.Matrix()
		if err != nil {
			panic(err) // a mistake in this file
		}
		all = append(all, sparsePattern[T]{name, a})
	}
	random := func(d float64) func(i, j int) bool { return func(_, _ int) bool { return rng.Float64() < d } }
	add("none", 7, 9, func(_, _ int) bool { return false })
	add("one", 1, 1, func(_, _ int) bool { return true })
	add("1xn", 1, 70, random(.4))
	add("nx1", 70, 1, random(.4))
	add("diagonal", 17, 17, func(i, j int) bool { return i == j })
	add("band", 40, 37, func(i, j int) bool { return i-j <= 2 && j-i <= 3 })
	add("denserow", 33, 41, func(i, j int) bool { return i == 20 || j == (i*7)%41 })
	add("densecolumn", 33, 41, func(i, j int) bool { return j == 40 || j == (i*7)%41 })
	add("emptyrows", 60, 31, func(i, j int) bool { return i%2 == 1 && (i+j)%5 == 0 })
	add("emptyends", 30, 12, func(i, j int) bool { return i > 9 && i < 20 && j%5 != 0 })
	add("triangle", 29, 29, func(i, j int) bool { return j <= i })
	add("dense", 13, 11, func(_, _ int) bool { return true })
	add("blocks", 25, 26, func(i, j int) bool { return (i/4+j/4)%3 == 0 && i*j%4 != 3 })
	add("powerlaw", 90, 64, func(i, j int) bool { return j < 64/(i+1) })
	add("random", 50, 45, random(.1))
	add("firstcolumnempty", 40, 30, func(i, j int) bool { return j > 0 && (i*j)%7 == 1 })
	// A third of all entries in one row, which is cut.
	add("longrow", 40, long, func(i, j int) bool { return i == 17 || (i*31+j)%20 == 0 && i%2 == 0 })
	add("longends", 3, long, func(i, _ int) bool { return i != 1 })
	return all
}

// sparseRunner checks one kernel.
type sparseRunner[T dtype.Float] struct {
	f        SpMMFunc[T]
	o        SparseOptions
	gb, gout Guard[T]
}

func (s *sparseRunner[T]) close(t TB) {
	for _, g := range []*Guard[T]{&s.gb, &s.gout} {
		if g.mem == nil {
			continue
		}
		if err := g.Close(); err != nil {
			t.Errorf("check: %v", err)
		}
	}
}

// pattern runs all checks of one matrix and width; it reports whether the rest is
// worth running.
func (s *sparseRunner[T]) pattern(t TB, p sparsePattern[T], n int) bool {
	t.Helper()
	rng := rand.New(testenv.PCG(uint64(n), uint64(p.a.NNZ())))
	m, k := p.a.Dims()
	b, c := make([]T, k*n), make([]T, m*n)
	for _, v := range [][]T{b, c} {
		for i := range v {
			v[i] = T(1+rng.IntN(4)) * T(1-2*rng.IntN(2))
		}
	}
	// The sum of a row without entries is 0, which an alpha that is not finite makes NaN.
	inf, nan := T(math.Inf(1)), T(math.NaN())
	for i, scale := range []struct{ alpha, beta T }{{1, 0}, {1, 1}, {-2, 0}, {3, -1}, {inf, 0}, {-inf, 2}, {nan, 0}} {
		at := []position{right, left, middle, right, left, right, middle}[i]
		l := Layouts[[]int{0, 2, 1, 5, 0, 1, 2}[i]]
		out := c
		if scale.beta == 0 {
			out = make([]T, m*n)
			for i := range out {
				out[i] = T(math.NaN())
			}
		}
		got, taken, err := s.call(p.a, n, b, out, scale.alpha, scale.beta, l, at)
		if err == nil && taken {
			err = compareSparse(got, sparseOracle(p.a, n, b, out, scale.alpha, scale.beta), nil, n)
		}
		if err != nil {
			t.Errorf("n=%d alpha=%v beta=%v layout=%s, small integers: %v", n, scale.alpha, scale.beta, l.Name, err)
			return false
		}
		if !taken {
			return false
		}
	}
	if err := s.rounded(rng, p.a, n); err != nil {
		t.Errorf("n=%d, random numbers: %v", n, err)
		return false
	}
	if err := s.nonfinite(rng, p.a, n, b); err != nil {
		t.Errorf("n=%d, NaN and Inf: %v", n, err)
		return false
	}
	return true
}

// call runs the kernel on copies between inaccessible pages.
func (s *sparseRunner[T]) call(a sparse.Matrix[T], n int, b, c []T, alpha, beta T, l Layout, at position) (got []T, taken bool, err error) {
	m, k := a.Dims()
	bm, err := s.gb.put(b, k, n, l, at, 5)
	if err != nil {
		return nil, false, err
	}
	out, err := s.gout.put(c, m, n, l, at, 3)
	if err != nil {
		return nil, false, err
	}
	if err := s.f(alpha, a, bm, beta, out); err != nil {
		return nil, false, nil
	}
	got = make([]T, m*n)
	if err := s.gb.take(make([]T, k*n), bm); err != nil {
		return nil, true, fmt.Errorf("b: %w", err)
	}
	if err := s.gout.take(got, out); err != nil {
		return nil, true, fmt.Errorf("out: %w", err)
	}
	return got, true, nil
}

// sparseOracle is the product by the plain loop, in float64.
func sparseOracle[T dtype.Float](a sparse.Matrix[T], n int, b, c []T, alpha, beta T) []float64 {
	want := make([]float64, a.Rows()*n)
	for e, v := range a.All() {
		for j := range n {
			want[e.I*n+j] += float64(v) * float64(b[e.J*n+j])
		}
	}
	for i := range want {
		want[i] *= float64(alpha)
		if beta != 0 {
			want[i] += float64(beta) * float64(c[i])
		}
	}
	return want
}

// compareSparse compares element by element; bound is the error allowed of each, nil
// for none. If one is NaN both have to be.
func compareSparse[T dtype.Float](got []T, want, bound []float64, n int) error {
	for i, g := range got {
		w, x := want[i], float64(g)
		switch {
		case math.IsNaN(w) && math.IsNaN(x), w == x:
		case bound != nil && math.Abs(x-w) <= bound[i]:
		default:
			return fmt.Errorf("out[%d, %d] is %v, want %v", i/n, i%n, g, w)
		}
	}
	return nil
}

// rounded checks random numbers. With l entries in a row, every product and sum may be
// rounded, so the error is at most (l+2)*eps times the sum of magnitudes.
func (s *sparseRunner[T]) rounded(rng *rand.Rand, a sparse.Matrix[T], n int) error {
	values := make([]T, a.NNZ())
	for i := range values {
		values[i] = T(math.Ldexp(rng.NormFloat64(), rng.IntN(20)-10))
	}
	a, err := a.WithValues(values)
	if err != nil {
		return err
	}
	b := make([]T, a.Cols()*n)
	for i := range b {
		b[i] = T(rng.NormFloat64())
	}
	out := make([]T, a.Rows()*n)
	got, _, err := s.call(a, n, b, out, 1, 0, Layouts[0], middle)
	if err != nil {
		return err
	}
	size := make([]float64, len(out))
	for e, v := range a.All() {
		for j := range n {
			size[e.I*n+j] += math.Abs(float64(v) * float64(b[e.J*n+j]))
		}
	}
	eps := Ulp[T](1) / 2
	for i := range a.Rows() {
		for j := range n {
			size[i*n+j] *= float64(a.RowNNZ(i)+2) * eps
		}
	}
	return compareSparse(got, sparseOracle(a, n, b, out, 1, 0), size, n)
}

// nonfinite puts NaN wherever no entry looks, where padding might, and NaN, Inf and
// a stored zero where some do.
func (s *sparseRunner[T]) nonfinite(rng *rand.Rand, a sparse.Matrix[T], n int, b []T) error {
	m, k := a.Dims()
	used := make([]bool, k)
	for e := range a.All() {
		used[e.J] = true
	}
	b, out := append([]T(nil), b...), make([]T, m*n)
	for j := range k {
		for x := range n {
			if !used[j] {
				b[j*n+x] = T(math.NaN())
			}
		}
	}
	got, _, err := s.call(a, n, b, out, 1, 0, Layouts[0], right)
	if err == nil {
		err = compareSparse(got, sparseOracle(a, n, b, out, 1, 0), nil, n)
	}
	if err != nil || a.NNZ() == 0 {
		return err
	}
	values := make([]T, a.NNZ())
	for i := range values {
		values[i] = T(1 + rng.IntN(3))
	}
	values[rng.IntN(len(values))] = 0
	z, err := a.WithValues(values)
	if err != nil {
		return err
	}
	for range 3 {
		b[rng.IntN(len(b))] = T(math.Inf(1))
		b[rng.IntN(len(b))] = T(math.NaN())
	}
	if got, _, err = s.call(z, n, b, out, 1, 0, Layouts[0], left); err != nil {
		return err
	}
	return compareSparse(got, sparseOracle(z, n, b, out, 1, 0), nil, n)
}
