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

// rounded returns an interval that holds every value of x rounded to T. Rounding
// is monotone, so rounding the ends is enough; it is what widening by half an ulp
// of T means, without the slack.
func rounded[T dtype.Float](x interval) interval {
	return interval{float64(T(x.lo)), float64(T(x.hi))}
}

// maybeRounded holds x and every value of x rounded to T.
func maybeRounded[T dtype.Float](x interval) interval {
	r := rounded[T](x)
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

// bound returns where element e of alpha*a*b + beta*c may lie if k-blocks have kc
// elements.
//
// The accumulator: a product takes part in at most k roundings, whatever the order
// of summation and whether or not an FMA merges some [Higham, sec. 3.1, (3.4) and
// the remarks after it]; scaling a or b by alpha beforehand makes that k+1. So it
// is within d = gamma*sum|a||b| of the real one, plus half the smallest denormal for
// each rounding that underflows.
//
// The epilogue is evaluated over that interval; each operation may round to T, or
// not if an FMA merges it with the next. Beyond one k-block, out
// itself may carry the sum. Each further block adds a rounding of a partial sum, of
// magnitude at most |beta*c| + |alpha|*sum|a||b|.
func (r *reference[T]) bound(e int, alpha, beta float64, kc int) (in interval, d float64) {
	p, tiny := precision[T](), smallest[T]()
	k := float64(r.K)
	roundings := k
	if alpha != math.Trunc(alpha) || math.Abs(alpha) > 1 {
		roundings++
	}
	d = up(gamma(roundings, p)*r.abs[e] + up(r.err[e]+k*tiny))
	in = maybeRounded[T](around(r.acc[e], d).scale(alpha))
	if beta != 0 {
		c := float64(r.c[e])
		in = in.add(maybeRounded[T](interval{c, c}.scale(beta)))
	}
	if blocks := (r.K + kc - 1) / kc; blocks > 1 {
		size := up(math.Abs(beta*float64(r.c[e])) + 2*math.Abs(alpha)*r.abs[e])
		in = in.widen(up(gamma(float64(blocks+1), p) * size))
	}
	return rounded[T](in), d
}

// compare checks the dense row-major have against the bounds. worst is the largest
// error of an accumulator as a fraction of its bound, for the log.
func (r *reference[T]) compare(have []T, alpha, beta float64, kc int) (worst float64, err error) {
	for e, x := range have {
		in, d := r.bound(e, alpha, beta, kc)
		v := float64(x)
		want := alpha*r.acc[e] + beta*float64(r.c[e])
		if beta == 0 {
			want = alpha * r.acc[e]
		}
		if !(in.lo <= v && v <= in.hi) {
			return worst, &mismatch{e / r.N, e % r.N, v, want, fmt.Sprintf(" within %v (accumulator +-%.3g)", in, d)}
		}
		if d > 0 && alpha == 1 && beta == 0 {
			worst = max(worst, math.Abs(v-want)/d)
		}
	}
	return worst, nil
}

// interval is Oracle 2, and that the same call twice gives the same bits.
func (r *runner[T]) interval(t TB) {
	mr, nr, kc := r.o.MR, r.o.NR, r.kc()
	c := combos{o: &r.o}
	worst := 0.0
	for _, s := range []Shape{{1, 1, 2}, {mr, nr, 1}, {mr + 1, nr + 1, 8}, {mr - 1, nr + 1, 61}, {mr + 1, 3, kc}, {3, nr - 1, kc + 1}, {mr + 1, nr + 1, 2*kc + 3}} {
		for i, f := range fills {
			ref := refer(random[T](s, f, uint64(i)))
			if err := ref.crossCheck(); err != nil {
				t.Errorf("%v", err)
				return
			}
			for range 4 {
				c := c.next()
				var first []T
				compare := func(have []T) error {
					if first != nil {
						return sameResult(first, have, s.N)
					}
					first = append(first, have...)
					w, err := ref.compare(have, c.alpha, c.beta, r.o.KC)
					worst = max(worst, w)
					if err != nil {
						err = fmt.Errorf("fill=%s: %w", f.name, err)
					}
					return err
				}
				if r.try(t, ref.problem, c, compare) {
					r.try(t, ref.problem, c, compare)
				}
				if r.done() {
					return
				}
			}
		}
	}
	t.Logf("the largest accumulator error is %.2g of its bound", worst)
}

func sameResult[T dtype.Float](first, have []T, cols int) error {
	for e, v := range have {
		if !sameBits(v, first[e]) {
			return &mismatch{e / cols, e % cols, float64(v), float64(first[e]), ", as the first call with the same operands"}
		}
	}
	return nil
}
