package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// smallNormal is the smallest normal number of T.
func smallNormal[T dtype.Elem]() float64 {
	bits, least := formatOf[T]()
	return math.Ldexp(1, least+bits-1)
}

// floats reports whether T has NaN and infinities.
func floats[T dtype.Elem]() bool {
	bits, _ := formatOf[T]()
	return bits > 0 && dtype.Of[T]() != dtype.TypeF8E4M3
}

// denormal reports whether x is a denormal number of T.
func denormal[T dtype.Elem](x float64) bool {
	bits, _ := formatOf[T]()
	return bits > 0 && x != 0 && math.Abs(x) < smallNormal[T]()
}

// nonfinite places NaN, infinities and zeros among small integers, most of them in the
// last rows, columns and k. The finite values being small, the class of a sum does not
// depend on its order. An operand that is not read as part of a sum, such as what
// follows a row whose k is odd, shows as well: around operands there are NaNs.
func (r *mixedRunner[A, B, Acc, Out]) nonfinite(t TB) {
	if !floats[A]() && !floats[B]() || !floats[Out]() {
		return
	}
	mr, nr := r.c.MR, r.c.NR
	for _, s := range []Shape{{1, 1, 1}, {1, nr, 3}, {mr, 1, 5}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr - 1, 2*nr - 1, 9}, {3, 5, r.kc + 1}} {
		for v := range 24 {
			rng := source(s, uint64(100+v))
			p := &mixedProblem[A, B]{s, specials[A](rng, s.M, s.K, v, v%3 != 1), specials[B](rng, s.K, s.N, v, v%3 != 0)}
			r.try(t, p, r.next(position(v%3)), 1, func(have []Out) error { return r.classes(p, have) })
			if r.done() {
				return
			}
		}
	}
}

// specials is a matrix of integers of -4 to 4 and, if planted is set and T has them, NaN
// and infinities.
func specials[T dtype.Elem](rng *rand.Rand, rows, cols, variant int, planted bool) []T {
	m := make([]T, rows*cols)
	for i := range m {
		m[i] = toElem[T](float64(1+rng.IntN(4)) * float64(1-2*rng.IntN(2)))
	}
	if !planted || !floats[T]() {
		return m
	}
	m[rng.IntN(len(m))] = toElem[T](0) // may meet an infinity
	values := []float64{math.Inf(1), math.NaN(), math.Inf(-1), 0, math.Inf(1), math.Inf(-1)}
	for q := range 3 {
		v := toElem[T](values[(variant+q)%len(values)])
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
func (r *mixedRunner[A, B, Acc, Out]) classes(p *mixedProblem[A, B], have []Out) error {
	for i := range p.M {
		for j := range p.N {
			sum := 0.0
			for l := range p.K {
				sum += Float64(p.a[i*p.K+l]) * Float64(p.b[l*p.N+j])
			}
			want := Float64(r.c.Store(Acc(sum)))
			if v := Float64(have[i*p.N+j]); class(v) != class(want) || class(want) == "finite" && v != want {
				return &mismatch{i, j, v, want, fmt.Sprintf(" (%s, not %s)", class(want), class(v))}
			}
		}
	}
	return nil
}

// denormal is the exact oracle in units of the smallest numbers: of either operand, and
// of the sum of two that are not small themselves.
func (r *mixedRunner[A, B, Acc, Out]) denormal(t TB) {
	if r.c.Denormals == DenormalsEither {
		return // the interval says where results may lie
	}
	mr, nr := r.c.MR, r.c.NR
	bitsA, leastA := formatOf[A]()
	bitsB, leastB := formatOf[B]()
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
		if dtype.Of[Acc]() == dtype.F32 && leastA <= -133 && leastB <= -133 {
			units = append(units, [2]float64{0x1p-70, 0x1p-70})
		}
		for _, u := range units {
			p := r.integers(s, 5)
			rng := source(s, 6)
			scatter(rng, p.ai, 1, 7)
			scatter(rng, p.bi, 1, 7)
			p.convert(u[0], u[1])
			if r.c.Denormals == DenormalsFlushed && r.flushed(u) {
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
func (r *mixedRunner[A, B, Acc, Out]) flushed(unit [2]float64) bool {
	return denormal[A](7*unit[0]) || denormal[B](7*unit[1]) || denormal[Acc](1<<11*unit[0]*unit[1])
}

// A mixedFill is a distribution of operands. Exponents are within what T has.
type mixedFill struct {
	name   string
	a, b   func(rng *rand.Rand) float64
	cancel bool
}

func mixedFills[A, B dtype.Elem]() []mixedFill {
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
		{name: "wide", a: wide(smallNormal[A]()), b: wide(smallNormal[B]())},
		{name: "cancel", a: normal, b: normal, cancel: true},
		{name: "tiny a", a: tiny(smallNormal[A]()), b: normal},
		{name: "tiny b", a: normal, b: tiny(smallNormal[B]())},
	}
}

// random makes a problem of f, whose integers, if it has some, are of all sizes.
func (r *mixedRunner[A, B, Acc, Out]) random(s Shape, f mixedFill, salt uint64) *mixedProblem[A, B] {
	rng := source(s, salt)
	p := &mixedProblem[A, B]{s, make([]A, s.M*s.K), make([]B, s.K*s.N)}
	for i := range p.a {
		p.a[i] = toElem[A](f.a(rng))
	}
	for i := range p.b {
		p.b[i] = toElem[B](f.b(rng))
	}
	if f.cancel { // the second half of k undoes the first but for its rounding
		half := s.K / 2
		for l := range half {
			for i := range s.M {
				p.a[i*s.K+half+l] = toElem[A](-Float64(p.a[i*s.K+l]))
			}
			for j := range s.N {
				p.b[(half+l)*s.N+j] = toElem[B](Float64(p.b[l*s.N+j]) * (1 + 1e-2*rng.NormFloat64()))
			}
		}
	}
	return p
}

// bound is where the sum at (i, j) may lie. A product takes part in at most k roundings:
// one for each addition to it, however the additions are ordered and whether two
// products are joined first, as in VDPBF16PS, which rounds their sum and what it is
// added to; the products of narrow floats are exact in float32, and those of float32 are
// where an FMA makes them, else rounded once. Each rounding loses half the smallest
// denormal number at least, and each that flushes as much as the smallest normal one.
func (r *mixedRunner[A, B, Acc, Out]) bound(p *mixedProblem[A, B], i, j int) (in interval, mid float64) {
	lo, hi, abs := 0.0, 0.0, 0.0
	for l := range p.K {
		x, y := Float64(p.a[i*p.K+l]), Float64(p.b[l*p.N+j])
		v := x * y
		least, most := v, v
		if r.c.Denormals != DenormalsKept && (denormal[A](x) || denormal[B](y)) {
			least, most = min(v, 0), max(v, 0)
			if r.c.Denormals == DenormalsFlushed {
				least, most, v = 0, 0, 0
			}
		}
		lo, hi, mid, abs = lo+least, hi+most, mid+v, abs+math.Abs(v)
	}
	bits, least := formatOf[Acc]()
	k := float64(p.K)
	d := up((gamma(k+1, bits)+gamma(k+1, 53))*abs) + k*math.Ldexp(1, least-1)
	if r.c.Denormals != DenormalsKept {
		d += k * smallNormal[Acc]()
	}
	return interval{down(lo - d), up(hi + d)}, mid
}

// interval is the oracle of random numbers, and that the same call twice gives the same
// bits.
func (r *mixedRunner[A, B, Acc, Out]) interval(t TB) {
	mr, nr, kc := r.c.MR, r.c.NR, r.kc
	for _, s := range some([]Shape{{mr + 1, nr + 1, 8}, {1, 1, 2}, {mr, nr, 1}, {mr - 1, nr + 1, 61}, {mr + 1, 3, kc}, {3, nr - 1, kc + 1}, {mr + 1, nr + 1, 2*kc + 3}}) {
		if s.M < 1 || s.N < 1 {
			continue
		}
		for i, f := range mixedFills[A, B]() {
			p := r.random(s, f, uint64(i))
			var first []Out
			compare := func(have []Out) error {
				for e, x := range have {
					in, mid := r.bound(p, e/s.N, e%s.N)
					v := Float64(x)
					if lo, hi := Float64(r.c.Store(Acc(in.lo))), Float64(r.c.Store(Acc(in.hi))); !(lo <= v && v <= hi) {
						return fmt.Errorf("fill=%s: %w", f.name, &mismatch{e / s.N, e % s.N, v, mid, fmt.Sprintf(" within [%v, %v]", lo, hi)})
					}
					if first != nil && Float64(first[e]) != v {
						return fmt.Errorf("fill=%s: %w", f.name, &mismatch{e / s.N, e % s.N, v, Float64(first[e]), ", as the first call with the same operands"})
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
