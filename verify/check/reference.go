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

// refer computes the sums of a product.
func (op *gemm) refer(c *Case, p *product) []sum {
	sums := make([]sum, p.M*p.N)
	compensated := c.Acc == dtype.F64
	flushes := c.Flushes || op.mayFlush
	for i := range p.M {
		row := sums[i*p.N:][:p.N]
		for l, x := range p.a[i*p.K:][:p.K] {
			lost := flushes && denormal(c.A, x)
			for j, y := range p.b[l*p.N:][:p.N] {
				if lost || flushes && denormal(c.B, y) {
					if row[j].lo, row[j].hi = row[j].lo+min(-x*y, 0), row[j].hi+max(-x*y, 0); c.Flushes {
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
func crossCheck(p *product, sums []sum) error {
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
func (op *gemm) bound(c *Case, s *sum, k int, old, alpha, beta float64) (in interval, d float64) {
	roundings := float64(k)
	if op.stored || alpha != math.Trunc(alpha) || math.Abs(alpha) > 1 {
		roundings++
	}
	if c.Odd { // k/2 additions and one in a pair, of two each
		roundings += 2
	}
	d = s.error(c.Acc, k, roundings)
	if c.Flushes || op.mayFlush {
		d += float64(k) * smallNormalOf(c.Acc)
	}
	in = around(s.acc, d)
	in.lo, in.hi = in.lo+s.lo, in.hi+s.hi
	if op.stored {
		return interval{c.results(nil, in.lo, 0, 0)[0], c.results(nil, in.hi, 0, 0)[0]}, d
	}
	in = in.scale(alpha).maybeRounded(c.Acc)
	if beta != 0 {
		in = in.add(interval{old, old}.scale(beta).maybeRounded(c.Acc))
	}
	if kc := max(c.KC, 1); c.KC > 0 && k > kc {
		blocks := (k + kc - 1) / kc
		size := up(math.Abs(beta*old) + 2*math.Abs(alpha)*s.abs)
		bits, _ := numberFormat(c.Acc)
		in = in.widen(up(gamma(float64(blocks+1), bits) * size))
	}
	return in.rounded(c.Acc), d
}

// within compares with the bounds, and notes how much of them a sum took.
func (op *gemm) within(c *Case, p *Problem, v *product, sums []sum, x call) error {
	for e := range sums {
		i, j := e/p.N, e%p.N
		have := p.Load(0, i, j)
		in, d := op.bound(c, &sums[e], p.K, v.c[e], x.alpha, x.beta)
		if d > 0 && x.alpha == 1 && x.beta == 0 && !op.stored {
			op.worst = max(op.worst, math.Abs(have-sums[e].acc)/d)
		}
		if !(in.lo <= have && have <= in.hi) {
			t := total{sum: sums[e].acc}
			p.end(i, j, &t)
			return &mismatch{i, j, have, c.results(p, t.sum, i, j)[0], fmt.Sprintf(" within %v (accumulator +-%.3g)", in, d)}
		}
	}
	return nil
}

// mismatch is one wrong element.
type mismatch struct {
	i, j       int
	have, want float64
	why        string // a bound, or empty
}

func (m *mismatch) Error() string {
	return fmt.Sprintf("element (%d, %d): have %v, want %v%s", m.i, m.j, m.have, m.want, m.why)
}
