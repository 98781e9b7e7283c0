package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/run/spblas/spgemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// SpMSpV returns x*a, which adds up the rows of a that x has entries for, each times its entry. a is n x m, x
// has n elements, the result m. Its cost goes with the entries of these rows, and neither with n nor with m.
// a*x is SpMSpV(x, a.Transpose()), and the same as this where a is symmetric. Elements are stored, and added
// in the order of the entries of x, as [SpGEMM] does; errors are the same.
//
// SpMSpV is vxm of GraphBLAS, the step of a search that pushes: x is a frontier, and a has the
// edges of node i in row i.
func SpMSpV[T dtype.Value](x sparse.Vector[T], a sparse.Matrix[T]) (sparse.Vector[T], error) {
	return SpMSpVOpt(Options{Caller: "cpu.SpMSpV"}, SpGEMMSpec[T]{}, x, a)
}

// SpMSpVOpt is SpMSpV with options and what s says. That is the semiring, and a mask of one row
// ([sparse.Vector.Row]) or its complement, such as the nodes that a search has not seen. A complement costs
// no more than a search for each element of the result. A search of a graph without weights takes a
// [sparse.Pattern].
func SpMSpVOpt[T dtype.Value, A Factor[T]](opt Options, s SpGEMMSpec[T], x sparse.Vector[T], a A) (sparse.Vector[T], error) {
	opt.Caller = opt.Name("cpu.SpMSpVOpt")
	s.Unsorted = false
	row, err := s.MultiplyFactors(opt, spgemm.FactorOf(x.Row()), factorOf[T](a))
	if err != nil {
		return sparse.Vector[T]{}, err
	}
	return sparse.VectorOf(row)
}
