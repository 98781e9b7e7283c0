package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// special returns a problem of small integers in which NaN, infinities and zeros
// are planted. Most are in the last rows, columns and k, where kernels pad, mask and
// shift.
func special[T dtype.Float](s Shape, variant int) *problem[T] {
	rng := source(s, uint64(100+variant))
	p := newProblem[T](s)
	for _, m := range [][]T{p.a, p.b, p.c} {
		ints := make([]int64, len(m))
		nonzero(rng, ints, 4)
		for i, v := range ints {
			m[i] = T(v)
		}
	}
	inf, nan := T(math.Inf(1)), T(math.NaN())
	values := []T{inf, nan, -inf, 0, inf, -inf}
	plant := func(m []T, rows, cols, n int) {
		if len(m) == 0 {
			return
		}
		m[rng.IntN(rows)*cols+rng.IntN(cols)] = 0 // may meet an infinity
		for q := range n {
			v := values[(variant+q)%len(values)]
			switch q % 3 {
			case 0:
				m[len(m)-1-rng.IntN(cols)] = v // last row
			case 1:
				m[rng.IntN(rows)*cols+cols-1] = v // last column
			default:
				m[rng.IntN(len(m))] = v
			}
		}
	}
	switch variant % 4 {
	case 0:
		plant(p.a, s.M, s.K, 3)
	case 1:
		plant(p.b, s.K, s.N, 3)
	case 2:
		plant(p.a, s.M, s.K, 2)
		plant(p.b, s.K, s.N, 2)
	default:
		plant(p.b, s.K, s.N, 1)
		plant(p.c, s.M, s.N, 5)
	}
	return p
}

// classes checks have against the plain IEEE loop that multiplies every pair, so
// that 0*Inf is NaN. (gonum's Dgemm skips zeros of a and has 0 there.) The finite
// values are small integers, so the sum neither rounds nor overflows, and its class
// does not depend on the order. It is NaN if a term is or if two are opposite
// infinities. NaN payloads and the sign of zero are free. alpha is not 0: whether 0*NaN
// counts then differs between BLAS implementations.
func (p *problem[T]) classes(have []T, alpha, beta float64) error {
	for i := range p.M {
		for j := range p.N {
			acc := 0.0
			for l := range p.K {
				acc += float64(p.a[i*p.K+l]) * float64(p.b[l*p.N+j])
			}
			want := alpha * acc
			if beta != 0 {
				want += beta * float64(p.c[i*p.N+j])
			}
			if v := float64(have[i*p.N+j]); class(v) != class(want) || class(want) == "finite" && v != want {
				return &mismatch{i, j, v, want, fmt.Sprintf(" (%s, not %s)", class(want), class(v))}
			}
		}
	}
	return nil
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
func (r *runner[T]) nonfinite(t TB) {
	mr, nr := r.o.MR, r.o.NR
	c := combos{o: &r.o}
	for _, s := range []Shape{{1, 1, 1}, {1, nr, 3}, {mr, 1, 5}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr - 1, 2*nr - 1, 9}, {mr - 1, nr - 1, 2}, {3, 5, r.kc() + 1}} {
		for v := range 24 {
			p := special[T](s, v)
			c := c.next()
			if c.alpha == 0 {
				continue
			}
			r.try(t, p, c, func(have []T) error { return p.classes(have, c.alpha, c.beta) })
			if r.done() {
				return
			}
		}
	}
}
