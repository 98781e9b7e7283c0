package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// SDDMM computes s ∘ (a bᵀ) at the entries of s only. The result has the structure of s.
// Its value at entry (i, j) is that of s times the product of row i of a with row j of b.
// s is m x n, a is m x f, b is n x f, with any strides.
//
// You need it to differentiate products with a sparse matrix. If g is the gradient of
// out = s*x, the gradient of x is sᵀg: SpMM of s.Transpose(). The gradient of the values of
// s is SDDMMInto with Pattern, a = g and b = x. If values change and the structure does
// not, sparse's TransposeFrom says once where the values of the transposed matrix come
// from.
//
// Every product is formed: 0*Inf is NaN, also where the 0 is a value of s, or the sum of
// no features. With [SDDMMOptions] an alpha of 0 multiplies nothing, as in BLAS: out is
// beta*out whatever s, a and b contain. See [graph.SDDMM.Multiply] for rounding and panics.
func SDDMM[T dtype.Float](s sparse.Matrix[T], a, b layout.Matrix[T]) sparse.Matrix[T] {
	values := make([]T, s.NNZ())
	SDDMMInto(SDDMMOptions{Options: Options{Caller: "cpu.SDDMM"}}, values, s, a, b)
	out, err := s.WithValues(values)
	if err != nil {
		panic(err) // one value an entry, as made above
	}
	return out
}

// SDDMMOptions change how one call of [SDDMMInto] runs.
type SDDMMOptions struct {
	Options
	// Pattern leaves the values of s out of it: only its structure counts.
	Pattern bool
}

// SDDMMInto is [SDDMM] into a slice of s.NNZ() values, in the order of s.All. With
// Options.Scaling it computes out = alpha*(s ∘ (a bᵀ)) + beta*out, and reads out only
// if beta is not 0.
func SDDMMInto[T dtype.Float](opt SDDMMOptions, out []T, s sparse.Matrix[T], a, b layout.Matrix[T]) {
	opt.Caller = opt.Name("cpu.SDDMMInto")
	switch out := any(out).(type) {
	case []float32:
		set := &sddmmf.SetF32
		if opt.Pattern {
			set = &sddmmf.PatternF32
		}
		set.Multiply(opt.Options, out, any(s).(sparse.Matrix[float32]), any(a).(layout.Matrix[float32]), any(b).(layout.Matrix[float32]))
	case []float64:
		set := &sddmmf.SetF64
		if opt.Pattern {
			set = &sddmmf.PatternF64
		}
		set.Multiply(opt.Options, out, any(s).(sparse.Matrix[float64]), any(a).(layout.Matrix[float64]), any(b).(layout.Matrix[float64]))
	}
}

// SDDMMPattern is [SDDMM] at the entries of a pattern, which has no values to multiply by: the products a bᵀ
// there. If a mask asks for a triangle, the pattern p.Tril(0) is the structure that the result needs anyway.
// With Options.Scaling alpha multiplies them, and there is no beta.
func SDDMMPattern[T dtype.Float](opt Options, p sparse.Pattern, a, b layout.Matrix[T]) sparse.Matrix[T] {
	opt.Caller = opt.Name("cpu.SDDMMPattern")
	values := make([]T, p.NNZ())
	switch values := any(values).(type) {
	case []float32:
		sddmmf.PatternF32.MultiplyPattern(opt, values, p, any(a).(layout.Matrix[float32]), any(b).(layout.Matrix[float32]))
	case []float64:
		sddmmf.PatternF64.MultiplyPattern(opt, values, p, any(a).(layout.Matrix[float64]), any(b).(layout.Matrix[float64]))
	}
	out, err := sparse.WithValues(p, values)
	if err != nil {
		panic(err) // one value an entry, as made above
	}
	return out
}
