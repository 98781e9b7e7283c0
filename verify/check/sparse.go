package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// An spmmFunc sets out = alpha*a*b + beta*out for a sparse a. With beta == 0 it never
// reads out. An error says that the kernel does not take such an a.
type spmmFunc[T dtype.Float] func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error

// SparseOptions describe the kernel under test.
type SparseOptions struct {
	Widths []int // numbers of columns; by default some around the widths of vectors
	Long   int   // entries of the longest row tested; by default 3000
}

// SparseProduct puts f through the checks of a sparse product. Patterns are hard for some
// format, and operands end at inaccessible pages. Sums of small integers must be exact, alone
// and with factors, Inf and NaN included. Other sums must be within the error that their length
// allows. NaN and infinities must be where the plain loop has them and nowhere else.
func SparseProduct[T dtype.Float](t TB, f spmmFunc[T], o SparseOptions) {
	t.Helper()
	if o.Widths == nil {
		o.Widths = []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 128, 200, 257}
	}
	if o.Long == 0 {
		o.Long = 3000
	}
	typ := dtype.Of[T]()
	Run(t, func(int) Case {
		return Case{Name: "sparse product", A: typ, B: typ, Acc: typ, Slots: []Slot{{Type: typ, Out: true}}, Op: scaled{o}, Call: func(p *Problem) {
			err := f(T(real(p.Alpha)), Get[sparse.Matrix[T]](p, S), Get[layout.Matrix[T]](p, B), T(real(p.Beta)), Get[layout.Matrix[T]](p, 0))
			p.declined = err != nil
		}}
	})
}

// scaled is the operation alpha*s*b + beta*out.
type scaled struct{ SparseOptions }

func (op scaled) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	scales := []struct{ alpha, beta float64 }{{1, 0}, {1, 1}, {-2, 0}, {3, -1}, {inf, 0}, {-inf, 2}, {nan, 0}}
	for _, m := range sparsePatterns(op.Long) {
		widths := op.Widths
		if m.NNZ() > 5000 {
			widths = []int{1, 16, 20, 128}
		}
		for _, n := range some(widths) {
			for i, s := range scales {
				// The sum of a row without entries is 0, which an alpha that is not finite makes NaN.
				p := op.problem(c, m.matrix, n, arrangements[[]int{0, 2, 1, 5, 0, 1, 2}[i]], n+i, s.alpha, s.beta)
				if !yield(fmt.Sprintf("pattern=%s/n=%d alpha=%v beta=%v, small integers", m.name, n, s.alpha, s.beta), p, nil) {
					return
				}
			}
			for kind, name := range []string{"random numbers", "NaN where nothing looks", "NaN and Inf"} {
				if p := op.special(c, m.matrix, n, kind); p != nil && !yield(fmt.Sprintf("pattern=%s/n=%d, %s", m.name, n, name), p, nil) {
					return
				}
			}
		}
	}
}

// problem is one of small integers.
func (op scaled) problem(c *Case, m matrix, n int, l arrangement, turn int, alpha, beta float64) *Problem {
	p := c.problem(Shape{m.Rows(), n, m.Cols()}, uint64(m.NNZ()), true)
	p.Alpha, p.Beta, p.guarded, p.turn, p.once = complex(alpha, 0), complex(beta, 0), true, turn, true
	if err := p.sparse(m, false, format.Format{}, nil); err != nil {
		panic(err) // values are small integers
	}
	number := func() float64 { return float64(1+p.rng.IntN(4)) * float64(1-2*p.rng.IntN(2)) }
	p.lay(B, c.B, p.K, n, l).fill(number)
	out := p.lay(0, c.Acc, p.M, n, l)
	if beta != 0 {
		out.fill(number)
	}
	op.judge(c, p, m, false)
	return p
}

// special is a problem of random numbers, or of NaN wherever no entry looks, where padding might, or of NaN, Inf and
// a stored zero where some do.
func (op scaled) special(c *Case, m matrix, n, kind int) *Problem {
	rng := rand.New(testenv.PCG(uint64(n), uint64(m.NNZ())))
	values := make([]float64, m.NNZ())
	for i := range values {
		if values[i] = float64(1 + rng.IntN(3)); kind == 0 {
			values[i] = roundTo(c.A, math.Ldexp(rng.NormFloat64(), rng.IntN(20)-10))
		}
	}
	switch {
	case kind == 2 && m.NNZ() == 0:
		return nil
	case kind == 2:
		values[rng.IntN(len(values))] = 0
	}
	z := must(m.WithValues(values))
	p := op.problem(c, z, n, arrangements[0], n+kind, 1, 0)
	b := p.slots[B]
	if kind == 0 {
		b.fill(rng.NormFloat64)
	} else {
		used := make([]bool, p.K)
		for e := range m.All() {
			used[e.J] = true
		}
		b.hide(used)
	}
	for range 3 {
		if kind == 2 {
			b.set(rng.IntN(p.K), rng.IntN(n), inf)
			b.set(rng.IntN(p.K), rng.IntN(n), nan)
		}
	}
	op.judge(c, p, z, kind == 0)
	return p
}

// judge compares with the plain loop in float64. With l entries in a row, every product and sum may be
// rounded, so the error is at most (l+2)*eps times the sum of magnitudes.
func (op scaled) judge(c *Case, p *Problem, m matrix, rounds bool) {
	p.terms, p.end = p.sparseRows(m, false), p.scaled()
	eps := 0.0
	if rounds {
		eps = ulpOf(c.Acc, 1) / 2
	}
	p.look = func() error {
		return c.near(p, p.elements(true), func(_, _ int, t *total) float64 {
			if eps == 0 {
				return 0
			}
			return float64(t.roundings+2) * eps * t.abs
		})
	}
}

// sparsePatterns are matrices of small integers other than 0, each of which is hard for some format.
func sparsePatterns(long int) (all []namedMatrix) {
	rng := rand.New(testenv.PCG(5, 6))
	add := func(name string, m, k int, keep func(i, j int) bool) {
		b := sparse.NewBuilder[float64](m, k)
		for i := range m {
			for j := range k {
				if keep(i, j) {
					b.Add(i, j, float64(1+rng.IntN(4))*float64(1-2*rng.IntN(2)))
				}
			}
		}
		all = append(all, namedMatrix{name: name, matrix: must(b.Matrix())})
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
