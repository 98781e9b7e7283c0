package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// smallNormal is the smallest normal number of T.
func smallNormal[T dtype.Elem]() float64 { return smallNormalOf(dtype.Of[T]()) }

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

// nonfinite places NaN, infinities and zeros among small integers, most of them in the
// last rows, columns and k. The finite values being small, the class of a sum does not
// depend on its order. An operand that is read but not part of a sum, such as what
// follows a row whose k is odd, shows as well: around operands there are NaNs.
func (r *mixedRunner) nonfinite(t TB) {
	if !floats(r.a.elem()) && !floats(r.b.elem()) || !floats(r.out.elem()) {
		return
	}
	mr, nr := r.mr, r.nr
	for _, s := range []Shape{{1, 1, 1}, {1, nr, 3}, {mr, 1, 5}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr - 1, 2*nr - 1, 9}, {3, 5, r.kc + 1}} {
		for v := range 24 {
			rng := source(s, uint64(100+v))
			p := &mixedProblem{s, specials(r.a, rng, s.M, s.K, v, v%3 != 1), specials(r.b, rng, s.K, s.N, v, v%3 != 0)}
			r.try(t, p, r.next(position(v%3)), 1, func(have []float64) error { return r.classes(p, have) })
			if r.done() {
				return
			}
		}
	}
}

// specials is a matrix of integers of -4 to 4 and, if planted is set and the type has them, NaN
// and infinities.
func specials(of guardedElems, rng *rand.Rand, rows, cols, variant int, planted bool) []float64 {
	m := make([]float64, rows*cols)
	for i := range m {
		m[i] = of.round(float64(1+rng.IntN(4)) * float64(1-2*rng.IntN(2)))
	}
	if !planted || !floats(of.elem()) {
		return m
	}
	m[rng.IntN(len(m))] = of.round(0) // may meet an infinity
	values := []float64{math.Inf(1), math.NaN(), math.Inf(-1), 0, math.Inf(1), math.Inf(-1)}
	for q := range 3 {
		v := of.round(values[(variant+q)%len(values)])
		switch q {
		case 0:
			m[len(m)-1-rng.IntN(cols)] = v
		case 1:
			m[rng.IntN(rows)*cols+cols-1] = v
		default:
			m[rng.IntN(len(m))] = v
		}
	}
	return m
}

// classes compares with the plain loop, which multiplies every pair.
func (r *mixedRunner) classes(p *mixedProblem, have []float64) error {
	for i := range p.M {
		for j := range p.N {
			sum := 0.0
			for l := range p.K {
				sum += p.a[i*p.K+l] * p.b[l*p.N+j]
			}
			want := r.store(sum)
			if v := have[i*p.N+j]; class(v) != class(want) || class(want) == "finite" && v != want {
				return &mismatch{i, j, v, want, fmt.Sprintf(" (%s, not %s)", class(want), class(v))}
			}
		}
	}
	return nil
}

// denormal is the exact oracle in units of the smallest numbers: of either operand, and
// of the sum of two that are not small themselves.
func (r *mixedRunner) denormal(t TB) {
	if r.denormals == DenormalsEither {
		return // the interval says where results may lie
	}
	mr, nr := r.mr, r.nr
	bitsA, leastA := numberFormat(r.a.elem())
	bitsB, leastB := numberFormat(r.b.elem())
	for _, s := range []Shape{{1, 1, 1}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr + 1, nr - 1, 33}} {
		if s.N < 1 {
			continue
		}
		var units [][2]float64
		if bitsA > 0 {
			units = append(units, [2]float64{math.Ldexp(1, leastA), 1})
		}
		if bitsB > 0 {
			units = append(units, [2]float64{1, math.Ldexp(1, leastB)})
		}
		// Sums of f32 below its normal numbers, of operands that are well above them.
		if r.acc == dtype.F32 && leastA <= -133 && leastB <= -133 {
			units = append(units, [2]float64{0x1p-70, 0x1p-70})
		}
		for _, u := range units {
			p := r.integers(s, 5)
			rng := source(s, 6)
			scatter(rng, p.ai, 1, 7)
			scatter(rng, p.bi, 1, 7)
			p.convert(u[0], u[1])
			if r.denormals == DenormalsFlushed && r.flushed(u) {
				p.unit = 0
			}
			for range 5 {
				r.try(t, &p.mixedProblem, r.next(middle), 1, p.compare)
				if r.done() {
					return
				}
			}
		}
	}
}

// flushed reports whether products of few small integers in these units are all flushed.
func (r *mixedRunner) flushed(unit [2]float64) bool {
	return denormal(r.a.elem(), 7*unit[0]) || denormal(r.b.elem(), 7*unit[1]) || denormal(r.acc, 1<<11*unit[0]*unit[1])
}

// A mixedFill is a distribution of operands. Exponents are within what T has.
type mixedFill struct {
	name   string
	a, b   func(rng *rand.Rand) float64
	cancel bool
}

func mixedFills(a, b dtype.Type) []mixedFill {
	normal := func(rng *rand.Rand) float64 { return rng.NormFloat64() }
	uniform := func(rng *rand.Rand) float64 { return rng.Float64() }
	wide := func(least float64) func(rng *rand.Rand) float64 {
		spread := 20
		if least > 0x1p-100 {
			spread = 10 // a binary16 ends at 65504
		}
		return func(rng *rand.Rand) float64 {
			return math.Ldexp(rng.NormFloat64(), rng.IntN(2*spread+1)-spread)
		}
	}
	tiny := func(least float64) func(rng *rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return rng.NormFloat64() * least }
	}
	return []mixedFill{
		{name: "normal", a: normal, b: normal},
		{name: "positive", a: uniform, b: uniform},
		{name: "wide", a: wide(smallNormalOf(a)), b: wide(smallNormalOf(b))},
		{name: "cancel", a: normal, b: normal, cancel: true},
		{name: "tiny a", a: tiny(smallNormalOf(a)), b: normal},
		{name: "tiny b", a: normal, b: tiny(smallNormalOf(b))},
	}
}

// random makes a problem of f, whose integers, if it has some, are of all sizes.
func (r *mixedRunner) random(s Shape, f mixedFill, salt uint64) *mixedProblem {
	rng := source(s, salt)
	p := &mixedProblem{s, make([]float64, s.M*s.K), make([]float64, s.K*s.N)}
	for i := range p.a {
		p.a[i] = r.a.round(f.a(rng))
	}
	for i := range p.b {
		p.b[i] = r.b.round(f.b(rng))
	}
	if f.cancel { // the second half of k undoes the first but for its rounding
		half := s.K / 2
		for l := range half {
			for i := range s.M {
				p.a[i*s.K+half+l] = r.a.round(-p.a[i*s.K+l])
			}
			for j := range s.N {
				p.b[(half+l)*s.N+j] = r.b.round(p.b[l*s.N+j] * (1 + 1e-2*rng.NormFloat64()))
			}
		}
	}
	return p
}

// bound is where the sum at (i, j) may lie. A product takes part in at most k roundings,
// one for each addition to it. The order of additions does not matter, nor whether two
// products are joined first, as in VDPBF16PS, which rounds their sum and what it is
// added to. The products of narrow floats are exact in float32. Those of float32 are
// exact in an FMA, and otherwise rounded once. Each rounding loses half the smallest
// denormal number at least, and each that flushes as much as the smallest normal one.
func (r *mixedRunner) bound(p *mixedProblem, i, j int) (in interval, mid float64) {
	lo, hi, abs := 0.0, 0.0, 0.0
	for l := range p.K {
		x, y := p.a[i*p.K+l], p.b[l*p.N+j]
		v := x * y
		least, most := v, v
		if r.denormals != DenormalsKept && (denormal(r.a.elem(), x) || denormal(r.b.elem(), y)) {
			least, most = min(v, 0), max(v, 0)
			if r.denormals == DenormalsFlushed {
				least, most, v = 0, 0, 0
			}
		}
		lo, hi, mid, abs = lo+least, hi+most, mid+v, abs+math.Abs(v)
	}
	bits, least := numberFormat(r.acc)
	k := float64(p.K)
	d := up((gamma(k+1, bits)+gamma(k+1, 53))*abs) + k*math.Ldexp(1, least-1)
	if r.denormals != DenormalsKept {
		d += k * smallNormalOf(r.acc)
	}
	return interval{down(lo - d), up(hi + d)}, mid
}

// interval is the oracle of random numbers, and that the same call twice gives the same
// bits.
func (r *mixedRunner) interval(t TB) {
	mr, nr, kc := r.mr, r.nr, r.kc
	for _, s := range some([]Shape{{mr + 1, nr + 1, 8}, {1, 1, 2}, {mr, nr, 1}, {mr - 1, nr + 1, 61}, {mr + 1, 3, kc}, {3, nr - 1, kc + 1}, {mr + 1, nr + 1, 2*kc + 3}}) {
		if s.M < 1 || s.N < 1 {
			continue
		}
		for i, f := range mixedFills(r.a.elem(), r.b.elem()) {
			p := r.random(s, f, uint64(i))
			var first []float64
			compare := func(have []float64) error {
				for e, v := range have {
					in, mid := r.bound(p, e/s.N, e%s.N)
					if lo, hi := r.store(in.lo), r.store(in.hi); !(lo <= v && v <= hi) {
						return fmt.Errorf("fill=%s: %w", f.name, &mismatch{e / s.N, e % s.N, v, mid, fmt.Sprintf(" within [%v, %v]", lo, hi)})
					}
					if first != nil && first[e] != v {
						return fmt.Errorf("fill=%s: %w", f.name, &mismatch{e / s.N, e % s.N, v, first[e], ", as the first call with the same operands"})
					}
				}
				first = have
				return nil
			}
			l := r.next(middle)
			r.try(t, p, l, 1, compare)
			r.try(t, p, l, 1, compare)
			if r.done() {
				return
			}
		}
	}
}
