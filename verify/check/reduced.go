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
)

func (r Reduction) String() string {
	return [...]string{"Sum", "Max", "ArgMax", "ArgMin", "Min", "SumSquares"}[r]
}

// Reduced is one reduction under test: Have returns what the kernel gave for row or
// column i.
type Reduced[A, B dtype.Elem] struct {
	Name string
	Op   Reduction
	Col  bool
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

// compare recomputes the reduction from the result that the kernel stored: a maximum
// and an index must be exact, a sum within the bound of its additions.
func (r *Reduced[A, B]) compare(p *FusedProblem[A, B], result func(i, j int) float64) error {
	outer, inner := p.M, p.N
	if r.Col {
		outer, inner = p.N, p.M
	}
	for i := range outer {
		sum, abs, best, at := 0.0, 0.0, math.Inf(-1), -1
		for k := range inner {
			row, col := i, k
			if r.Col {
				row, col = k, i
			}
			x := result(row, col)
			switch r.Op {
			case SumSquares:
				sum, abs = sum+x*x, abs+x*x
			case Min, ArgMin:
				x = -x
				fallthrough
			default:
				sum, abs = sum+x, abs+math.Abs(x)
			}
			if at < 0 || x > best || x != x && best == best {
				best, at = x, k
			}
		}
		want, slack := best, 0.0
		switch r.Op {
		case Min:
			want = -best
		case Sum, SumSquares:
			want, slack = sum, gamma(float64(inner+5), 24)*abs+float64(inner)*math.SmallestNonzeroFloat32 // a square may underflow
		case ArgMax, ArgMin:
			want = float64(at)
		}
		if have := r.Have(p, i); !(math.Abs(have-want) <= slack || have == want || have != have && want != want) {
			return fmt.Errorf("%s: %v of %d is %v, want %v +- %v", r.Name, r.Op, i, have, want, slack)
		}
	}
	return nil
}
