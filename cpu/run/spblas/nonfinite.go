package spblas

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// finite reports whether alpha is a number that kernels may multiply by where they find
// it best: sums, values or rows of b, and nothing where there is no entry.
func finite[T dtype.Float](alpha T) bool { return alpha-alpha == 0 }

// unusual computes alpha*a*b + beta*out for an alpha that is Inf or NaN, and then also
// makes NaN of what it multiplies by 0: of a row without entries, the sum of which is 0.
// do computes a*b.
func unusual[T dtype.Float](opt run.Options, out layout.Matrix[T], do func(opt run.Options, out layout.Matrix[T])) {
	alpha, beta := T(opt.Alpha), T(opt.Beta)
	sums := layout.New[T](out.Rows, out.Cols)
	opt.Scaled = false
	do(opt, sums)
	for i := range out.Rows {
		for j := range out.Cols {
			mem.Store(alpha, sums.Data[i*sums.RowStride+j], beta, &out.Data[i*out.RowStride+j*out.ColStride])
		}
	}
}
