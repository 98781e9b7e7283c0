package solve

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// GMRES solves a*x = b for any a, starting from the given x. After each step the residual is
// the least that the directions so far allow. It keeps Options.Restart directions, a vector
// each, and then restarts from the current x. Errors, panics and bits are as in [CG]. It ends
// with [ErrStagnates] if a whole round of directions hardly changes the residual; more
// directions may then help. The preconditioner is on the right, so residuals are those of
// a*x = b. (Saad and Schultz, 1986; Saad, Iterative Methods for Sparse Linear Systems,
// algorithms 6.9, 6.11 and 9.5, with Gram-Schmidt done twice to keep directions orthogonal.)
func GMRES[T dtype.Float](x []T, a Operator[T], b []T, opt Options[T]) (Result, error) {
	s := begin("solve.GMRES", x, a, b, opt)
	n, m := len(x), opt.Restart
	if m == 0 {
		m = 30
	}
	g := gmres[T]{iteration: s, m: min(m, max(n, 1)), w: make([]T, n),
		scale: scalePass[T], take: takePass[T], add: addPass[T]}
	if s.m != nil {
		g.z = make([]T, n)
	}
	for range g.m + 1 {
		g.v = append(g.v, make([]T, n))
	}
	g.h = make([][]float64, g.m)
	for j := range g.h {
		g.h[j] = make([]float64, g.m+1)
	}
	s.halves = 1 - 0x1p-20 // a round may be short
	g.c, g.s, g.rest, g.y = make([]float64, g.m), make([]float64, g.m), make([]float64, g.m+1), make([]float64, g.m)
	for {
		more, err := s.again(g.v[0])
		if !more {
			return s.result, err
		}
		if err := g.round(s.result.Residual / s.unit); err != nil {
			return s.end(g.w, err)
		}
	}
}

// gmres is one call of GMRES.
type gmres[T dtype.Float] struct {
	*iteration[T]
	m                int
	v                [][]T // directions
	w, z             []T
	h                [][]float64 // the triangle that a*v is in terms of v, by column
	c, s             []float64   // rotations that made it one
	rest, y          []float64
	scale, take, add vectors.Pass[T]
}

// round makes directions until the residual is small or there are m, and moves x by what
// is best of them. v[0] is the residual, whose norm is given.
func (g *gmres[T]) round(norm float64) error {
	g.space.V, g.space.X, g.space.Alpha = g.v[0], g.v[0], T(1/norm)
	g.space.Run(g.scale)
	g.rest[0] = norm
	k := 0
	var failed error
	for more := true; more && k < g.m; k++ {
		g.multiply(g.w, g.v[k])
		last, size := g.orthogonalize(k)
		if last-last != 0 {
			failed = g.fail(ErrBreakdown, "the norm of a direction is %g: the operator or the preconditioner gives Inf or NaN, or they overflow", last)
			break
		}
		col := g.h[k]
		for j := range k {
			col[j], col[j+1] = g.c[j]*col[j]+g.s[j]*col[j+1], g.c[j]*col[j+1]-g.s[j]*col[j]
		}
		length := math.Hypot(col[k], last)
		if length <= size*epsilon[T]() { // a takes the direction to what is there: a is singular
			failed = g.fail(ErrBreakdown, "a direction adds nothing: the matrix is singular, or its products overflow")
			break
		}
		g.c[k], g.s[k] = col[k]/length, last/length
		col[k] = length
		g.rest[k], g.rest[k+1] = g.c[k]*g.rest[k], -g.s[k]*g.rest[k]
		more, failed = g.step(math.Abs(g.rest[k+1]))
		if failed != nil {
			k++
			break
		}
		if last == 0 { // the solution is among the directions
			more = false
		}
	}
	g.move(k)
	return failed
}

// epsilon is a few units in the last place of 1.
func epsilon[T dtype.Float]() float64 {
	if dtype.Of[T]() == dtype.F32 {
		return 0x1p-21
	}
	return 0x1p-50
}

// multiply makes dst = a * the preconditioned src.
func (g *gmres[T]) multiply(dst, src []T) {
	if g.iteration.m == nil {
		g.a.Apply(dst, src)
		return
	}
	g.iteration.m.Apply(g.z, src)
	g.a.Apply(dst, g.z)
}

// orthogonalize subtracts from w its parts along directions 0 to k, which go into column k
// of h. It makes direction k+1 of the rest. It returns the norms of the rest and of w.
func (g *gmres[T]) orthogonalize(k int) (rest, size float64) {
	col := g.h[k]
	clear(col)
	space := g.space
	space.X, space.Y = g.w, g.v[0]
	d, before := space.Run(g.dots) // X is w, whose norm is wanted
	norm := before
	for time := range 2 {
		for j := range k + 1 {
			next := j + 1
			if j == k {
				next = 0
			}
			col[j] += d
			// w -= d*v[j], and what it has of the next one
			space.W, space.X, space.Y, space.Alpha = g.w, g.v[j], g.v[next], T(d)
			d, norm = space.Run(g.take)
		}
		if time == 0 && norm > before/2 { // little was taken, so little is wrong
			break
		}
	}
	rest, size = math.Sqrt(norm), math.Sqrt(before)
	if rest <= size*epsilon[T]() { // what is left is rounding
		rest = 0
	}
	col[k+1] = rest
	if rest > 0 && rest-rest == 0 {
		space.V, space.X, space.Alpha = g.v[k+1], g.w, T(1/rest)
		space.Run(g.scale)
	}
	return rest, size
}

// move adds to x the combination of k directions that leaves the least.
func (g *gmres[T]) move(k int) {
	for i := k - 1; i >= 0; i-- {
		y := g.rest[i]
		for j := i + 1; j < k; j++ {
			y -= g.h[j][i] * g.y[j]
		}
		g.y[i] = y / g.h[i][i]
	}
	sum := g.x
	if g.iteration.m != nil {
		sum = g.w
		clear(sum)
	}
	for j := range k {
		g.space.V, g.space.X, g.space.Alpha = sum, g.v[j], T(g.y[j]*g.unit)
		g.space.Run(g.add)
	}
	if g.iteration.m != nil {
		g.iteration.m.Apply(g.z, sum)
		g.space.V, g.space.X, g.space.Alpha = g.x, g.z, 1
		g.space.Run(g.add)
	}
}

// scalePass makes V = Alpha*X.
func scalePass[T dtype.Float](a *vectors.Args[T], from, to int) (none, nothing float64) {
	v, alpha := a.V[from:to], a.Alpha
	for i, x := range a.X[from:to] {
		v[i] = alpha * x
	}
	return 0, 0
}

// addPass makes V += Alpha*X.
func addPass[T dtype.Float](a *vectors.Args[T], from, to int) (none, nothing float64) {
	v, alpha := a.V[from:to], a.Alpha
	for i, x := range a.X[from:to] {
		v[i] += T(alpha * x)
	}
	return 0, 0
}

// takePass makes W -= Alpha*X, and sums W*Y and W*W.
func takePass[T dtype.Float](a *vectors.Args[T], from, to int) (wy, ww float64) {
	w, y, alpha := a.W[from:to], a.Y[from:to], a.Alpha
	for i, x := range a.X[from:to] {
		v := w[i] - T(alpha*x)
		w[i] = v
		wy += float64(float64(v) * float64(y[i]))
		ww += float64(float64(v) * float64(v))
	}
	return wy, ww
}
