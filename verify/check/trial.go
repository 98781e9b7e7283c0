package check

import (
	"fmt"
	"math"
)

// Trial is one call of a [Case] of a product, for those who choose shapes themselves, as
// tests of kernels on a GPU do.
type Trial struct {
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
	Sums func(p *Problem, i, j int) (sum, abs float64, roundings int)
}

func (tr Trial) String() string {
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

// Problem makes the operands of a trial.
func (c *Case) Problem(tr Trial) *Problem {
	tr.Shape = squared(c.Structure, tr.Shape)
	p := c.problem(tr.Shape, 79+uint64(tr.Seed), tr.Exact)
	p.wide, p.strict = tr.Wide, tr.Strict
	c.operands(p, false, false)
	if tr.Special && tr.M > 0 && tr.N > 0 && tr.K > 0 {
		// The last row of a tile's part and the one before the end, and likewise columns.
		p.Store(A, tr.M-1, tr.K-1, nan)
		p.Store(A, tr.M/2, 0, inf)
		p.Store(B, tr.K-1, tr.N/3, nan)
		p.Store(B, 0, tr.N-1, -inf)
	}
	if tr.Sums != nil {
		p.sums = func(i, j int) (float64, float64, int) { return tr.Sums(p, i, j) }
	}
	return p
}

// Judge compares what a call of the kernel has left in p, which is of tr.
func (c *Case) Judge(tr Trial, p *Problem) error {
	if err := p.untouched(); err != nil {
		return err
	}
	if tr.M == 0 || tr.N == 0 {
		return c.reduced(p)
	}
	compare, overhead := c.element, 1000 // the function is called some twenty times
	if tr.Exact && tr.Strict || tr.Bitwise {
		compare, overhead = c.same, 40
	}
	n := min(p.M*p.N, max(1000, trialWork/(p.K+overhead)))
	if err := c.sample(p, n, n == p.M*p.N, compare); err != nil {
		return err
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
func (c *Case) balanced(p *Problem, n int) error {
	outs := c.outs()
	toward, count := make([]float64, outs), 0
	for e := range min(n, 2000) {
		i, j := e/p.N, e%p.N
		for o, want := range c.results(p, c.total(p, i, j).sum, i, j) {
			if !c.Slots[o].Out || c.ulp(o, 1) < 0x1p-20 || want-want != 0 {
				continue
			}
			toward[o] += (math.Abs(p.Load(o, i, j)) - math.Abs(want)) / c.ulp(o, want)
			count++
		}
	}
	for o, t := range toward {
		if mean := t * float64(outs) / float64(max(count, 1)); count > 200*outs && math.Abs(mean) > 0.1 {
			return fmt.Errorf("output %d is off by %.2f units in the last place on average: it is not rounded to the nearest", o, mean)
		}
	}
	return nil
}
