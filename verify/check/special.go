package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// smallNormalOf is the smallest normal number of a type.
func smallNormalOf(t dtype.Type) float64 {
	bits, least := numberFormat(t)
	return math.Ldexp(1, least+bits-1)
}

// floats reports whether t has NaN and infinities.
func floats(t dtype.Type) bool {
	bits, _ := numberFormat(t)
	return bits > 0 && t != dtype.TypeF8E4M3
}

// denormal reports whether x is a denormal number of t.
func denormal(t dtype.Type, x float64) bool {
	bits, _ := numberFormat(t)
	return bits > 0 && x != 0 && math.Abs(x) < smallNormalOf(t)
}

// special returns a problem of small integers in which NaN, infinities and zeros
// are planted. Most are in the last rows, columns and k, where kernels pad, mask and
// shift. What is read but not part of a sum, such as what follows a row whose k is odd, shows as well:
// around operands there are NaNs.
func (r *runner) special(s Shape, variant int) *problem {
	rng := source(s, uint64(100+variant))
	p := newProblem(s)
	of := map[*float64]guardedElems{}
	for _, x := range []struct {
		m []float64
		g guardedElems
	}{{p.a, r.a}, {p.b, r.b}, {p.c, r.out}} {
		for i := range x.m {
			x.m[i] = x.g.round(float64(1+rng.IntN(4)) * float64(1-2*rng.IntN(2)))
		}
		if len(x.m) > 0 {
			of[&x.m[0]] = x.g
		}
	}
	values := []float64{inf, nan, -inf, 0, inf, -inf}
	plant := func(m []float64, cols, n int) {
		if len(m) == 0 || !floats(of[&m[0]].elem()) {
			return
		}
		m[rng.IntN(len(m))] = 0 // may meet an infinity
		for q := range n {
			v := values[(variant+q)%len(values)]
			switch q % 3 {
			case 0:
				m[len(m)-1-rng.IntN(cols)] = v // last row
			case 1:
				m[rng.IntN(len(m)/cols)*cols+cols-1] = v // last column
			default:
				m[rng.IntN(len(m))] = v
			}
		}
	}
	switch variant % 4 {
	case 0:
		plant(p.a, s.K, 3)
	case 1:
		plant(p.b, s.N, 3)
	case 2:
		plant(p.a, s.K, 2)
		plant(p.b, s.N, 2)
	default:
		plant(p.b, s.N, 1)
		plant(p.c, s.N, 5)
	}
	return p
}

// classes compares with the plain IEEE loop that multiplies every pair, so
// that 0*Inf is NaN. (gonum's Dgemm skips zeros of a and has 0 there.) The finite
// values are small integers, so the sum neither rounds nor overflows, and its class
// does not depend on the order. It is NaN if a term is or if two are opposite
// infinities. NaN payloads and the sign of zero are free. alpha is not 0: whether 0*NaN
// counts then differs between BLAS implementations.
func (r *runner) classes(p *problem, c call) func(have []float64) error {
	return func(have []float64) error {
		sums := make([]float64, p.N)
		for i := range p.M {
			p.sums(i, sums)
			for j, sum := range sums {
				want := r.end(sum, p.c[i*p.N+j], c.alpha, c.beta)
				if v := have[i*p.N+j]; class(v) != class(want) || class(want) == "finite" && v != want {
					return &mismatch{i, j, v, want, fmt.Sprintf(" (%s, not %s)", class(want), class(v))}
				}
			}
		}
		return nil
	}
}

func class(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return "finite"
}

// nonfinite places NaN and infinities in the operands.
func (r *runner) nonfinite(t TB) {
	if r.acc == dtype.I32 || !floats(r.out.elem()) {
		return
	}
	mr, nr := r.mr, r.nr
	for _, s := range []Shape{{1, 1, 1}, {1, nr, 3}, {mr, 1, 5}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr - 1, 2*nr - 1, 9}, {mr - 1, nr - 1, 2}, {3, 5, r.depth() + 1}} {
		for v := range 24 {
			c := r.turn.next()
			if c.alpha == 0 || s.MACs() == 0 {
				continue
			}
			if r.store != nil {
				c.at = position(v % 3)
			}
			p := r.special(s, v)
			if r.try(t, p, c, r.classes(p, c)); r.done() {
				return
			}
		}
	}
}

// tiny is a problem of small integers in units of the smallest numbers, where everything is just
// as exact. A kernel that flushes denormals has zeros instead.
func (r *runner) tiny(s Shape, unit [2]float64) *problem {
	p := newProblem(s)
	rng := source(s, 5)
	lo := int64(-15)
	if r.store != nil {
		lo = 1
	}
	hi := max(7, -lo)
	scatter(rng, p.a, lo, hi)
	scatter(rng, p.b, lo, hi)
	scatter(rng, p.c, lo, hi)
	for i := range p.a {
		p.a[i] = r.a.round(p.a[i] * unit[0])
	}
	for i := range p.b {
		p.b[i] = r.b.round(p.b[i] * unit[1])
	}
	for i := range p.c {
		p.c[i] *= unit[0] * unit[1]
	}
	p.flushed = r.flushes && // all products of few small integers are
		(denormal(r.a.elem(), 7*unit[0]) || denormal(r.b.elem(), 7*unit[1]) || denormal(r.acc, 1<<11*unit[0]*unit[1]))
	return p
}

// units are those of operands that are denormal: of a, of b, and of both where sums are
// and operands are well above that.
func (r *runner) units() (units [][2]float64) {
	bitsA, leastA := numberFormat(r.a.elem())
	bitsB, leastB := numberFormat(r.b.elem())
	if bitsA > 0 {
		units = append(units, [2]float64{math.Ldexp(1, leastA), 1})
	}
	if bitsB > 0 && r.store != nil {
		units = append(units, [2]float64{1, math.Ldexp(1, leastB)})
	}
	if r.acc == dtype.F32 && leastA <= -133 && leastB <= -133 && r.store != nil {
		units = append(units, [2]float64{0x1p-70, 0x1p-70})
	}
	return units
}

// denormal is the exact oracle in such units.
func (r *runner) denormal(t TB) {
	if r.acc == dtype.I32 || r.mayFlush { // the interval says where results may lie
		return
	}
	for _, s := range []Shape{{1, 1, 1}, {r.mr, r.nr, 8}, {r.mr + 1, r.nr + 1, 7}, {2*r.mr + 1, r.nr - 1, 33}} {
		if s.N < 1 {
			continue
		}
		for _, u := range r.units() {
			p := r.tiny(s, u)
			for range max(5, 3*r.most()) {
				c := r.turn.next()
				if c.alpha != math.Trunc(c.alpha) || c.beta != math.Trunc(c.beta) {
					continue // half a unit would round
				}
				if r.try(t, p, c, r.exactly(p, c)); r.done() {
					return
				}
			}
		}
	}
}
