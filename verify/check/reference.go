package check

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A reference is what Oracle 2 knows of one problem: the accumulators and how far
// from them a right kernel can be.
type reference[T dtype.Float] struct {
	*problem[T]
	acc []float64 // a*b
	err []float64 // |acc - the real a*b| is at most this
	abs []float64 // sum of |a||b|, rounded up
}

// refer computes the reference by plain loops that share no code with a kernel. A
// product of two float32 is exact in float64, so float64 sums do for float32. For
// float64 the dot product is the compensated one of Ogita, Rump and Oishi (Accurate sum
// and dot product, SIAM J. Sci. Comput. 26, 2005, Alg. 5.3), as good as computed in
// twice the precision.
func refer[T dtype.Float](p *problem[T]) *reference[T] {
	r := &reference[T]{p, make([]float64, p.M*p.N), make([]float64, p.M*p.N), make([]float64, p.M*p.N)}
	compensated := dtype.Of[T]() == dtype.F64
	low := make([]float64, p.N)
	g := gamma(float64(p.K), 53)
	for i := range p.M {
		acc, abs := r.acc[i*p.N:][:p.N], r.abs[i*p.N:][:p.N]
		clear(low)
		for l, a := range p.a[i*p.K:][:p.K] {
			x := float64(a)
			for j, b := range p.b[l*p.N:][:p.N] {
				y := float64(b)
				h := float64(x * y) // the conversion forbids an FMA
				abs[j] += math.Abs(h)
				if compensated {
					s, e := twoSum(acc[j], h)
					acc[j] = s
					low[j] += e + math.FMA(x, y, -h)
				} else {
					acc[j] += h
				}
			}
		}
		for j := range acc {
			e := i*p.N + j
			abs[j] = up(abs[j] / down(1-g)) // now not below the real sum
			if compensated {
				acc[j] += low[j]
				// Corollary 4.7 with the sum bounded by the result: u|s| + gamma_k^2 sum|a||b|,
				// and products lost to underflow.
				r.err[e] = up(math.Ldexp(math.Abs(acc[j]), -52) + up(g*g)*abs[j] + float64(p.K)*0x1p-1070)
			} else {
				r.err[e] = up(g * abs[j])
			}
		}
	}
	return r
}

// twoSum returns the rounded sum of x and y and its error, exactly (Knuth).
func twoSum(x, y float64) (s, e float64) {
	s = x + y
	z := s - x
	return s, (x - (s - z)) + (y - z)
}

// crossCheck compares the reference with gonum's Dgemm, called directly: mat and
// blas64 may have been told to use our own kernels.
func (r *reference[T]) crossCheck() error {
	if r.M == 0 || r.N == 0 || r.K == 0 {
		return nil
	}
	c := make([]float64, r.M*r.N)
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, r.M, r.N, r.K,
		1, float64s(r.a), r.K, float64s(r.b), r.N, 0, c, r.N)
	for e, v := range c {
		d := up(gamma(float64(r.K), 53)*r.abs[e] + r.err[e])
		if !(math.Abs(v-r.acc[e]) <= d) {
			return fmt.Errorf("%v: the reference itself is wrong: element (%d, %d) is %v, gonum has %v +-%.3g",
				r.Shape, e/r.N, e%r.N, r.acc[e], v, d)
		}
	}
	return nil
}

func float64s[T dtype.Float](s []T) []float64 {
	d := make([]float64, len(s))
	for i, v := range s {
		d[i] = float64(v)
	}
	return d
}
