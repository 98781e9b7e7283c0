package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// FusedCase is a product with an epilogue under test, by the types of its operands
// and its sums.
type FusedCase[A, B dtype.Elem, Acc dtype.Sum] struct {
	Name       string
	MR, NR, KC int   // the tile, and the depth up to which sums are made in one go
	Only       Shape // the dimensions that are fixed; 0 is any
	// ULP is the error of the epilogue's functions, in units of the result's last
	// place.
	ULP float64
	// Strict says that each operation of the epilogue's function rounds on its own, as
	// where no product may be contracted with a sum. Results are then the function's to
	// the bit wherever sums are exact, as those of integers are.
	Strict bool
	// Flushes says that sums may be of an instruction that takes denormal numbers for
	// zeros and makes none, as VDPBF16PS.
	Flushes bool
	// Structure says which elements there are of the matrices, if not all.
	Structure Structure
	// Call runs the kernel on p. It takes operands by slot from [OutOf], [RowOf] and
	// similar functions: outputs first, then operands.
	Call func(p *FusedProblem[A, B])
	// Results applies the epilogue's Go function to a sum that belongs to element
	// (i, j) and returns the outputs by [Float64].
	Results func(p *FusedProblem[A, B], sum Acc, i, j int) []float64
	// Have returns output o at (i, j), and Ulp the distance of its type's values.
	Have func(p *FusedProblem[A, B], o, i, j int) float64
	Ulp  func(o int, x float64) float64
	Outs int
	// Zeros returns the zero points of A and B, which are taken from their elements; nil: 0.
	Zeros func(p *FusedProblem[A, B]) (a, b float64)
	// Unstored lists the outputs that are only reduced: Have is not asked for them.
	Unstored []int
	Reduces  []Reduced[A, B]
}

// FusedProblem is one call: shapes, operands and what the epilogue needs.
type FusedProblem[A, B dtype.Elem] struct {
	M, N, K int
	A       layout.Matrix[A]
	B       layout.Matrix[B]
	exact   bool // small integers: every sum is exact
	wide    bool // larger ones
	strict  bool // results are to the bit, so that roundings of the epilogue may show
	pad     int  // beyond each row of matrices
	rng     *rand.Rand
	slots   map[int]any
	nudge   nudge  // what the oracle reads is moved by
	nudged  uint64 // the slots that results depend on: a bit each
	intact  []func() error
	sparse  any // of a sparse product: its matrix
	entries any // of a sampled product: the coordinates of its entries
	// sums, if not nil, replaces the sum of a*b at (i, j). It returns the sum, what its
	// magnitudes add up to, and how many roundings it has.
	sums       func(i, j int) (sum, abs float64, roundings int)
	absent     func(i, j int) bool // which elements of results there are not; nil: none
	rows, cols []float64           // a by rows and b by columns, made when they are first wanted
}

// Fused checks a product with an epilogue. First it tries small integers, where sums
// are exact and the result is the function's, to its stated error. Then it tries random
// numbers. There the result must lie in the hull of what the function gives over the
// interval that the sum can be in.
func Fused[A, B dtype.Elem, Acc dtype.Sum](t TB, c FusedCase[A, B, Acc]) {
	t.Helper()
	for _, s := range some(onlyShapes(fusedShapes(c.MR, c.NR, c.KC), c.Only)) {
		for _, exact := range []bool{true, false} {
			s := c.Structure.square(s)
			name := fmt.Sprintf("%s m=%d n=%d k=%d exact=%v", c.Name, s.M, s.N, s.K, exact)
			p := &FusedProblem[A, B]{M: s.M, N: s.N, K: s.K, exact: exact, pad: (s.M + s.N) % 3, slots: map[int]any{}, rng: source(s, 77)}
			p.A, p.B = matrixOf[A](p, s.M, s.K), matrixOf[B](p, s.K, s.N)
			if s.M%2 == 0 { // column-major operands half of the time
				p.A, p.B = matrixOf[A](p, s.K, s.M).T(), matrixOf[B](p, s.N, s.K).T()
			}
			structured(p, c.Structure)
			c.Call(p)
			for _, intact := range p.intact {
				if err := intact(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			err := c.compare(p)
			if err == nil {
				err = c.reduced(p)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
		}
	}
}

// compare looks at every element of small results and at a sample of large ones.
func (c *FusedCase[A, B, Acc]) compare(p *FusedProblem[A, B]) error {
	all := p.M*p.N*max(p.K, 1) < 200_000
	for e := range min(p.M*p.N, 3000) {
		i, j := e/p.N, e%p.N
		if !all {
			x := p.rng.IntN(p.M * p.N)
			switch { // corners and the last row and column more often
			case e%8 == 0:
				x = x/p.N*p.N + p.N - 1
			case e%8 == 1:
				x = (p.M-1)*p.N + x%p.N
			}
			i, j = x/p.N, x%p.N
			if e > 400 {
				break
			}
		}
		if err := c.element(p, i, j); err != nil {
			return err
		}
	}
	return nil
}

// element compares the outputs at (i, j) that are stored.
func (c *FusedCase[A, B, Acc]) element(p *FusedProblem[A, B], i, j int) error {
	if p.absent != nil && p.absent(i, j) {
		return nil
	}
	if c.Strict && (p.exact || dtype.Of[Acc]() == dtype.I32) {
		return c.same(p, i, j)
	}
	have := make([]float64, c.Outs)
	for o := range have {
		if !slices.Contains(c.Unstored, o) {
			have[o] = c.Have(p, o, i, j)
		}
	}
	wrong := func(vs []value) int {
		return slices.IndexFunc(vs, func(v value) bool { return !slices.Contains(c.Unstored, v.out) && !v.allows(have[v.out]) })
	}
	vs := c.valuesUntil(p, i, j, func(vs []value) bool { return wrong(vs) < 0 })
	o := wrong(vs)
	if o < 0 {
		return nil
	}
	x := vs[o]
	if math.IsNaN(x.mid) || math.IsNaN(have[o]) {
		return fmt.Errorf("output %d at (%d, %d) is %v, want about %v", o, i, j, have[o], x.mid)
	}
	return fmt.Errorf("output %d at (%d, %d) is %v, want %v: between %v and %v for a sum of %v +- %v", o, i, j, have[o], x.mid, x.wide().lo, x.wide().hi, x.sum, x.d)
}

// reduced compares the reductions. It takes all of the stored results if these are small
// enough to be read whole, and for other results some rows or columns of large ones.
func (c *FusedCase[A, B, Acc]) reduced(p *FusedProblem[A, B]) error {
	for _, r := range c.Reduces {
		lines, result := p.M+p.N, func(i, j int) interval {
			x := c.Have(p, r.Of, i, j)
			return interval{x, x}
		}
		if slices.Contains(c.Unstored, r.Of) {
			across := p.N
			if r.Col {
				across = p.M
			}
			lines = max(2, reducedWork/max(1, across*(p.K+200)))
			result = func(i, j int) interval {
				x := c.values(p, i, j)[r.Of]
				if x.nan {
					return interval{math.NaN(), math.NaN()}
				}
				return x.wide()
			}
		} else if p.M*p.N > trialWork {
			continue
		}
		bits := 24 // of what is rounded to less, the sum's
		if c.Ulp(r.Of, 1) < 0x1p-40 {
			bits = 53
		}
		if err := r.compare(p, bits, lines, result); err != nil {
			return err
		}
	}
	return nil
}

// reducedWork is what the values of results that are not stored may take, in operations.
const reducedWork = 1 << 18

// fusedShapes has every edge of tiles and of k-blocks, in few calls.
func fusedShapes(mr, nr, kc int) []Shape {
	var s []Shape
	for _, m := range []int{1, mr - 1, mr, mr + 1, 2*mr + 3} {
		for _, n := range []int{1, nr/2 + 1, nr - 1, nr, nr + 1, 2*nr + 5} {
			if m > 0 && n > 0 {
				s = append(s, Shape{m, n, 3}, Shape{m, n, 17})
			}
		}
	}
	for _, k := range []int{0, 1, kc - 1, kc, kc + 1, 3*kc + 5} {
		s = append(s, Shape{mr + 2, nr + 3, k})
	}
	return append(s, Shape{13 * mr, 5*nr + 7, 64}, Shape{200, 3, 70}, Shape{3, 400, 70})
}

// BenchmarkFused times a case on n x n matrices of random numbers, after it was
// compared with the oracle, and reports GFLOP/s of the product.
func BenchmarkFused[A, B dtype.Elem, Acc dtype.Sum](b *testing.B, isa string, n int, c FusedCase[A, B, Acc]) {
	b.Run(fmt.Sprintf("isa=%s/n=%d", isa, n), func(b *testing.B) {
		s := Shape{n, n, n}.only(c.Only)
		p := &FusedProblem[A, B]{M: s.M, N: s.N, K: s.K, slots: map[int]any{}, rng: source(s, 78)}
		p.A, p.B = matrixOf[A](p, s.M, s.K), matrixOf[B](p, s.K, s.N)
		structured(p, c.Structure)
		c.Call(p)
		if err := c.compare(p); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			c.Call(p)
		}
		b.ReportMetric(2*float64(s.MACs())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
