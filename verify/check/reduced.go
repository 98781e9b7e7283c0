package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/reduce"
)

// reducedWork is what the values of results that are not stored may take, in operations.
const reducedWork = 1 << 18

// reduced compares the reductions. It takes all of the stored results if these are small
// enough to be read whole, and for other results some rows or columns of large ones.
func (c *Case) reduced(p *Problem) error {
	for n, s := range c.Slots {
		if !s.Reduced {
			continue
		}
		lines, result := p.M+p.N, func(i, j int) interval {
			x := p.Load(s.Of, i, j)
			return interval{x, x}
		}
		if c.Slots[s.Of].Unstored {
			across := p.N
			if s.Col {
				across = p.M
			}
			lines = max(2, reducedWork/max(1, across*(p.K+200)))
			result = func(i, j int) interval {
				x := c.values(p, i, j)[s.Of]
				if x.nan {
					return interval{nan, nan}
				}
				return x.wide()
			}
		} else if p.M*p.N > trialWork {
			continue
		}
		bits := 24 // of what is rounded to less, the sum's
		if c.ulp(s.Of, 1) < 0x1p-40 {
			bits = 53
		}
		if err := s.compare(p, p.slot(n), bits, lines, result); err != nil {
			return err
		}
	}
	return nil
}

// compare recomputes the reduction from what is known of the results. A stored result is
// known itself, so a maximum and an index must be exact and a sum within the bound of its
// additions. Of any other the interval is known that it must lie in, and the reduction has
// an interval too. bits is the precision that it is computed with, and lines how many rows
// or columns are looked at, evenly spread.
func (r *Slot) compare(p *Problem, of *operand, bits, lines int, result func(i, j int) interval) error {
	outer, inner := p.M, p.N
	if r.Col {
		outer, inner = p.N, p.M
	}
	step := max(1, outer/max(1, lines))
	for i := 0; i < outer; i += step {
		values := make([]interval, inner)
		for k := range values {
			if r.Col {
				values[k] = result(k, i)
			} else {
				values[k] = result(i, k)
			}
		}
		have := of.at(0, i)
		if r.Reduce == reduce.ArgMax || r.Reduce == reduce.ArgMin {
			if err := r.index(values, have); err != nil {
				return fmt.Errorf("%s: %v of %d: %w", r.Name, r.Reduce, i, err)
			}
			continue
		}
		want, slack := r.of(values, bits)
		unknown := math.IsNaN(want.lo) || math.IsNaN(want.hi)
		if !(want.lo-slack <= have && have <= want.hi+slack || have == want.lo || have == want.hi || unknown && math.IsNaN(have)) {
			return fmt.Errorf("%s: %v of %d is %v, want %v to %v +- %v", r.Name, r.Reduce, i, have, want.lo, want.hi, slack)
		}
	}
	return nil
}

// of returns the reduction of what lies in the intervals, and how far its own rounding may
// take it.
func (r *Slot) of(values []interval, bits int) (want interval, slack float64) {
	want = interval{math.Inf(-1), math.Inf(-1)} // of a maximum
	abs := 0.0
	switch r.Reduce {
	case reduce.Min:
		want = interval{math.Inf(1), math.Inf(1)}
	case reduce.Sum, reduce.SumSquares:
		want = interval{}
	case reduce.LogSumExp:
		return logSumExp(values, bits)
	}
	for _, x := range values {
		switch r.Reduce {
		case reduce.Max:
			want = interval{max(want.lo, x.lo), max(want.hi, x.hi)}
		case reduce.Min:
			want = interval{min(want.lo, x.lo), min(want.hi, x.hi)}
		case reduce.SumSquares:
			x = x.square()
			fallthrough
		default:
			want = interval{want.lo + x.lo, want.hi + x.hi}
			abs += max(math.Abs(x.lo), math.Abs(x.hi))
		}
	}
	if r.Reduce == reduce.Sum || r.Reduce == reduce.SumSquares {
		n, tiny := float64(len(values)), math.SmallestNonzeroFloat32 // a square may underflow
		if bits > 24 {
			tiny = math.SmallestNonzeroFloat64
		}
		slack = (gamma(n+5, bits)+gamma(n, 53))*abs + n*tiny // want is a sum of float64 itself
	}
	return want, slack
}

// logSumExp is log(sum of e^x), and how far the rounding of exponents, exponentials and
// sums may take it.
func logSumExp(values []interval, bits int) (want interval, slack float64) {
	of := func(end func(x interval) float64) float64 {
		most, sum := math.Inf(-1), 0.0
		for _, x := range values {
			most = max(most, end(x))
		}
		if math.IsNaN(most) || math.IsInf(most, 0) {
			return most
		}
		for _, x := range values {
			sum += math.Exp(end(x) - most)
		}
		return most + math.Log(sum)
	}
	want = interval{of(func(x interval) float64 { return x.lo }), of(func(x interval) float64 { return x.hi })}
	most := 0.0 // the difference of two numbers is rounded at their size
	for _, x := range values {
		if size := max(math.Abs(x.lo), math.Abs(x.hi)); !math.IsInf(size, 0) {
			most = max(most, size)
		}
	}
	// An error of the sum is relative to it, and so an absolute one of the logarithm.
	n := float64(4*len(values) + 20)
	return want, gamma(n, bits) + gamma(n, 53) + gamma(6, bits)*most
}

// index checks an index. The value that it points at may be the best; if every value is
// known, none before it is as good.
func (r *Slot) index(values []interval, have float64) error {
	best, at := interval{math.Inf(-1), math.Inf(-1)}, -1
	known := true
	rank := func(x interval) interval { // a NaN goes before all else
		if r.Reduce == reduce.ArgMin {
			x = interval{-x.hi, -x.lo}
		}
		return x
	}
	for k, x := range values {
		x = rank(x)
		known = known && (x.lo == x.hi || math.IsNaN(x.lo))
		if at < 0 || x.lo > best.lo || math.IsNaN(x.lo) && !math.IsNaN(best.lo) {
			best, at = x, k
		}
	}
	i := int(have)
	switch {
	case known && i != at, i < -1, i >= len(values), i == -1 && len(values) > 0:
		return fmt.Errorf("is %v, want %d", have, at)
	case i >= 0 && !math.IsNaN(best.lo) && !math.IsNaN(rank(values[i]).hi) && rank(values[i]).hi < best.lo:
		return fmt.Errorf("is %v, whose value is at most %v; that of %d is at least %v", have, rank(values[i]).hi, at, best.lo)
	}
	return nil
}
