package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Product is one product made ready to be checked and then timed on the same
// memory. out is m x n, a is m x k, b is k x n.
type Product[T dtype.Float] struct {
	Out, A, B layout.Matrix[T]
	shape     Shape
}

// NewProduct allocates a product. An operand that is transposed is stored as the
// rows of its transpose, the others and out as rows.
func NewProduct[T dtype.Float](s Shape, transA, transB bool) *Product[T] {
	stored := func(rows, cols int, trans bool) layout.Matrix[T] {
		if trans {
			return layout.New[T](cols, rows).T()
		}
		return layout.New[T](rows, cols)
	}
	return &Product[T]{Out: layout.New[T](s.M, s.N), A: stored(s.M, s.K, transA), B: stored(s.K, s.N, transB), shape: s}
}

// Check first gives f small integers, for which out must be right bit for bit (Freivalds'
// method). Then it gives f random numbers, for which elements of out must be within the
// error of k roundings. It checks all elements of small products, and a sample with all
// corners of large ones. out is NaN before each call. The error says which element is
// wrong, or that f panicked. The random numbers stay.
func (p *Product[T]) Check(f func(out, a, b layout.Matrix[T])) error {
	if err := p.exact(f); err != nil {
		return fmt.Errorf("small integers: %w", err)
	}
	if err := p.random(f); err != nil {
		return fmt.Errorf("random numbers: %w", err)
	}
	return nil
}

func (p *Product[T]) call(f func(out, a, b layout.Matrix[T])) error {
	paint(p.Out.Data)
	return caught(func() { f(p.Out, p.A, p.B) })
}

// exact is Oracle 1, see [integers], with the integers in the operands themselves: a
// copy of them would take more memory than the product.
func (p *Product[T]) exact(f func(out, a, b layout.Matrix[T])) error {
	r := radius(float64(p.shape.K), 1, 0, 1, precision[T]())
	if r < 1 {
		return fmt.Errorf("no exact test for k = %d in %v: even entries of 1 may round", p.shape.K, dtype.Of[T]())
	}
	rng := source(p.shape, 83)
	block := make([]int64, 1<<10)
	for _, data := range [][]T{p.A.Data, p.B.Data} {
		for len(data) > 0 {
			n := min(len(data), len(block))
			nonzero(rng, block[:n], r)
			for i, v := range block[:n] {
				data[i] = T(v)
			}
			data = data[n:]
		}
	}
	if err := p.call(f); err != nil {
		return err
	}
	const vectors = 4 // as in [integers.freivalds], where the odds are
	for range vectors {
		x := make([]int64, p.shape.N)
		for j := range x {
			x[j] = int64(rng.Uint64())
		}
		bx, err := timesVector(p.B, x)
		if err != nil {
			return err
		}
		want, _ := timesVector(p.A, bx)
		have, err := timesVector(p.Out, x)
		if err != nil { // a NaN, or a number that is not an integer
			return p.first(err)
		}
		for i, v := range have {
			if v != want[i] {
				return p.wrong(i)
			}
		}
	}
	return nil
}

// timesVector returns m*x in the integers modulo 2^64; the error is the coordinates of an
// element that is none.
func timesVector[T dtype.Float](m layout.Matrix[T], x []int64) ([]int64, error) {
	y := make([]int64, m.Rows)
	limit := math.Ldexp(1, precision[T]())
	for i := range y {
		for j, v := range x {
			e := float64(m.At(i, j))
			if !(math.Abs(e) <= limit) || e != math.Trunc(e) {
				return nil, coordinateError{i, j}
			}
			y[i] += int64(e) * v
		}
	}
	return y, nil
}

type coordinateError struct{ i, j int }

func (e coordinateError) Error() string {
	return fmt.Sprintf("element (%d, %d) is no integer", e.i, e.j)
}

// first is the mismatch at the coordinates that err names.
func (p *Product[T]) first(err error) error {
	at := err.(coordinateError)
	return &mismatch{at.i, at.j, float64(p.Out.At(at.i, at.j)), float64(p.integer(at.i, at.j)), ""}
}

// wrong finds the wrong element of row i by the plain loop.
func (p *Product[T]) wrong(i int) error {
	for j := range p.shape.N {
		if want := T(p.integer(i, j)); p.Out.At(i, j) != want {
			return &mismatch{i, j, float64(p.Out.At(i, j)), float64(want), ""}
		}
	}
	return fmt.Errorf("row %d: Freivalds' method and the plain loop disagree", i)
}

func (p *Product[T]) integer(i, j int) (sum int64) {
	for k := range p.shape.K {
		sum += int64(p.A.At(i, k)) * int64(p.B.At(k, j))
	}
	return sum
}

// sampleWork is how many multiply-adds the oracle of random numbers does at most.
const sampleWork = 1 << 22

// random is Oracle 2, see [reference], at a sample.
func (p *Product[T]) random(f func(out, a, b layout.Matrix[T])) error {
	rng := source(p.shape, 85)
	for _, data := range [][]T{p.A.Data, p.B.Data} {
		for i := range data {
			data[i] = T(rng.NormFloat64())
		}
	}
	if err := p.call(f); err != nil {
		return err
	}
	m, n := p.shape.M, p.shape.N
	if p.shape.MACs() <= sampleWork {
		for e := range m * n {
			if err := p.element(e/n, e%n); err != nil {
				return err
			}
		}
		return nil
	}
	for e := range max(64, sampleWork/p.shape.K) {
		i, j := rng.IntN(m), rng.IntN(n)
		switch e % 8 { // corners and edges more often than the rest
		case 0:
			j = n - 1
		case 1:
			i = m - 1
		case 2:
			i, j = e/8%2*(m-1), e/16%2*(n-1)
		}
		if err := p.element(i, j); err != nil {
			return err
		}
	}
	return nil
}

// element compares one element with a float64 sum, for float64 one of twice the
// precision. A product takes part in at most k roundings, in whatever order and blocks
// it is summed.
func (p *Product[T]) element(i, j int) error {
	k, compensated := p.shape.K, dtype.Of[T]() == dtype.F64
	sum, low, abs := 0.0, 0.0, 0.0
	for l := range k {
		x, y := float64(p.A.At(i, l)), float64(p.B.At(l, j))
		h := float64(x * y) // the conversion forbids an FMA
		abs += math.Abs(h)
		if !compensated {
			sum += h
			continue
		}
		s, e := twoSum(sum, h)
		sum, low = s, low+e+math.FMA(x, y, -h)
	}
	g := gamma(float64(k), 53)
	abs = up(abs / down(1-g))
	err := up(g * abs)
	if compensated { // the bound of [refer]
		sum += low
		err = up(math.Ldexp(math.Abs(sum), -52) + up(g*g)*abs + float64(k)*0x1p-1070)
	}
	d := up(gamma(float64(k), precision[T]())*abs + up(err+float64(k)*smallest[T]()))
	in := rounded[T](around(sum, d))
	if have := float64(p.Out.At(i, j)); !(in.lo <= have && have <= in.hi) {
		return &mismatch{i, j, have, sum, fmt.Sprintf(" within %v", in)}
	}
	return nil
}
