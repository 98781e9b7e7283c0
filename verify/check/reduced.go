package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Reduction is what a kernel computes of a row or column of its result.
type Reduction uint8

// The reductions.
const (
	Sum Reduction = iota
	Max
	ArgMax
	ArgMin
	Min
	SumSquares
	LogSumExp
)

func (r Reduction) String() string {
	return [...]string{"Sum", "Max", "ArgMax", "ArgMin", "Min", "SumSquares", "LogSumExp"}[r]
}

// Reduced is one reduction under test: Have returns what the kernel gave for row or
// column i.
type Reduced[A, B dtype.Elem] struct {
	Name string
	Op   Reduction
	Col  bool
	Of   int // the result that is reduced
	Have func(p *FusedProblem[A, B], i int) float64
}

// ReducedOf returns where a reduction goes: n elements that begin as something else.
func ReducedOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot, n int) []T {
	return slotOf(p, slot, func() []T {
		s := make([]T, n)
		for i := range s {
			s[i] = toElem[T](-77)
		}
		return s
	})
}

// compare recomputes the reduction from what is known of the results. A stored result is
// known itself, so a maximum and an index must be exact and a sum within the bound of its
// additions. Of any other the interval is known that it must lie in, and the reduction has
// an interval too. bits is the precision that it is computed with, and lines how many rows
// or columns are looked at, evenly spread.
func (r *Reduced[A, B]) compare(p *FusedProblem[A, B], bits, lines int, result func(i, j int) interval) error {
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
		have := r.Have(p, i)
		if r.Op == ArgMax || r.Op == ArgMin {
			if err := r.index(values, have); err != nil {
				return fmt.Errorf("%s: %v of %d: %w", r.Name, r.Op, i, err)
			}
			continue
		}
		want, slack := r.of(values, bits)
		nan := math.IsNaN(want.lo) || math.IsNaN(want.hi)
		if !(want.lo-slack <= have && have <= want.hi+slack || have == want.lo || have == want.hi || nan && math.IsNaN(have)) {
			return fmt.Errorf("%s: %v of %d is %v, want %v to %v +- %v", r.Name, r.Op, i, have, want.lo, want.hi, slack)
		}
	}
	return nil
}

// of returns the reduction of what lies in the intervals, and how far its own rounding may
// take it.
func (r *Reduced[A, B]) of(values []interval, bits int) (want interval, slack float64) {
	want = interval{math.Inf(-1), math.Inf(-1)} // of a maximum
	abs := 0.0
	switch r.Op {
	case Min:
		want = interval{math.Inf(1), math.Inf(1)}
	case Sum, SumSquares:
		want = interval{}
	case LogSumExp:
		return logSumExp(values, bits)
	}
	for _, x := range values {
		switch r.Op {
		case Max:
			want = interval{max(want.lo, x.lo), max(want.hi, x.hi)}
		case Min:
			want = interval{min(want.lo, x.lo), min(want.hi, x.hi)}
		case SumSquares:
			x = x.square()
			fallthrough
		default:
			want = interval{want.lo + x.lo, want.hi + x.hi}
			abs += max(math.Abs(x.lo), math.Abs(x.hi))
		}
	}
	if r.Op == Sum || r.Op == SumSquares {
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
func (r *Reduced[A, B]) index(values []interval, have float64) error {
	best, at := interval{math.Inf(-1), math.Inf(-1)}, -1
	known := true
	rank := func(x interval) interval { // a NaN goes before all else
		if r.Op == ArgMin {
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
