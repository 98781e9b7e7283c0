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
	// Strict wants outputs of an exact trial to be the function's to the bit: for
	// functions that round once.
	Strict bool
	// Sums, if not nil, is what the sum at (i, j) should be, in place of that of a*b:
	// what the magnitudes add up to, and how many roundings it has.
	Sums func(p *FusedProblem[A, B], i, j int) (sum, abs float64, roundings int)
}

func (tr Trial[A, B]) String() string { return fmt.Sprintf("%v exact=%v", tr.Shape, tr.Exact) }

// Work of an oracle, in operations: below it every element is compared, above it as
// many as that allows.
const trialWork = 1 << 23

// Try makes the operands, calls the kernel and compares. Large results are sampled,
// corners and edges more than the rest. The error says which element is wrong.
func (c *FusedCase[A, B, Acc]) Try(tr Trial[A, B]) error {
	p := &FusedProblem[A, B]{M: tr.M, N: tr.N, K: tr.K, exact: tr.Exact, slots: map[int]any{}, rng: source(tr.Shape, 79)}
	p.A, p.B = matrixOf[A](p, tr.M, tr.K), matrixOf[B](p, tr.K, tr.N)
	if tr.Sums != nil {
		p.sums = func(i, j int) (float64, float64, int) { return tr.Sums(p, i, j) }
	}
	c.Call(p)
	for _, intact := range p.intact {
		if err := intact(); err != nil {
			return err
		}
	}
	if tr.M == 0 || tr.N == 0 {
		return c.reduced(p)
	}
	compare, overhead := c.element, 1000 // the function is called some twenty times
	if tr.Exact && tr.Strict {
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
	return c.reduced(p)
}

// same compares the outputs at (i, j) to the bit.
func (c *FusedCase[A, B, Acc]) same(p *FusedProblem[A, B], i, j int) error {
	sum := 0.0
	if p.sums != nil {
		sum, _, _ = p.sums(i, j)
	} else {
		for k := range p.K {
			sum += Float64(p.A.At(i, k)) * Float64(p.B.At(k, j))
		}
	}
	for o, want := range c.Results(p, Acc(sum), i, j) {
		if slices.Contains(c.Unstored, o) {
			continue
		}
		if have := c.Have(p, o, i, j); have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
			return fmt.Errorf("output %d at (%d, %d) is %v, want exactly %v", o, i, j, have, want)
		}
	}
	return nil
}
