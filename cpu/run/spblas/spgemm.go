package spblas

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// SpGEMM is how two sparse matrices are multiplied. The zero value is the ordinary
// product with sorted rows.
type SpGEMM[T dtype.Value] struct {
	// Semiring is what sums and products are; without functions, ordinary ones.
	Semiring semiring.Semiring[T]
	// Mask, if not nil, has the size of the product, and only elements that it stores are
	// computed, whatever their values; Complement means those that it does not store.
	Mask       *sparse.Matrix[T]
	Complement bool
	// Unsorted allows the columns of a row to be in any order, which saves sorting those
	// that need it. The order is the same whatever the number of threads.
	Unsorted bool
	// MaxBytes is what the result's pointers, columns and values may take. 0: as much as
	// [sparse.MaxSlots] entries do.
	MaxBytes int64
}

// Multiply returns a*b: a is m x k, b is k x n.
//
// An element of the result is stored if a row of a and a column of b have an entry in
// common, a stored 0 too, also where the sum is 0; what is not stored is not multiplied,
// so that NaN and Inf spread along entries only. Its sum begins with 0, or the semiring's
// Zero, and adds the products, each rounded, in the order of the columns of a; the bits of
// it depend neither on the machine nor on the number of threads, nor on the mask. Operands
// and mask are taken as canonical: duplicates are summed first.
//
// It is an error, of the kinds of package sparse, if shapes do not agree or the result has
// more entries than a matrix can have or MaxBytes allow: the error says how many and what
// they would take, and none of it was allocated.
func (s *SpGEMM[T]) Multiply(opt run.Options, a, b sparse.Matrix[T]) (sparse.Matrix[T], error) {
	c, err := s.call(opt, a, b)
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return c.product()
}

// call checks the operands and makes a call of them.
func (s *SpGEMM[T]) call(opt run.Options, a, b sparse.Matrix[T]) (*spgemmCall[T], error) {
	name := opt.Name("spblas.SpGEMM.Multiply")
	checkOptions(name, &opt)
	if opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "a sparse result has no alpha and no beta; use Matrix.Scale and Matrix.Add, and leave Options.Scaling unset"})
	}
	checkPortable(name, opt)
	if a.Cols() != b.Rows() {
		return nil, &sparse.Error{Kind: sparse.ErrShape, Where: name, What: fmt.Sprintf("a is %d x %d, b is %d x %d", a.Rows(), a.Cols(), b.Rows(), b.Cols()), Right: "want m x k and k x n"}
	}
	c := s.newCall(opt, name, a, b)
	switch {
	case s.Mask != nil:
		if rows, cols := s.Mask.Dims(); rows != a.Rows() || cols != b.Cols() {
			return nil, &sparse.Error{Kind: sparse.ErrShape, Where: name, What: fmt.Sprintf("the mask is %d x %d, the product %d x %d", rows, cols, a.Rows(), b.Cols()), Right: "they are the same"}
		}
		c.mask = arraysOf(s.Mask.Canonical())
		c.masked, c.except = !s.Complement, s.Complement
	case s.Complement:
		panic(run.OptionError{What: name, Why: "Complement without a Mask; give it one, or leave Complement false for all elements"})
	}
	c.weigh()
	return c, nil
}

// newCall makes a call without a mask.
func (s *SpGEMM[T]) newCall(opt run.Options, name string, a, b sparse.Matrix[T]) *spgemmCall[T] {
	return &spgemmCall[T]{name: name, opt: opt, how: s, op: operatorOf(name, s.Semiring), a: arraysOf(a.Canonical()), b: arraysOf(b.Canonical())}
}
