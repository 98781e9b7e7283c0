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

// nonzero fills dst with integers of [-r, r] other than 0: no product vanishes,
// so no dropped product goes unseen.
func nonzero(rng *rand.Rand, dst []int64, r int64) {
	for i := range dst {
		x := rng.Uint64()
		v := int64(x>>1%uint64(r)) + 1
		if x&1 != 0 {
			v = -v
		}
		dst[i] = v
	}
}

// A fill is a distribution of the operands of the interval oracle.
type fill struct {
	name string
	a, b func(rng *rand.Rand, i, j int) float64
	// cancel makes every row of a times every column of b sum to almost nothing.
	cancel bool
}

func normal(rng *rand.Rand, _, _ int) float64 { return rng.NormFloat64() }

// mixed spreads magnitudes over 2^-20 .. 2^20: small terms next to large ones.
func mixed(rng *rand.Rand, _, _ int) float64 {
	return math.Ldexp(rng.NormFloat64(), rng.IntN(41)-20)
}

func uniform(rng *rand.Rand, _, _ int) float64 { return rng.Float64() }

var fills = []fill{
	{name: "normal", a: normal, b: normal},
	{name: "positive", a: uniform, b: uniform}, // all roundings drift one way
	{name: "mixed", a: mixed, b: mixed},
	{name: "cancel", a: normal, b: normal, cancel: true},
}

// random returns a problem with entries from f, rounded to T.
func random[T dtype.Float](s Shape, f fill, salt uint64) *problem[T] {
	rng := source(s, salt)
	p := newProblem[T](s)
	for i := range s.M {
		for l := range s.K {
			p.a[i*s.K+l] = T(f.a(rng, i, l))
		}
	}
	for l := range s.K {
		for j := range s.N {
			p.b[l*s.N+j] = T(f.b(rng, l, j))
		}
	}
	for i := range p.c {
		p.c[i] = T(rng.NormFloat64())
	}
	if f.cancel {
		// Term l of the second half undoes term l of the first except for a part in 1000, so
		// the sum is far smaller than its terms.
		half := s.K / 2
		for l := range half {
			for i := range s.M {
				p.a[i*s.K+half+l] = -p.a[i*s.K+l]
			}
			for j := range s.N {
				p.b[(half+l)*s.N+j] = p.b[l*s.N+j] * T(1+1e-3*rng.NormFloat64())
			}
		}
	}
	return p
}
