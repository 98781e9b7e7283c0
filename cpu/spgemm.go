package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/run/spblas/spgemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// SpGEMMSpec is how two sparse matrices are multiplied: semiring, mask, order, the most
// memory. The zero value is the ordinary product with sorted rows.
type SpGEMMSpec[T dtype.Value] = spgemm.Spec[T]

// SpGEMM returns the sparse product a*b of sparse matrices: a is m x k, b is k x n.
// Element (i, j) is stored if some k has entries (i, k) and (k, j), even if the sum is 0.
// If the shapes do not fit, or the result would be too large, SpGEMM returns an error of
// package sparse before it allocates the result.
//
// See [spgemm.Spec.Multiply] for the order of additions and NaN.
func SpGEMM[T dtype.Value](a, b sparse.Matrix[T]) (sparse.Matrix[T], error) {
	return SpGEMMOpt(Options{Caller: "cpu.SpGEMM"}, SpGEMMSpec[T]{}, a, b)
}

// Factor is an operand of a product of two sparse matrices. It is a matrix, or a pattern, each entry of which
// is the number 1 of T, in any semiring.
type Factor[T dtype.Value] interface {
	sparse.Matrix[T] | sparse.Pattern
}

// SpGEMMOpt is SpGEMM with options: threads, and what s says. With two patterns and a [SpGEMMSpec] of an
// integer T it counts. Element (i, j) is how many k there are with entries (i, k) and (k, j).
func SpGEMMOpt[T dtype.Value, A, B Factor[T]](opt Options, s SpGEMMSpec[T], a A, b B) (sparse.Matrix[T], error) {
	opt.Caller = opt.Name("cpu.SpGEMMOpt")
	return s.MultiplyFactors(opt, factorOf[T](a), factorOf[T](b))
}

// factorOf returns a Factor as run time knows it.
func factorOf[T dtype.Value](a any) (f spgemm.Factor[T]) {
	switch a := a.(type) {
	case sparse.Matrix[T]:
		f = spgemm.FactorOf(a)
	case sparse.Pattern:
		f = spgemm.PatternFactor[T](a)
	}
	return f
}

// SpGEMMPlan is the structure of a product, for many products of matrices with the same
// structure and other values.
type SpGEMMPlan[T dtype.Value] = spgemm.Plan[T]

// PlanSpGEMM finds the structure of a*b, at the cost of one product.
func PlanSpGEMM[T dtype.Value](opt Options, s SpGEMMSpec[T], a, b sparse.Matrix[T]) (*SpGEMMPlan[T], error) {
	opt.Caller = opt.Name("cpu.PlanSpGEMM")
	return s.Plan(opt, a, b)
}
