package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Trial is one call of a [FusedCase], for those who choose shapes themselves, as
// tests of kernels on a GPU do.
type Trial[A, B dtype.Elem] struct {
	Shape
	// Exact fills the operands with small integers, for which every sum is exact,
	// else with random numbers.
	Exact bool
	// Wide makes the integers of an exact trial so large that storing sums as half floats
	// rounds them, many from halfway between two.
	Wide bool
	// Special puts NaN and infinities into a few rows of a and columns of b.
	Special bool
	// Bitwise wants the outputs of a trial that is not Exact to be the function's to the
	// bit as well. Sums then has the roundings of the kernel, in its order.
	Bitwise bool
	// Seed makes other operands.
	Seed int
	// Strict wants outputs of an exact trial to be the function's to the bit: for
	// functions that round once.
	Strict bool
	// Sums, if not nil, replaces the sum of a*b at (i, j). It returns the sum, what the
	// magnitudes add up to, and how many roundings the sum has.
	Sums func(p *FusedProblem[A, B], i, j int) (sum, abs float64, roundings int)
}

func (tr Trial[A, B]) String() string {
	s := fmt.Sprintf("%v exact=%v", tr.Shape, tr.Exact)
	if tr.Wide {
		s += " wide"
	}
	if tr.Special {
		s += " special"
	}
	return s
}

// Work of an oracle, in operations. Below it every element is compared, above it as
// many as it allows.
const trialWork = 1 << 23

// Try makes the operands, calls the kernel and compares. Large results are sampled,
// corners and edges more than the rest. The error says which element is wrong.
func (c *FusedCase[A, B, Acc]) Try(tr Trial[A, B]) error {
	tr.Shape = c.Structure.square(tr.Shape)
	p := tr.Problem()
	structured(p, c.Structure)
	c.Call(p)
	return c.Judge(tr, p)
}

// Problem makes the operands.
func (tr Trial[A, B]) Problem() *FusedProblem[A, B] {
	p := &FusedProblem[A, B]{M: tr.M, N: tr.N, K: tr.K, exact: tr.Exact, wide: tr.Wide, strict: tr.Strict, slots: map[int]any{}, rng: source(tr.Shape, 79+uint64(tr.Seed))}
	p.A, p.B = matrixOf[A](p, tr.M, tr.K), matrixOf[B](p, tr.K, tr.N)
	if tr.Special && tr.M > 0 && tr.N > 0 && tr.K > 0 {
		// The last row of a tile's part and the one before the end, and likewise columns.
		p.A.Set(tr.M-1, tr.K-1, toElem[A](math.NaN()))
		p.A.Set(tr.M/2, 0, toElem[A](math.Inf(1)))
		p.B.Set(tr.K-1, tr.N/3, toElem[B](math.NaN()))
		p.B.Set(0, tr.N-1, toElem[B](math.Inf(-1)))
	}
	if tr.Sums != nil {
		p.sums = func(i, j int) (float64, float64, int) { return tr.Sums(p, i, j) }
	}
	return p
}

// Judge compares what a call of the kernel has left in p, which is of tr.
func (c *FusedCase[A, B, Acc]) Judge(tr Trial[A, B], p *FusedProblem[A, B]) error {
	for _, intact := range p.intact {
		if err := intact(); err != nil {
			return err
		}
	}
	if tr.M == 0 || tr.N == 0 {
		return c.reduced(p)
	}
	compare, overhead := c.element, 1000 // the function is called some twenty times
	if tr.Exact && tr.Strict || tr.Bitwise {
		compare, overhead = c.same, 40
	}
	n := min(tr.M*tr.N, max(1000, trialWork/(tr.K+overhead)))
	for e := range n {
		i, j := e/tr.N, e%tr.N
		if n < tr.M*tr.N {
			x := p.rng.IntN(tr.M * tr.N)
			i, j = x/tr.N, x%tr.N
			switch e % 8 {
			case 0:
				j = tr.N - 1
			case 1:
				i = tr.M - 1
			case 2:
				i, j = e/8%2*(tr.M-1), e/16%2*(tr.N-1)
			}
		}
		if err := compare(p, i, j); err != nil {
			return err
		}
	}
	if tr.Exact && !tr.Strict {
		if err := c.balanced(p, n); err != nil {
			return err
		}
	}
	return c.reduced(p)
}

// balanced refuses half floats that differ from the function's results by a unit, as any
// of them may, but all to one side. They were not rounded to the nearest.
func (c *FusedCase[A, B, Acc]) balanced(p *FusedProblem[A, B], n int) error {
	toward, count := make([]float64, c.Outs), 0
	for e := range min(n, 2000) {
		i, j := e/p.N, e%p.N
		sum, _, _ := c.sum(p, i, j)
		for o, want := range c.Results(p, toSum[Acc](sum), i, j) {
			unit := c.Ulp(o, want)
			if slices.Contains(c.Unstored, o) || c.Ulp(o, 1) < 0x1p-20 || want-want != 0 {
				continue
			}
			toward[o] += (math.Abs(c.Have(p, o, i, j)) - math.Abs(want)) / unit
			count++
		}
	}
	for o, t := range toward {
		if mean := t * float64(c.Outs) / float64(max(count, 1)); count > 200*c.Outs && math.Abs(mean) > 0.1 {
			return fmt.Errorf("output %d is off by %.2f units in the last place on average: it is not rounded to the nearest", o, mean)
		}
	}
	return nil
}

// factors reads a and b once, as all elements of a row or column want them.
func (p *FusedProblem[A, B]) factors() {
	p.rows, p.cols = make([]float64, p.M*p.K), make([]float64, p.N*p.K)
	for k := range p.K {
		for i := range p.M {
			p.rows[i*p.K+k] = Float64(p.A.At(i, k))
		}
		for j := range p.N {
			p.cols[j*p.K+k] = Float64(p.B.At(k, j))
		}
	}
}

// same compares the outputs at (i, j) to the bit.
func (c *FusedCase[A, B, Acc]) same(p *FusedProblem[A, B], i, j int) error {
	sum, _, _ := c.sum(p, i, j)
	for o, want := range c.Results(p, toSum[Acc](sum), i, j) {
		if slices.Contains(c.Unstored, o) {
			continue
		}
		if have := c.Have(p, o, i, j); have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
			return fmt.Errorf("output %d at (%d, %d) is %v, want exactly %v", o, i, j, have, want)
		}
	}
	return nil
}
