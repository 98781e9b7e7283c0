package check

import (
	"reflect"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A Timed problem is one that a case made ready: to be checked, and then timed on the
// same memory.
type Timed struct {
	// Check calls the kernel on small integers and on random numbers and compares;
	// large results are sampled. The error says which element is wrong, or that the
	// kernel panicked.
	Check func() error
	Call  func()
	MACs  int // multiply-adds of the product
	// Bytes is what a call reads and writes at least, every operand and result once.
	// It is known after a call.
	Bytes func() int
	// Sparse is a sparse.Matrix if the product has one. B has the dense operand's
	// elements, and Out those of the first output, row-major without gaps.
	Sparse, B any
	Out       func() any
}

// looked calls a kernel with each of the problems, and looks at what it left.
func looked[P any](call func(P), look func(P) error, problems ...P) error {
	for _, p := range problems {
		if err := caught(func() { call(p) }); err != nil {
			return err
		}
		if err := look(p); err != nil {
			return err
		}
	}
	return nil
}

// Timed makes a problem of the shape ready. A transposed operand is stored as the rows
// of its transpose.
func (c *FusedCase[A, B, Acc]) Timed(s Shape, transA, transB bool) *Timed {
	p := c.stored(s, transA, transB, false)
	return &Timed{
		MACs: s.MACs(), Call: func() { c.Call(p) },
		Bytes: func() int { return bytesIn(p.A) + bytesIn(p.B) + slotBytes(p.slots) },
		Check: func() error {
			return looked(c.Call, func(p *FusedProblem[A, B]) error {
				for _, intact := range p.intact {
					if err := intact(); err != nil {
						return err
					}
				}
				return c.sampled(p)
			}, c.stored(s, transA, transB, true), p)
		},
	}
}

// stored makes the operands of a problem.
func (c *FusedCase[A, B, Acc]) stored(s Shape, transA, transB, exact bool) *FusedProblem[A, B] {
	s = c.Structure.square(s)
	p := &FusedProblem[A, B]{M: s.M, N: s.N, K: s.K, exact: exact, slots: map[int]any{}, rng: source(s, 87)}
	if p.A = matrixOf[A](p, s.M, s.K); transA {
		p.A = matrixOf[A](p, s.K, s.M).T()
	}
	if p.B = matrixOf[B](p, s.K, s.N); transB {
		p.B = matrixOf[B](p, s.N, s.K).T()
	}
	structured(p, c.Structure)
	return p
}

// sampled compares as [FusedCase.Try] does.
func (c *FusedCase[A, B, Acc]) sampled(p *FusedProblem[A, B]) error {
	const overhead = 1000 // the function is called some twenty times
	all := p.M * p.N
	n := min(all, max(500, trialWork/8/(p.K+overhead)))
	for e := range n {
		i, j := e/p.N, e%p.N
		if n < all {
			i, j = p.rng.IntN(p.M), p.rng.IntN(p.N)
			switch e % 8 {
			case 0:
				j = p.N - 1
			case 1:
				i = p.M - 1
			case 2:
				i, j = e/8%2*(p.M-1), e/16%2*(p.N-1)
			}
		}
		if err := c.element(p, i, j); err != nil {
			return err
		}
	}
	return c.reduced(p)
}

// Degree is how many entries a row may have in the format of the case, of those that
// tests try.
func (c *SpMMCase[T]) Degree() int { return c.degree() }

// Timed makes a product of m with n columns ready. The error says that the format of
// the case does not hold m.
func (c *SpMMCase[T]) Timed(m sparse.Matrix[T], n int) (*Timed, error) {
	flat := *c
	flat.Vector = true // without gaps
	p, err := flat.problem(m, n, false, 0)
	if err != nil {
		return nil, err
	}
	return &Timed{
		Sparse: SparseOf(p), B: p.B.Data, Out: func() any { return OutOf[T](p, 0).Data },
		MACs: m.NNZ() * n, Call: func() { c.Call(p) },
		Bytes: func() int { return sparseBytes(m, c.Pattern) + bytesIn(p.B) + slotBytes(p.slots) },
		Check: func() error {
			exact, err := c.problem(m, n, true, 0)
			if err != nil {
				return err
			}
			return looked(c.Call, c.look, exact, p)
		},
	}, nil
}

// Timed makes a product sampled at the entries of m ready, of vectors of f elements.
func (c *SDDMMCase[T]) Timed(m sparse.Matrix[T], f int) *Timed {
	p := c.problem(m, f, false, 0)
	return &Timed{
		MACs: m.NNZ() * f, Call: func() { c.Call(p) },
		Bytes: func() int { return sparseBytes(m, c.Pattern) + bytesIn(p.A) + bytesIn(p.B) + slotBytes(p.slots) },
		Check: func() error { return looked(c.Call, c.look, c.problem(m, f, true, 0), p) },
	}
}

// sparseBytes is what m takes as compressed rows.
func sparseBytes[T dtype.Float](m sparse.Matrix[T], pattern bool) int {
	each := 4
	if !pattern {
		each += dtype.Of[T]().Size()
	}
	return each*m.NNZ() + 4*(m.Rows()+1)
}

// bytesIn is the size of a matrix, a slice or a number.
func bytesIn(x any) int {
	v := reflect.ValueOf(x)
	if data := v; v.Kind() == reflect.Struct {
		if data = v.FieldByName("Data"); data.IsValid() {
			v = data
		}
	}
	if v.Kind() == reflect.Slice {
		return v.Len() * int(v.Type().Elem().Size())
	}
	return int(v.Type().Size())
}

func slotBytes(slots map[int]any) (n int) {
	for _, s := range slots {
		n += bytesIn(s)
	}
	return n
}
