package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An interval holds every value from lo to hi, both included.
type interval struct{ lo, hi float64 }

func (x interval) String() string { return fmt.Sprintf("[%v, %v]", x.lo, x.hi) }

func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }
func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// around returns an interval that holds [x-d, x+d].
func around(x, d float64) interval { return interval{down(x - d), up(x + d)} }

// add and scale are the real operations, rounded outward.
func (x interval) add(y interval) interval {
	return interval{down(x.lo + y.lo), up(x.hi + y.hi)}
}

func (x interval) scale(s float64) interval {
	lo, hi := x.lo*s, x.hi*s
	if s < 0 {
		lo, hi = hi, lo
	}
	return interval{down(lo), up(hi)}
}

// square is x*x of what lies in x.
func (x interval) square() interval {
	a, b := x.lo*x.lo, x.hi*x.hi
	if x.lo <= 0 && 0 <= x.hi {
		return interval{0, max(a, b)}
	}
	return interval{min(a, b), max(a, b)}
}

func (x interval) widen(d float64) interval { return interval{down(x.lo - d), up(x.hi + d)} }

// rounded returns an interval that holds every value of x rounded to a type. Rounding
// is monotone, so rounding the ends is enough; it is what widening by half an ulp
// means, without the slack.
func (x interval) rounded(t dtype.Type) interval {
	return interval{roundTo(t, x.lo), roundTo(t, x.hi)}
}

// maybeRounded holds x and every value of x rounded to a type.
func (x interval) maybeRounded(t dtype.Type) interval {
	r := x.rounded(t)
	return interval{min(x.lo, r.lo), max(x.hi, r.hi)}
}

// gamma returns an upper bound for n*u/(1-n*u), the relative error of n roundings
// [Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Lemma 3.1]. u
// is 2^-p, half an ulp of 1.
func gamma(n float64, p int) float64 {
	nu := n * math.Ldexp(1, -p)
	if nu >= 1 {
		return math.Inf(1)
	}
	return up(up(nu) / down(1-nu))
}
