package check

import (
	"fmt"
	"math/cmplx"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
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

func (s pairs[T]) read([]float64, int, int) {}
func (s pairs[T]) size() int                { return 2 * len(s) }
func (s pairs[T]) raw() []byte              { return guard.Bytes(s) }
func (s pairs[T]) canary() []byte           { return guard.Canary[T]() }
func (s pairs[T]) part(from, to int) elems  { return s[from:to] }
func (s pairs[T]) blocks(*spread) any       { return nil }
func (s pairs[T]) view(o *operand) []any {
	return []any{layout.Matrix[T]{Data: s, Rows: o.rows, Cols: o.cols, RowStride: o.rs, ColStride: o.cs}}
}

func (o *operand) pair(i, j int) complex128 {
	e := 2 * (i*o.rs + j*o.cs)
	return complex(o.load(e), o.load(e+1))
}

func (o *operand) setPair(i, j int, x complex128) {
	e := 2 * (i*o.rs + j*o.cs)
	o.store(e, real(x))
	o.store(e+1, imag(x))
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
	p := c.problem(s, uint64(91+salt), fill != normals)
	p.Alpha, p.guarded, p.turn = 1, true, salt
	lay := func(int) arrangement { return arrangements[0] }
	if turns {
		lay = func(n int) arrangement { return arrangements[(salt*n+salt/9)%(len(arrangements)-1)] }
	}
	if turns && c.Arithmetic.pair == nil {
		factors := []complex128{1, 0, -1, 2, 1i, complex(2, -3), complex(-1, 2)}
		p.Alpha, p.Beta = factors[salt*5%7], factors[(salt*3+1)%7]
		p.ConjA, p.ConjB = salt/2%2 == 1, salt/4%2 == 1
		if fill == nonFinite { // factors with both parts make NaN of what is infinite, in an order of their own
			p.Alpha, p.Beta = 1, complex(float64(salt%2), 0)
		}
	}
	rng := p.rng
	small := func() float64 { return float64(rng.IntN(7) - 3) }
	number := func() complex128 {
		switch {
		case fill == normals:
			return complex(rng.NormFloat64(), rng.NormFloat64())
		case fill == nonFinite && rng.IntN(2*max(s.K, 3)) == 0:
			part := func() float64 { return []float64{inf, -inf, nan, 1, 0}[rng.IntN(5)] }
			return complex(part(), part())
		}
		return complex(small(), small())
	}
	matrix := func(slot int, t dtype.Type, rows, cols, turn int) *operand {
		o, next := p.lay(slot, t, rows, cols, lay(turn)), number
		if slot >= 0 {
			if p.Beta == 0 {
				return o
			}
			next = func() complex128 { return complex(small(), small()) }
		}
		for i := range rows {
			for j := range cols {
				o.setPair(i, j, next())
			}
		}
		return o
	}
	a, b, out := matrix(A, c.A, s.M, s.K, 1), matrix(B, c.B, s.K, s.N, 5), matrix(0, c.Slots[0].Type, s.M, s.N, 3)
	var old []complex128
	for e := range s.M * s.N {
		old = append(old, out.pair(e/s.N, e%s.N))
	}
	bits := 24
	if c.A == dtype.C128 {
		bits = 53
	}
	gamma := gamma(float64(2*s.K+8), bits)
	p.look = func() error {
		for i, j := range p.elements(s.MACs() <= 200_000) {
			var sum complex128
			abs := 0.0
			for k := 0; k < s.K && p.Alpha != 0; k++ {
				x, y := a.pair(i, k), b.pair(k, j)
				sum += op.times(p, x, y)
				abs += 2 * cmplx.Abs(x) * cmplx.Abs(y)
			}
			want := scale(p.Alpha, sum)
			if p.Beta != 0 {
				want += scale(p.Beta, old[i*s.N+j])
			}
			have := out.pair(i, j)
			if fill == normals && cmplx.Abs(have-want) <= 4*gamma*(abs*cmplx.Abs(p.Alpha)+20) || equal(real(have), real(want)) && equal(imag(have), imag(want)) {
				continue
			}
			return fmt.Errorf("(%d, %d) is %v, want %v", i, j, have, want)
		}
		return nil
	}
	return p
}

// times is the product of two elements as the call has it.
func (op Pairs) times(p *Problem, x, y complex128) complex128 {
	if times := p.c.Arithmetic.pair; times != nil {
		return times(x, y)
	}
	if p.ConjA {
		x = cmplx.Conj(x)
	}
	if p.ConjB {
		y = cmplx.Conj(y)
	}
	return x * y
}

// scale is f*x, where an f without an imaginary part scales both parts.
func scale(f, x complex128) complex128 {
	if imag(f) == 0 {
		return complex(real(f)*real(x), real(f)*imag(x))
	}
	return f * x
}
