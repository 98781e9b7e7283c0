package spgemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// Spec is how two sparse matrices are multiplied. The zero value is the ordinary
// product with sorted rows.
type Spec[T dtype.Value] struct {
	// Semiring is what sums and products are; without functions, ordinary ones.
	Semiring semiring.Semiring[T]
	// Mask, if not nil, has the size of the product. Only elements that it stores are
	// computed, whatever their values. Complement means those that it does not store.
	Mask       *sparse.Matrix[T]
	Complement bool
	// MaskPattern is a Mask without values, instead of one.
	MaskPattern *sparse.Pattern
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
// common. The entry may be a stored 0, and so may the sum. Only stored elements are
// multiplied, so NaN and Inf spread along entries only. Its sum begins with 0, or the
// semiring's Zero, and adds the products, each rounded, in the order of the columns of a.
// Its bits depend neither on the machine nor on the number of threads, nor on the mask.
// Operands and mask are taken as canonical: duplicates are summed first.
//
// It is an error, of the kinds of package sparse, if shapes do not agree, or if the result
// has more entries than a matrix can have or MaxBytes allow. The error says how many
// entries there are and what they would take. No memory was allocated for them.
func (s *Spec[T]) Multiply(opt run.Options, a, b sparse.Matrix[T]) (sparse.Matrix[T], error) {
	return s.MultiplyFactors(opt, FactorOf(a), FactorOf(b))
}

// Factor is an operand of a product of two sparse matrices.
type Factor[T dtype.Value] struct{ arrays call.Arrays[T] }

// FactorOf returns a matrix as an operand.
func FactorOf[T dtype.Value](m sparse.Matrix[T]) Factor[T] {
	return Factor[T]{call.ArraysOf(m.Canonical())}
}

// PatternFactor returns a pattern as an operand. Every entry is the number 1 of T, in any semiring: with
// [semiring.MinPlus] a step. It takes as many numbers as the longest row has entries.
func PatternFactor[T dtype.Value](p sparse.Pattern) Factor[T] {
	return Factor[T]{call.OnesOf[T](p.Raw())}
}

// MultiplyFactors is Multiply for operands that are matrices or patterns.
func (s *Spec[T]) MultiplyFactors(opt run.Options, a, b Factor[T]) (sparse.Matrix[T], error) {
	c, err := s.call(opt, &a.arrays, &b.arrays)
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return c.result()
}

// call checks the operands and makes a call of them.
func (s *Spec[T]) call(opt run.Options, a, b *call.Arrays[T]) (*product[T], error) {
	name := opt.Name("spgemm.Spec.Multiply")
	call.CheckOptions(check.Call(name), &opt, "a sparse result has no alpha and no beta; use Matrix.Scale and Matrix.Add, and leave Options.Scaling unset")
	call.CheckPortable(check.Call(name), &opt)
	if a.Cols != b.Rows {
		return nil, &sparse.Error{Kind: sparse.ErrShape, Where: name, What: fmt.Sprintf("a is %d x %d, b is %d x %d", a.Rows, a.Cols, b.Rows, b.Cols), Right: "want m x k and k x n"}
	}
	c := s.newCall(opt, name, a, b)
	switch {
	case s.Mask != nil && s.MaskPattern != nil:
		check.Call(name).RefuseOption("both a Mask and a MaskPattern; want one of them")
	case s.Mask != nil || s.MaskPattern != nil:
		if s.Mask != nil {
			c.mask = call.ArraysOf(s.Mask.Canonical())
		} else {
			r := s.MaskPattern.Raw()
			c.mask = call.Arrays[T]{Rows: r.Rows, Cols: r.Cols, Pointers: call.RowPointers(r), Indices: call.SliceOf((*int32)(r.Indices), r.NNZ)}
		}
		if c.mask.Rows != a.Rows || c.mask.Cols != b.Cols {
			return nil, &sparse.Error{Kind: sparse.ErrShape, Where: name, What: fmt.Sprintf("the mask is %d x %d, the product %d x %d", c.mask.Rows, c.mask.Cols, a.Rows, b.Cols), Right: "they are the same"}
		}
		c.masked, c.except = !s.Complement, s.Complement
	case s.Complement:
		check.Call(name).RefuseOption("Complement without a Mask; give it one, or leave Complement false for all elements")
	}
	c.weigh()
	return c, nil
}

// newCall makes a call without a mask.
func (s *Spec[T]) newCall(opt run.Options, name string, a, b *call.Arrays[T]) *product[T] {
	return &product[T]{name: name, opt: opt, how: s, op: call.OperatorOf(name, s.Semiring), a: *a, b: *b}
}
