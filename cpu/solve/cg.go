package solve

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// CG solves a*x = b for a symmetric positive definite a by conjugate gradients. It starts
// from the given x, which may be 0. A preconditioner must also be symmetric positive
// definite, as [Jacobi] and [IC0] are.
//
// A step is one product and three passes over vectors, and allocates nothing. Results have
// the same bits for any number of threads if the operators' have.
//
// If CG finds that a or the preconditioner is not positive definite, the error wraps
// [ErrBreakdown]. CG panics with a [layout.ShapeError] if sizes do not agree or x shares
// memory with b. It panics with a [run.OptionError] if an option is negative or NaN.
// (Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems",
// 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1.)
func CG[T dtype.Float](x []T, a Operator[T], b []T, opt Options[T]) (Result, error) {
	s := begin("solve.CG", x, a, b, opt)
	n := len(x)
	r, p, q := make([]T, n), make([]T, n), make([]T, n)
	space := s.space
	z, update, direct, weigh := r, vectors.Pass[T](updateCG[T]), vectors.Pass[T](directCG[T]), s.dot
	add := vectors.Pass[T](addPass[T])
	var scale []T
	switch m := s.m.(type) {
	case nil:
	case *diagonal[T]: // scale*r is made where it is used
		scale, z = m.inverse, m.inverse
		update, direct, weigh = updateScaledCG[T], directScaledCG[T], dotScaled[T]
	default:
		z = make([]T, n)
	}
	for {
		more, err := s.again(r)
		if !more {
			return s.result, err
		}
		clear(p)
		if scale == nil && s.m != nil {
			s.m.Apply(z, r)
		}
		space.X, space.Y = r, z
		rz, _ := space.Run(weigh)
		alpha, beta := 0.0, 0.0
		for err = nil; more && err == nil; {
			if !(rz > 0) || math.IsInf(rz, 0) {
				err = s.fail(ErrBreakdown, "the residual times the preconditioned one is %g: the preconditioner is not positive definite, or it or the matrix has numbers whose squares float64 does not hold", rz)
				break
			}
			// The last step's addition to x waits until p is read again.
			space.V, space.W, space.X, space.Y, space.Alpha, space.Beta = p, x, z, r, T(alpha*s.unit), T(beta)
			space.Run(direct)
			alpha = 0
			s.a.Apply(q, p)
			space.X, space.Y = p, q
			pq, _ := space.Run(s.dot)
			if !(pq > 0) || math.IsInf(pq, 0) {
				err = s.fail(ErrBreakdown, "a direction times a times itself is %g: the matrix is not positive definite", pq)
				break
			}
			alpha = rz / pq
			space.W, space.Y, space.Z, space.Alpha = r, q, scale, T(alpha)
			rr, next := space.Run(update)
			more, err = s.step(math.Sqrt(rr))
			switch {
			case scale != nil || !more:
			case s.m == nil:
				next = rr
			default:
				s.m.Apply(z, r)
				space.X, space.Y = r, z
				next, _ = space.Run(s.dot)
			}
			rz, beta = next, next/rz
		}
		if alpha != 0 {
			space.V, space.X, space.Alpha = x, p, T(alpha*s.unit)
			space.Run(add)
		}
		if err != nil {
			return s.end(q, err)
		}
	}
}

// updateCG makes W -= Alpha*Y, and sums W*W.
func updateCG[T dtype.Float](a *vectors.Args[T], from, to int) (rr, none float64) {
	r, q, alpha := a.W[from:to], a.Y[from:to], a.Alpha
	var even, odd float64
	for len(r) >= 2 && len(q) >= 2 {
		r0, r1 := r[0]-T(alpha*q[0]), r[1]-T(alpha*q[1])
		r[0], r[1] = r0, r1
		even += float64(float64(r0) * float64(r0))
		odd += float64(float64(r1) * float64(r1))
		r, q = r[2:], q[2:]
	}
	for i, v := range q {
		r[i] -= T(alpha * v)
		even += float64(float64(r[i]) * float64(r[i]))
	}
	return even + odd, 0
}

// updateScaledCG is updateCG, and also sums W*(Z*W).
func updateScaledCG[T dtype.Float](a *vectors.Args[T], from, to int) (rr, rz float64) {
	r, q, d, alpha := a.W[from:to], a.Y[from:to], a.Z[from:to], a.Alpha
	var even, odd, evenZ, oddZ float64
	for len(r) >= 2 && len(q) >= 2 && len(d) >= 2 {
		r0, r1 := r[0]-T(alpha*q[0]), r[1]-T(alpha*q[1])
		r[0], r[1] = r0, r1
		even += float64(float64(r0) * float64(r0))
		odd += float64(float64(r1) * float64(r1))
		evenZ += float64(float64(r0) * float64(T(d[0]*r0)))
		oddZ += float64(float64(r1) * float64(T(d[1]*r1)))
		r, q, d = r[2:], q[2:], d[2:]
	}
	for i, v := range q {
		r[i] -= T(alpha * v)
		even += float64(float64(r[i]) * float64(r[i]))
		evenZ += float64(float64(r[i]) * float64(T(d[i]*r[i])))
	}
	return even + odd, evenZ + oddZ
}

// directCG makes W += Alpha*V, and then V = X + Beta*V.
func directCG[T dtype.Float](a *vectors.Args[T], from, to int) (none, nothing float64) {
	p, x, z, alpha, beta := a.V[from:to], a.W[from:to], a.X[from:to], a.Alpha, a.Beta
	for len(p) >= 2 && len(x) >= 2 && len(z) >= 2 {
		p0, p1 := p[0], p[1]
		x[0] += T(alpha * p0)
		x[1] += T(alpha * p1)
		p[0] = z[0] + T(beta*p0)
		p[1] = z[1] + T(beta*p1)
		p, x, z = p[2:], x[2:], z[2:]
	}
	for i, v := range p {
		x[i] += T(alpha * v)
		p[i] = z[i] + T(beta*v)
	}
	return 0, 0
}

// directScaledCG makes W += Alpha*V, and then V = X*Y + Beta*V.
func directScaledCG[T dtype.Float](a *vectors.Args[T], from, to int) (none, nothing float64) {
	p, x, d, r, alpha, beta := a.V[from:to], a.W[from:to], a.X[from:to], a.Y[from:to], a.Alpha, a.Beta
	for len(p) >= 2 && len(x) >= 2 && len(d) >= 2 && len(r) >= 2 {
		p0, p1 := p[0], p[1]
		x[0] += T(alpha * p0)
		x[1] += T(alpha * p1)
		p[0] = T(d[0]*r[0]) + T(beta*p0)
		p[1] = T(d[1]*r[1]) + T(beta*p1)
		p, x, d, r = p[2:], x[2:], d[2:], r[2:]
	}
	for i, v := range p {
		x[i] += T(alpha * v)
		p[i] = T(d[i]*r[i]) + T(beta*v)
	}
	return 0, 0
}

// dotScaled sums X*(X*Y).
func dotScaled[T dtype.Float](a *vectors.Args[T], from, to int) (rz, none float64) {
	d := a.Y[from:to]
	for i, r := range a.X[from:to] {
		rz += float64(float64(r) * float64(T(d[i]*r)))
	}
	return rz, 0
}
