package check

import (
	"fmt"
	"math/cmplx"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// Pairs is the operation of a product of complex numbers, or of other pairs of numbers that are kept as one:
// out = alpha*a*b + beta*out, of conjugates where a problem says so.
//
// It tries small whole numbers exactly, at every edge of a tile
// and of blocks of k, for all layouts, factors and conjugates. It
// checks where NaN and infinities come out, and random numbers within the bounds of their sums. Pairs with an arithmetic of
// their own have no alpha, beta or conjugate.
type Pairs struct{}

// pairs are the elems of complex numbers: the parts of each, one after the other.
type pairs[T complex64 | complex128] []T

func (s pairs[T]) load(i int) float64 {
	if i%2 == 0 {
		return real(complex128(s[i/2]))
	}
	return imag(complex128(s[i/2]))
}

func (s pairs[T]) store(i int, x float64) {
	if i%2 == 0 {
		s[i/2] = T(complex(x, imag(complex128(s[i/2]))))
	} else {
		s[i/2] = T(complex(real(complex128(s[i/2])), x))
	}
}

func (s pairs[T]) read([]float64, int, int)  {}
func (s pairs[T]) write([]float64, int, int) {}
func (s pairs[T]) size() int                 { return 2 * len(s) }
func (s pairs[T]) raw() []byte               { return guard.Bytes(s) }
func (s pairs[T]) canary() []byte            { return guard.Canary[T]() }
func (s pairs[T]) part(from, to int) elems   { return s[from:to] }
func (s pairs[T]) blocks(*spread) any        { return nil }
func (s pairs[T]) view(o *operand) []any {
	return []any{layout.Matrix[T]{Data: s, Rows: o.rows, Cols: o.cols, RowStride: o.rs, ColStride: o.cs}}
}

// thin keeps every nth element.
func thin[E any](all []E, n int) (few []E) {
	for i := 0; i < len(all); i += n {
		few = append(few, all[i])
	}
	return few
}

// A pairFill is what operands are made of, and how results are compared.
type pairFill int

const (
	wholes    pairFill = iota // every order of sums has the same bits
	nonFinite                 // whole numbers, NaN and infinities
	normals
)

func (op Pairs) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	shapes := Shapes(c.MR, c.NR, c.KC, testenv.Long())
	if !testenv.Long() {
		shapes = append(shapes[:7:7], thin(shapes[7:], 5)...)
	}
	for i, s := range some(shapes) {
		for turn, fill := range []pairFill{wholes, wholes, wholes, nonFinite, normals} {
			salt := i
			if fill == wholes {
				salt = i*3 + turn
			}
			if p := op.problem(c, s, salt, fill, true); !yield(fmt.Sprintf("%v alpha=%v beta=%v conj=%v,%v fill=%d", s, p.Alpha, p.Beta, p.ConjA, p.ConjB, fill), p, nil) {
				return
			}
		}
	}
	s := Shape{161, 170, 163} // that threads share
	yield(s.String(), op.problem(c, s, 0, normals, false), nil)
}

// timed is a product of square matrices, of which a multiplication and an addition of complex numbers count as four.
func (op Pairs) timed(c *Case, _ any, n int, _ bool) (*Problem, error) {
	p := op.problem(c, Shape{n, n, n}, 0, normals, false)
	p.macs = 4 * n * n * n
	return p, nil
}

// problem makes the operands; with layouts and factors of a turn, or rows and none.
func (op Pairs) problem(c *Case, s Shape, salt int, fill pairFill, turns bool) *Problem {
	alpha, beta := complex128(1), complex128(0)
	x := call{la: arrangements[0], lb: arrangements[0], lo: arrangements[0], shift: salt}
	if turns {
		lay := func(n int) arrangement { return arrangements[(salt*n+salt/9)%(len(arrangements)-1)] }
		x.la, x.lb, x.lo = lay(1), lay(5), lay(3)
	}
	conjugates := turns && c.Arithmetic.pair == nil
	if conjugates {
		factors := []complex128{1, 0, -1, 2, 1i, complex(2, -3), complex(-1, 2)}
		alpha, beta = factors[salt*5%7], factors[(salt*3+1)%7]
		if fill == nonFinite { // factors with both parts make NaN of what is infinite, in an order of their own
			alpha, beta = 1, complex(float64(salt%2), 0)
		}
	}
	if beta != 0 {
		x.beta = 1 // there are old elements
	}
	p := c.laid(op.numbers(c, s, salt, fill), x)
	p.Alpha, p.Beta, p.exact, p.N = alpha, beta, fill != normals, 2*s.N
	p.ConjA, p.ConjB = conjugates && salt/2%2 == 1, conjugates && salt/4%2 == 1
	a, b, size := p.slots[A], p.slots[B], 0.0
	p.terms = func(i, j int) (x, y []float64) {
		if size = 0; alpha == 0 {
			return nil, nil
		}
		x, y = p.buffers(2 * s.K)
		for k := range s.K {
			u, v := a.pair(i, k), b.pair(k, j/2)
			size += cmplx.Abs(u) * cmplx.Abs(v) * cmplx.Abs(alpha)
			if times := c.Arithmetic.pair; times != nil {
				w := times(u, v)
				x[2*k], y[2*k], x[2*k+1], y[2*k+1] = 1, part(w, j), 0, 0
				continue
			}
			if p.ConjA {
				u = cmplx.Conj(u)
			}
			if p.ConjB {
				v = cmplx.Conj(v)
			}
			u = scale(alpha, u)
			x[2*k], y[2*k], x[2*k+1], y[2*k+1] = real(u), part(v, j), imag(u), part(complex(-imag(v), real(v)), j)
		}
		return x, y
	}
	var old []complex128
	for e := range s.M * s.N {
		old = append(old, p.slots[0].pair(e/s.N, e%s.N))
	}
	p.end = func(i, j int, t *total) {
		if beta != 0 {
			t.sum += part(scale(beta, old[i*s.N+j/2]), j)
		}
	}
	// A part of a product is at most |u||v|, and so is what roundings of a part of the sum are relative to. A factor of two
	// parts mixes two sums, which makes it at most 1.42 times that; the oracle's own sums, in float64, are as far off. What
	// beta adds is at most 16.
	bits, _ := numberFormat(c.A)
	p.look = func() error {
		err := c.near(p, p.elements(s.MACs() <= 200_000), func(_, _ int, _ *total) float64 {
			if fill != normals {
				return 0
			}
			return 3 * gamma(float64(2*s.K+8), bits) * (size + 20)
		})
		if err != nil {
			return fmt.Errorf("in columns of parts, two for each number: %w", err)
		}
		return nil
	}
	return p
}

// numbers draws the parts of all operands.
func (op Pairs) numbers(c *Case, s Shape, salt int, fill pairFill) *product {
	rng, typ := source(s, uint64(91+salt)), c.A
	small := func() float64 { return float64(rng.IntN(7) - 3) }
	part := func() float64 {
		switch {
		case fill == normals:
			return roundTo(typ, rng.NormFloat64())
		case fill == nonFinite && rng.IntN(3*max(s.K, 3)) == 0:
			return []float64{inf, -inf, nan, 1, 0}[rng.IntN(5)]
		}
		return small()
	}
	draw := func(n int, next func() float64) []float64 {
		x := make([]float64, 2*n)
		for i := range x {
			x[i] = next()
		}
		return x
	}
	return &product{Shape: s, a: draw(s.M*s.K, part), b: draw(s.K*s.N, part), c: draw(s.M*s.N, small)}
}

// pair is a number of two parts.
func (o *operand) pair(i, j int) complex128 { return complex(o.at(i, 2*j), o.at(i, 2*j+1)) }

// part is the part of z that column j has.
func part(z complex128, j int) float64 {
	if j%2 == 0 {
		return real(z)
	}
	return imag(z)
}

// scale is f*x, where an f without an imaginary part scales both parts.
func scale(f, x complex128) complex128 {
	if imag(f) == 0 {
		return complex(real(f)*real(x), real(f)*imag(x))
	}
	return f * x
}
