package check

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Pair is a complex number, or another pair of numbers that is kept as one.
type Pair interface {
	dtype.Number
	complex64 | complex128
}

// PairCall is what a call of a product of pairs is asked for: alpha*a*b + beta*out, of conjugates
// where it says so.
type PairCall[T Pair] struct {
	Threads      int
	ConjA, ConjB bool
	Alpha, Beta  T
}

// PairCase is a generated product of pairs of numbers under test.
type PairCase[T Pair] struct {
	Name       string
	MR, NR, KC int // the tile, and the depth up to which sums are made in one go
	// Times multiplies two elements; nil is the product of complex numbers. Other semirings have
	// no alpha, beta or conjugate.
	Times func(x, y T) T
	Call  func(c PairCall[T], out, a, b layout.Matrix[T])
}

// Pairs checks a product of pairs. It checks small whole numbers exactly, at every edge of a tile
// and of blocks of k, for all layouts, factors and conjugates, next to inaccessible pages. It
// checks where NaN and infinities come out, and random numbers within the bounds of their sums. It
// checks that the number of threads does not show. With beta 0 out begins as NaN.
func Pairs[T Pair](t TB, c PairCase[T]) {
	t.Helper()
	p := &pairs[T]{PairCase: c}
	defer func() {
		for _, g := range []*Guard[T]{&p.a, &p.b, &p.out} {
			if g.mem != nil {
				g.Close()
			}
		}
	}()
	shapes := Shapes(c.MR, c.NR, c.KC, Long())
	if !Long() {
		shapes = append(shapes[:7:7], thin(shapes[7:], 5)...)
	}
	for i, s := range some(shapes) {
		for turn := range 3 {
			if err := p.try(s, i*3+turn, whole); err != nil {
				t.Errorf("%s exact: %v", c.Name, err)
				return
			}
		}
		if err := p.try(s, i, nonFinite); err != nil {
			t.Errorf("%s NaN and Inf: %v", c.Name, err)
			return
		}
		if err := p.try(s, i, normals); err != nil {
			t.Errorf("%s bounds: %v", c.Name, err)
			return
		}
	}
	if err := p.threads(Shape{161, 170, 163}); err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
}

// thin keeps every nth element.
func thin[E any](all []E, n int) (few []E) {
	for i := 0; i < len(all); i += n {
		few = append(few, all[i])
	}
	return few
}

// pairs is a case with memory for its operands.
type pairs[T Pair] struct {
	PairCase[T]
	a, b, out Guard[T]
}

// A pairFill is what operands are made of, and how results are compared.
type pairFill int

const (
	whole     pairFill = iota // every order of sums has the same bits
	nonFinite                 // whole numbers, NaN and infinities
	normals
)

// call is the one of a trial: its factors and conjugates.
func (p *pairs[T]) call(salt int) PairCall[T] {
	c := PairCall[T]{Threads: 1, Alpha: 1}
	if p.Times != nil {
		return c
	}
	factors := []complex128{1, 0, -1, 2, 1i, complex(2, -3), complex(-1, 2)}
	c.Alpha, c.Beta = T(factors[salt*5%7]), T(factors[(salt*3+1)%7])
	c.ConjA, c.ConjB = salt/2%2 == 1, salt/4%2 == 1
	return c
}

// times is the product of two elements as the call has it.
func (p *pairs[T]) times(c PairCall[T], x, y T) T {
	if p.Times != nil {
		return p.Times(x, y)
	}
	if c.ConjA {
		x = conj(x)
	}
	if c.ConjB {
		y = conj(y)
	}
	return x * y
}

func conj[T Pair](x T) T { return T(cmplx.Conj(complex128(x))) }

// scale is f*x, where an f without an imaginary part scales both parts.
func scale[T Pair](f, x T) T {
	if g := complex128(f); imag(g) == 0 {
		z := complex128(x)
		return T(complex(real(g)*real(z), real(g)*imag(z)))
	}
	return f * x
}

// try makes one call, and compares all of its result or some of it.
func (p *pairs[T]) try(s Shape, salt int, f pairFill) error {
	rng, c := source(s, uint64(91+salt)), p.call(salt)
	number := func() T {
		if f == normals {
			return T(complex(rng.NormFloat64(), rng.NormFloat64()))
		}
		if f == nonFinite && rng.IntN(2*max(s.K, 3)) == 0 {
			part := func() float64 {
				return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 1, 0}[rng.IntN(5)]
			}
			return T(complex(part(), part()))
		}
		return T(complex(float64(rng.IntN(7)-3), float64(rng.IntN(7)-3)))
	}
	if f == nonFinite && p.Times == nil { // factors with both parts make NaN of what is infinite, in an order of their own
		c.Alpha, c.Beta = 1, T(complex(float64(salt%2), 0))
	}
	fill := func(m, n int) []T {
		x := make([]T, m*n)
		for i := range x {
			x[i] = number()
		}
		return x
	}
	va, vb := fill(s.M, s.K), fill(s.K, s.N)
	old := make([]T, s.M*s.N)
	for i := range old {
		if old[i] = T(complex(float64(rng.IntN(7)-3), float64(rng.IntN(7)-3))); c.Beta == 0 {
			old[i] = T(cmplx.NaN())
		}
	}
	lay := func(n int) Layout { return Layouts[(salt*n+salt/9)%(len(Layouts)-1)] }
	la, lb, lo := lay(1), lay(5), lay(3)
	a, err := p.a.put(va, s.M, s.K, la, position(1+salt%2), salt)
	if err != nil {
		return err
	}
	b, err := p.b.put(vb, s.K, s.N, lb, position(1+salt/2%2), salt)
	if err != nil {
		return err
	}
	out, err := p.out.put(old, s.M, s.N, lo, position(1+salt/4%2), salt)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%v a=%s b=%s out=%s %+v", s, la.Name, lb.Name, lo.Name, c)
	if err := caught(func() { p.Call(c, out, a, b) }); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	have := make([]T, s.M*s.N)
	if err := p.out.take(have, out); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for i, x := range va {
		if y := a.Data[i/max(1, s.K)*a.RowStride+i%max(1, s.K)*a.ColStride]; !samePair(x, y) {
			return fmt.Errorf("%s: a was written", what)
		}
	}
	for i := range s.M {
		for j := range s.N {
			if s.MACs() > 200_000 && j != 0 && j != s.N-1 && rng.IntN(1+s.N/4) != 0 {
				continue
			}
			var sum T
			var abs float64
			if c.Alpha != 0 {
				for k := range s.K {
					x := p.times(c, va[i*s.K+k], vb[k*s.N+j])
					sum += x
					abs += 2 * cmplx.Abs(complex128(va[i*s.K+k])) * cmplx.Abs(complex128(vb[k*s.N+j]))
				}
			}
			want := scale(c.Alpha, sum)
			if c.Beta != 0 {
				want += scale(c.Beta, old[i*s.N+j])
			}
			ok := samePair(have[i*s.N+j], want)
			if f == normals {
				bits, _ := partFormat[T]()
				slack := 4 * gamma(float64(2*s.K+8), bits) * (abs*cmplx.Abs(complex128(c.Alpha)) + 20)
				ok = cmplx.Abs(complex128(have[i*s.N+j])-complex128(want)) <= slack
			}
			if !ok {
				return fmt.Errorf("%s: (%d, %d) is %v, want %v", what, i, j, have[i*s.N+j], want)
			}
		}
	}
	return nil
}

// partFormat is formatOf the parts of T.
func partFormat[T Pair]() (bits, least int) {
	if dtype.Of[T]() == dtype.C64 {
		return formatOf[float32]()
	}
	return formatOf[float64]()
}

// samePair reports whether the parts are equal, or both NaN.
func samePair[T Pair](x, y T) bool {
	a, b := complex128(x), complex128(y)
	same := func(x, y float64) bool { return x == y || x != x && y != y }
	return same(real(a), real(b)) && same(imag(a), imag(b))
}

// threads wants the bits of one thread from several.
func (p *pairs[T]) threads(s Shape) error {
	rng := source(s, 92)
	a, b, one := randomPairs[T](rng, s.M, s.K), randomPairs[T](rng, s.K, s.N), layout.New[T](s.M, s.N)
	c := PairCall[T]{Threads: 1, Alpha: 1}
	p.Call(c, one, a, b)
	for _, threads := range []int{2, 4} {
		c.Threads = threads
		out := layout.New[T](s.M, s.N)
		p.Call(c, out, a, b)
		for i := range out.Data {
			if out.Data[i] != one.Data[i] {
				return fmt.Errorf("with %d threads element %d of %v is %v, with one %v", threads, i, s, out.Data[i], one.Data[i])
			}
		}
	}
	return nil
}

func randomPairs[T Pair](rng *rand.Rand, m, n int) layout.Matrix[T] {
	x := layout.New[T](m, n)
	for i := range x.Data {
		x.Data[i] = T(complex(rng.NormFloat64(), rng.NormFloat64()))
	}
	return x
}

// BenchmarkPairs reports GFLOP/s on one core, a multiplication and an addition of complex numbers being
// eight of them.
func BenchmarkPairs[T Pair](b *testing.B, isa string, n int, c PairCase[T]) {
	b.Run(fmt.Sprintf("isa=%s/type=%v/n=%d", isa, dtype.Of[T](), n), func(b *testing.B) {
		rng := source(Shape{n, n, n}, 93)
		x, y, out := randomPairs[T](rng, n, n), randomPairs[T](rng, n, n), layout.New[T](n, n)
		for b.Loop() {
			c.Call(PairCall[T]{Threads: 1, Alpha: 1}, out, x, y)
		}
		b.ReportMetric(8*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
