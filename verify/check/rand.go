package check

import (
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// source returns a generator that depends on the arguments only, so a failing
// case fails again when it runs alone.
func source(s Shape, salt uint64) *rand.Rand {
	h := salt
	for _, v := range [...]int{s.M, s.N, s.K} {
		h = (h ^ uint64(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return rand.New(testenv.PCG(h, salt))
}

// A fill is a distribution of the operands of the interval oracle.
type fill struct {
	name string
	a, b func(rng *rand.Rand) float64
	// cancel makes every row of a times every column of b sum to almost nothing.
	cancel bool
}

func normal(rng *rand.Rand) float64  { return rng.NormFloat64() }
func uniform(rng *rand.Rand) float64 { return rng.Float64() }

// wide spreads magnitudes over what a type has: small terms next to large ones.
func wide(t dtype.Type) func(rng *rand.Rand) float64 {
	spread := 20
	if smallNormalOf(t) > 0x1p-100 {
		spread = 10 // a binary16 ends at 65504
	}
	return func(rng *rand.Rand) float64 {
		return math.Ldexp(rng.NormFloat64(), rng.IntN(2*spread+1)-spread)
	}
}

// fillsOf are the distributions for types, with numbers about the smallest where operands may be narrower than sums.
func fillsOf(a, b dtype.Type, narrow bool) []fill {
	fills := []fill{
		{name: "normal", a: normal, b: normal},
		{name: "positive", a: uniform, b: uniform}, // all roundings drift one way
		{name: "wide", a: wide(a), b: wide(b)},
		{name: "cancel", a: normal, b: normal, cancel: true},
	}
	tiny := func(t dtype.Type) func(rng *rand.Rand) float64 {
		least := smallNormalOf(t)
		return func(rng *rand.Rand) float64 { return rng.NormFloat64() * least }
	}
	if narrow {
		fills = append(fills, fill{name: "tiny a", a: tiny(a), b: normal}, fill{name: "tiny b", a: normal, b: tiny(b)})
	}
	return fills
}

// random returns entries from f. Integers, if it has some, are of all sizes.
func random(c *Case, s Shape, f fill, salt uint64) *product {
	rng := source(s, salt)
	p := newProduct(s)
	for i := range p.a {
		p.a[i] = roundTo(c.A, f.a(rng))
	}
	for i := range p.b {
		p.b[i] = roundTo(c.B, f.b(rng))
	}
	for i := range p.c {
		p.c[i] = roundTo(c.Slots[0].Type, rng.NormFloat64())
	}
	if f.cancel {
		// Term l of the second half undoes term l of the first except for a part in 1000, so
		// the sum is far smaller than its terms.
		part := 1e-3
		if c.B.Size() < 4 {
			part = 1e-2
		}
		half := s.K / 2
		for l := range half {
			for i := range s.M {
				p.a[i*s.K+half+l] = -p.a[i*s.K+l]
			}
			for j := range s.N {
				p.b[(half+l)*s.N+j] = roundTo(c.B, p.b[l*s.N+j]*(1+part*rng.NormFloat64()))
			}
		}
	}
	return p
}
