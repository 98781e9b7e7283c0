package check

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A sum is what is known of an accumulator without code of a kernel. A product of two float32 is exact in float64, so
// float64 sums do for float32. For float64 the dot product is the compensated one of Ogita, Rump and Oishi (Accurate sum
// and dot product, SIAM J. Sci. Comput. 26, 2005, Alg. 5.3), as good as computed in
// twice the precision.
type sum struct {
	acc    float64 // of the terms
	err    float64 // |acc - the real sum| is at most this
	abs    float64 // sum of magnitudes, rounded up
	low    float64 // what acc lacks, until the end
	lo, hi float64 // how far flushing denormal operands may move it
}

// add takes in the product of x and y.
func (s *sum) add(x, y float64, compensated bool) {
	h := float64(x * y) // the conversion forbids an FMA
	s.abs += math.Abs(h)
	if !compensated {
		s.acc += h
		return
	}
	t, e := twoSum(s.acc, h)
	s.acc = t
	s.low += e + math.FMA(x, y, -h)
}

// end completes the sum of k terms.
func (s *sum) end(k int, compensated bool) {
	g := gamma(float64(k), 53)
	s.abs = up(s.abs / down(1-g)) // now not below the real sum
	s.err = up(g * s.abs)
	if compensated {
		s.acc += s.low
		// Corollary 4.7 with the sum bounded by the result: u|s| + gamma_k^2 sum|a||b|,
		// and products lost to underflow.
		s.err = up(math.Ldexp(math.Abs(s.acc), -52) + up(g*g)*s.abs + float64(k)*0x1p-1070)
	}
}

// twoSum returns the rounded sum of x and y and its error, exactly (Knuth).
func twoSum(x, y float64) (s, e float64) {
	s = x + y
	z := s - x
	return s, (x - (s - z)) + (y - z)
}

// error bounds what the accumulator of a kernel may be off by: a product takes part in at most so many roundings, whatever
// the order of summation and whether or not an FMA merges some [Higham, sec. 3.1, (3.4) and
// the remarks after it]. So it is within d = gamma*sum|a||b| of the real one, plus half the smallest denormal for
// each rounding that underflows.
func (s *sum) error(acc dtype.Type, k int, roundings float64) float64 {
	bits, least := numberFormat(acc)
	return up(gamma(roundings, bits)*s.abs + up(s.err+math.Ldexp(float64(k), least-1)))
}

// refer computes the sums of a problem.
func (r *runner) refer(p *problem) []sum {
	sums := make([]sum, p.M*p.N)
	compensated := r.acc == dtype.F64
	for i := range p.M {
		row := sums[i*p.N:][:p.N]
		for l, x := range p.a[i*p.K:][:p.K] {
			lost := (r.flushes || r.mayFlush) && denormal(r.a.elem(), x)
			for j, y := range p.b[l*p.N:][:p.N] {
				if lost || (r.flushes || r.mayFlush) && denormal(r.b.elem(), y) {
					if row[j].lo, row[j].hi = row[j].lo+min(-x*y, 0), row[j].hi+max(-x*y, 0); r.flushes {
						row[j].lo, row[j].hi = 0, 0
						continue
					}
				}
				row[j].add(x, y, compensated)
			}
		}
		for j := range row {
			row[j].end(p.K, compensated)
		}
	}
	return sums
}

// crossCheck compares the reference with gonum's Dgemm, called directly: mat and
// blas64 may have been told to use our own kernels.
func crossCheck(p *problem, sums []sum) error {
	if p.M == 0 || p.N == 0 || p.K == 0 {
		return nil
	}
	c := make([]float64, p.M*p.N)
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, p.M, p.N, p.K, 1, p.a, p.K, p.b, p.N, 0, c, p.N)
	for e, v := range c {
		s := sums[e]
		d := up(gamma(float64(p.K), 53)*s.abs + s.err)
		if !(math.Abs(v-s.acc) <= d) {
			return fmt.Errorf("%v: the reference itself is wrong: element (%d, %d) is %v, gonum has %v +-%.3g",
				p.Shape, e/p.N, e%p.N, s.acc, v, d)
		}
	}
	return nil
}

// bound returns where an element of alpha*a*b + beta*old, or what is stored of a*b, may lie.
//
// The accumulator: scaling a or b by alpha beforehand makes one rounding more than k, and so do operands of other types
// than the sums, whose products may be rounded. Each rounding that flushes loses as much as the smallest normal number.
//
// The end is evaluated over that interval; each operation may round, or
// not if an FMA merges it with the next. Beyond one k-block, out
// itself may carry the sum. Each further block adds a rounding of a partial sum, of
// magnitude at most |beta*old| + |alpha|*sum|a||b|.
func (r *runner) bound(s *sum, k int, old, alpha, beta float64) (in interval, d float64) {
	roundings := float64(k)
	if r.store != nil || alpha != math.Trunc(alpha) || math.Abs(alpha) > 1 {
		roundings++
	}
	d = s.error(r.acc, k, roundings)
	if r.flushes || r.mayFlush {
		d += float64(k) * smallNormalOf(r.acc)
	}
	in = around(s.acc, d)
	in.lo, in.hi = in.lo+s.lo, in.hi+s.hi
	if r.store != nil {
		return interval{r.store(in.lo), r.store(in.hi)}, d
	}
	in = in.scale(alpha).maybeRounded(r.acc)
	if beta != 0 {
		in = in.add(interval{old, old}.scale(beta).maybeRounded(r.acc))
	}
	if kc := max(r.kc, 1); r.kc > 0 && k > kc {
		blocks := (k + kc - 1) / kc
		size := up(math.Abs(beta*old) + 2*math.Abs(alpha)*s.abs)
		bits, _ := numberFormat(r.acc)
		in = in.widen(up(gamma(float64(blocks+1), bits) * size))
	}
	return in.rounded(r.acc), d
}

// within compares with the bounds, and notes how much of them a sum took.
func (r *runner) within(p *problem, sums []sum, c call) func(have []float64) error {
	return func(have []float64) error {
		for e, v := range have {
			in, d := r.bound(&sums[e], p.K, p.c[e], c.alpha, c.beta)
			if d > 0 && c.alpha == 1 && c.beta == 0 && r.store == nil {
				r.worst = max(r.worst, math.Abs(v-sums[e].acc)/d)
			}
			if !(in.lo <= v && v <= in.hi) {
				return &mismatch{e / p.N, e % p.N, v, r.end(sums[e].acc, p.c[e], c.alpha, c.beta), fmt.Sprintf(" within %v (accumulator +-%.3g)", in, d)}
			}
		}
		return nil
	}
}

// interval has random numbers, whose sums must be within bounds, and the same call twice, which must give the same bits.
func (r *runner) interval(t TB) {
	if r.acc == dtype.I32 {
		return
	}
	r.worst = 0
	mr, nr, kc := r.mr, r.nr, r.depth()
	for _, s := range r.some(Shape{mr + 1, nr + 1, 8}, Shape{1, 1, 2}, Shape{mr, nr, 1}, Shape{mr - 1, nr + 1, 61}, Shape{mr + 1, 3, kc}, Shape{3, nr - 1, kc + 1}, Shape{mr + 1, nr + 1, 2*kc + 3}) {
		for i, f := range fillsOf(r.a.elem(), r.b.elem(), r.store != nil) {
			p := r.random(s, f, uint64(i))
			sums := r.refer(p)
			if err := crossCheck(p, sums); err != nil && !r.flushes && !r.mayFlush {
				t.Errorf("%v", err)
				return
			}
			for range min(4, r.most()) {
				c := r.turn.next()
				var first []float64
				compare := func(have []float64) error {
					for e, v := range first {
						if !sameBits(v, have[e]) {
							return &mismatch{e / s.N, e % s.N, have[e], v, ", as the first call with the same operands"}
						}
					}
					first = have
					if err := r.within(p, sums, c)(have); err != nil {
						return fmt.Errorf("fill=%s: %w", f.name, err)
					}
					return nil
				}
				if r.try(t, p, c, compare) {
					r.try(t, p, c, compare)
				}
				if r.done() {
					return
				}
			}
		}
	}
	if r.store == nil {
		t.Logf("the largest accumulator error is %.2g of its bound", r.worst)
	}
}
