package solve

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BiCGSTAB solves a*x = b for any a by stabilized biconjugate gradients, from the x that it
// is given. A step is two products, both of which count in Steps, and needs memory for
// seven vectors whatever happens. If a residual, or a times a direction, is orthogonal to the
// first residual, it restarts from the current x with the residual there as the first one
// ([Result.Restarts]). Errors, panics and bits are as [CG]'s; [ErrBreakdown] is that it divides
// by 0 and a restart does not help, where [GMRES] goes on. The preconditioner stands on the right:
// residuals are those of a*x = b itself. (Van der Vorst, 1992; Saad, Iterative Methods for
// Sparse Linear Systems, algorithm 7.7.)
func BiCGSTAB[T dtype.Float](x []T, a Operator[T], b []T, opt Options[T]) (Result, error) {
	s := begin("solve.BiCGSTAB", x, a, b, opt)
	n := len(x)
	r, shadow, p, v, t := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	y, z := p, r // preconditioned p and r
	if s.m != nil {
		y, z = make([]T, n), make([]T, n)
	}
	direct, move := vectors.Pass[T](directBi[T]), vectors.Pass[T](moveBi[T])
	space := s.space
	for {
		more, err := s.again(r)
		if !more {
			return s.result, err
		}
		copy(shadow, r)
		clear(p)
		clear(v)
		alpha, omega, old := 1.0, 1.0, 1.0
		for first := true; more; first = false {
			space.X, space.Y = shadow, r
			rho, _ := space.Run(s.dot)
			if rho == 0 && !first {
				s.restart()
				break
			}
			beta := float64(rho / old * (alpha / omega)) // rounded, or arm64 fuses beta-beta and finds the rounding error
			if rho == 0 || beta-beta != 0 {
				return s.end(t, s.fail(ErrBreakdown, "the residual is orthogonal to the first one, or a sum overflows"))
			}
			// p = r + beta*(p - omega*v)
			space.V, space.X, space.Y, space.Alpha, space.Beta = p, r, v, T(omega), T(beta)
			space.Run(direct)
			if s.m != nil {
				s.m.Apply(y, p)
			}
			s.a.Apply(v, y)
			space.X, space.Y = v, shadow
			vs, _ := space.Run(s.dot)
			if vs == 0 && !first {
				s.restart()
				break
			}
			if alpha = rho / vs; alpha-alpha != 0 {
				return s.end(t, s.fail(ErrBreakdown, "a times a direction is orthogonal to the first residual, or a sum overflows"))
			}
			// x += alpha*y, r -= alpha*v; x is not in units
			space.V, space.W, space.X, space.Y, space.Alpha = x, r, y, v, T(alpha)
			space.Beta = T(alpha * s.unit)
			rr, _ := space.Run(move)
			if more, err = s.step(math.Sqrt(rr)); err != nil {
				return s.end(t, err)
			} else if !more {
				break
			}
			if s.m != nil {
				s.m.Apply(z, r)
			}
			s.a.Apply(t, z)
			space.X, space.Y = t, r
			tr, tt := space.Run(s.dots)
			if omega = tr / tt; omega == 0 || omega-omega != 0 {
				return s.end(t, s.fail(ErrBreakdown, "a times the residual is orthogonal to it, 0 or not a number"))
			}
			// x += omega*z, r -= omega*t: z may be r itself
			space.V, space.W, space.X, space.Y, space.Alpha = x, r, z, t, T(omega)
			space.Beta = T(omega * s.unit)
			rr, _ = space.Run(move)
			old = rho
			if more, err = s.step(math.Sqrt(rr)); err != nil {
				return s.end(t, err)
			}
		}
	}
}

// directBi makes V = X + Beta*(V - Alpha*Y).
func directBi[T dtype.Float](a *vectors.Args[T], from, to int) (none, nothing float64) {
	p, v := a.V[from:to], a.Y[from:to]
	for i, r := range a.X[from:to] {
		p[i] = r + T(a.Beta*(p[i]-T(a.Alpha*v[i])))
	}
	return 0, 0
}

// moveBi makes V += Beta*X and W -= Alpha*Y, and sums W*W. X may be W.
func moveBi[T dtype.Float](a *vectors.Args[T], from, to int) (rr, none float64) {
	x, z, r, t, alpha, beta := a.V[from:to], a.X[from:to], a.W[from:to], a.Y[from:to], a.Alpha, a.Beta
	var even, odd float64
	for len(x) >= 2 && len(z) >= 2 && len(r) >= 2 && len(t) >= 2 {
		x[0] += T(beta * z[0])
		x[1] += T(beta * z[1])
		r0, r1 := r[0]-T(alpha*t[0]), r[1]-T(alpha*t[1])
		r[0], r[1] = r0, r1
		even += float64(float64(r0) * float64(r0))
		odd += float64(float64(r1) * float64(r1))
		x, z, r, t = x[2:], z[2:], r[2:], t[2:]
	}
	for i := range x {
		x[i] += T(beta * z[i])
		r[i] -= T(alpha * t[i])
		even += float64(float64(r[i]) * float64(r[i]))
	}
	return even + odd, 0
}
