package solve

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Operator is a linear map of vectors: a matrix of any kind, or the inverse of one, as
// [Triangle] and the preconditioners of this package are.
type Operator[T dtype.Float] interface {
	// Dims returns how long a vector is that comes out, and one that goes in.
	Dims() (rows, cols int)
	// Apply computes dst = A*src. Neither overlaps the other. It keeps neither.
	Apply(dst, src []T)
}

// Sparse returns a sparse matrix in any format as an operator: [cpu.SpMVOpt] with opt,
// without factors.
func Sparse[T dtype.Float, A cpu.Sparse[T]](opt run.Options, a A) Operator[T] {
	opt.Caller = opt.Name("solve.Sparse")
	rows, cols := any(a).(interface{ Dims() (rows, cols int) }).Dims()
	if opt.Scaling.On() {
		panic(run.OptionError{What: opt.Caller, Why: "an operator is linear; leave Options.Scaling unset"})
	}
	return &sparseOperator[T, A]{opt, a, rows, cols}
}

type sparseOperator[T dtype.Float, A cpu.Sparse[T]] struct {
	opt        run.Options
	a          A
	rows, cols int
}

func (o *sparseOperator[T, A]) Dims() (rows, cols int) { return o.rows, o.cols }
func (o *sparseOperator[T, A]) Apply(dst, src []T)     { cpu.SpMVOpt(o.opt, dst, o.a, src) }

// Dense returns a dense matrix, of any strides, as an operator.
func Dense[T dtype.Float](opt run.Options, a layout.Matrix[T]) Operator[T] {
	opt.Caller = opt.Name("solve.Dense")
	if opt.Scaling.On() {
		panic(run.OptionError{What: opt.Caller, Why: "an operator is linear; leave Options.Scaling unset"})
	}
	if err := a.Check("a"); err != nil {
		panic(layout.ShapeError{What: opt.Caller, Why: err.Error()})
	}
	return &denseOperator[T]{opt, a}
}

type denseOperator[T dtype.Float] struct {
	opt run.Options
	a   layout.Matrix[T]
}

func (o *denseOperator[T]) Dims() (rows, cols int) { return o.a.Rows, o.a.Cols }
func (o *denseOperator[T]) Apply(dst, src []T) {
	cpu.MatMulOpt(o.opt, layout.RowMajor(dst, len(dst), 1), o.a, layout.RowMajor(src, len(src), 1))
}

// Func returns a function as an operator of rows x cols: apply computes dst = A*src of
// vectors of those lengths.
func Func[T dtype.Float](rows, cols int, apply func(dst, src []T)) Operator[T] {
	if rows < 0 || cols < 0 || apply == nil {
		panic(layout.ShapeError{What: "solve.Func", Why: fmt.Sprintf("an operator of %d x %d, or no function; want sizes of 0 or more and a function", rows, cols)})
	}
	return &funcOperator[T]{rows, cols, apply}
}

type funcOperator[T dtype.Float] struct {
	rows, cols int
	apply      func(dst, src []T)
}

func (o *funcOperator[T]) Dims() (rows, cols int) { return o.rows, o.cols }
func (o *funcOperator[T]) Apply(dst, src []T)     { o.apply(dst, src) }
