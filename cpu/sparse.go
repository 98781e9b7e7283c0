package cpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/kern/spmmf32"
	"github.com/tilesmith/tilesmith/cpu/kern/spmmf64"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Sparse is a matrix in compressed rows, in any other format, or decomposed into a
// sum of parts.
type Sparse[T dtype.Float] interface {
	sparse.Matrix[T] | sparse.Packed[T] | sparse.Sum[T]
}

// SpMM computes out = a*b for a sparse a: a is m x k, b is k x n and out is m x n,
// both dense with any strides; rows that are contiguous are fastest. The parts of a
// sum are added in their order.
//
// See [spblas.SpMM.Multiply] for the order of additions, NaN and errors.
func SpMM[T dtype.Float, A Sparse[T]](out layout.Matrix[T], a A, b layout.Matrix[T]) {
	SpMMOpt(Options{Caller: "cpu.SpMM"}, out, a, b)
}

// SpMMOpt is SpMM with options: threads, a forced ISA, and factors, with which it
// computes alpha*a*b + beta*out.
func SpMMOpt[T dtype.Float, A Sparse[T]](opt Options, out layout.Matrix[T], a A, b layout.Matrix[T]) {
	opt.Caller = opt.Name("cpu.SpMMOpt")
	switch a := any(a).(type) {
	case sparse.Matrix[float32]:
		spmmf32.Set.Multiply(opt, any(out).(layout.Matrix[float32]), a, any(b).(layout.Matrix[float32]))
	case sparse.Matrix[float64]:
		spmmf64.Set.Multiply(opt, any(out).(layout.Matrix[float64]), a, any(b).(layout.Matrix[float64]))
	case sparse.Packed[float32]:
		if spblas.Blocked(a) {
			SpMMBlocks(opt, any(out).(layout.Matrix[float32]), a, any(b).(layout.Matrix[float32]))
			return
		}
		spmmf32.Set.MultiplyPacked(opt, any(out).(layout.Matrix[float32]), a, any(b).(layout.Matrix[float32]))
	case sparse.Packed[float64]:
		if spblas.Blocked(a) {
			SpMMBlocks(opt, any(out).(layout.Matrix[float64]), a, any(b).(layout.Matrix[float64]))
			return
		}
		spmmf64.Set.MultiplyPacked(opt, any(out).(layout.Matrix[float64]), a, any(b).(layout.Matrix[float64]))
	case sparse.Sum[float32]:
		sum(opt, any(out).(layout.Matrix[float32]), a, any(b).(layout.Matrix[float32]))
	case sparse.Sum[float64]:
		sum(opt, any(out).(layout.Matrix[float64]), a, any(b).(layout.Matrix[float64]))
	}
}

// sum computes out = alpha*a*b + beta*out part by part.
func sum[T dtype.Float](opt Options, out layout.Matrix[T], a sparse.Sum[T], b layout.Matrix[T]) {
	if a.Len() == 0 { // no entries: the shapes and the factors still count
		m, k := a.Dims()
		none, _ := sparse.FromCOO[T, int32](m, k, nil, nil, nil)
		SpMMOpt(opt, out, none, b)
		return
	}
	alpha, beta := opt.Scaling.Factors()
	if x := T(alpha); x-x != 0 {
		sumUnusual(opt, x, T(beta), out, a, b)
		return
	}
	for i := range a.Len() {
		SpMMOpt(opt, out, a.Part(i).Packed, b)
		opt.Scaling = run.Scale(alpha, 1)
	}
}

// sumUnusual is sum for an alpha that is Inf or NaN: it multiplies the sum of all parts,
// since that of one may be 0.
func sumUnusual[T dtype.Float](opt Options, alpha, beta T, out layout.Matrix[T], a sparse.Sum[T], b layout.Matrix[T]) {
	opt.Scaling = run.Scale(0, 1)
	SpMMOpt(opt, out, a.Part(0).Packed, b) // changes nothing, and refuses what does not fit
	sums := layout.New[T](out.Rows, out.Cols)
	opt.Scaling = run.Scaling{}
	sum(opt, sums, a, b)
	for i := range out.Rows {
		for j := range out.Cols {
			x, s := &out.Data[i*out.RowStride+j*out.ColStride], T(alpha*sums.Data[i*sums.RowStride+j])
			if beta != 0 {
				s += T(beta * *x)
			}
			*x = s
		}
	}
}

// SpMV computes y = a*x for a sparse m x k a, x of k and y of m elements. It panics
// with a [layout.ShapeError] as SpMM does.
func SpMV[T dtype.Float, A Sparse[T]](y []T, a A, x []T) {
	SpMVOpt(Options{Caller: "cpu.SpMV"}, y, a, x)
}

// SpMVOpt is SpMV with options, as [SpMMOpt].
func SpMVOpt[T dtype.Float, A Sparse[T]](opt Options, y []T, a A, x []T) {
	opt.Caller = opt.Name("cpu.SpMVOpt")
	m, k := dims[T](a)
	if len(y) != m || len(x) != k {
		panic(layout.ShapeError{What: opt.Caller, Why: fmt.Sprintf("y has %d elements, a is %d x %d, x has %d; want m, m x k, k", len(y), m, k, len(x))})
	}
	SpMMOpt(opt, layout.RowMajor(y, m, 1), a, layout.RowMajor(x, k, 1))
}

// dims returns the size of a without moving it to the heap.
func dims[T dtype.Float, A Sparse[T]](a A) (rows, cols int) {
	switch a := any(a).(type) {
	case sparse.Matrix[T]:
		return a.Dims()
	case sparse.Packed[T]:
		return a.Dims()
	case sparse.Sum[T]:
		return a.Dims()
	}
	return 0, 0
}
