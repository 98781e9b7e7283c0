package check

import (
	"fmt"
	"math"
)

// freivalds checks have*x = alpha*(a*(b*x)) + beta*(c*x) for random vectors x, at
// the cost of reading the operands [Freivalds, Probabilistic machines can use less
// running time, IFIP 1977]. All of it is exact: den*have must be an integer, and
// int64 arithmetic is that of the ring of integers modulo 2^64.
//
// A wrong result passes with little probability over x, uniform in 0..2^64-1. Let d be
// a non-zero element of the difference and 2^t the largest power of two that divides
// it. For any values of the other elements of x, at most 2^t of the 2^64 values of x_j
// make that row vanish. |d| <= 2^(p+1), so t <= p+1, and a vector misses the error with
// probability at most 2^(p-63): 2^-39 for float32, 2^-10 for float64. Four vectors make
// that 2^-156 and 2^-40; for a d that is odd, 2^-256.
func (p *integers[T]) freivalds(have []T, alpha, beta float64, vectors int) error {
	al, be := int64(alpha*float64(p.den)), int64(beta*float64(p.den))
	scaled := make([]int64, len(have))
	limit := math.Ldexp(1, precision[T]())
	for e, v := range have {
		w := float64(v) * float64(p.den)
		if w != math.Trunc(w) || math.Abs(w) > limit { // a NaN differs from itself
			i := e / p.N
			return p.rowMismatch(i, have[i*p.N:][:p.N], al, be)
		}
		scaled[e] = int64(w)
	}
	rng := source(p.Shape, 2)
	for range vectors {
		x := make([]int64, p.N)
		for j := range x {
			x[j] = int64(rng.Uint64())
		}
		bx := mulVec(p.bi, x)
		for i := range p.M {
			want := al*dot(p.ai[i*p.K:][:p.K], bx) + be*dot(p.ci[i*p.N:][:p.N], x)
			if dot(scaled[i*p.N:][:p.N], x) != want {
				return p.rowMismatch(i, have[i*p.N:][:p.N], al, be)
			}
		}
	}
	return nil
}

// rowMismatch finds the wrong element of row i by the plain loop.
func (p *integers[T]) rowMismatch(i int, have []T, al, be int64) error {
	for j, x := range have {
		sum := be * p.ci[i*p.N+j]
		for l := range p.K {
			sum += al * p.ai[i*p.K+l] * p.bi[l*p.N+j]
		}
		if want := T(float64(sum) / float64(p.den)); x != want {
			return &mismatch{i, j, float64(x), float64(want), ""}
		}
	}
	return fmt.Errorf("row %d: Freivalds' method and the plain loop disagree", i)
}

// mulVec returns the product of a matrix of len(x) columns and x.
func mulVec(m, x []int64) []int64 {
	if len(x) == 0 {
		return nil
	}
	y := make([]int64, len(m)/len(x))
	for i := range y {
		y[i] = dot(m[i*len(x):][:len(x)], x)
	}
	return y
}

func dot(x, y []int64) int64 {
	var s int64
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
