package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// MultiplyOf is [SpMM.Multiply] for a b of a narrower type. The kernels of s convert its elements to the type of the
// sums as they load them, which changes none. The portable code widens b first.
func MultiplyOf[T dtype.Float, B dtype.Elem](s *SpMM[T], opt run.Options, out layout.Matrix[T], a sparse.Matrix[T], b layout.Matrix[B]) {
	opt.Caller = opt.Name(s.Name)
	call.CheckSparse(opt.Caller, opt, &out, a.Rows(), a.Cols(), &b)
	s.checkCall(opt.Caller, opt, b.Cols)
	if !s.assembled(opt) {
		Widened(out, b, func(out, b layout.Matrix[T]) { s.multiply(opt, out, RowsOf(a), b) })
		return
	}
	multiplyOf(s, opt, out, a.Raw(), b)
}

// multiplyOf is MultiplyOf of what was checked, by kernels.
func multiplyOf[T dtype.Float, B dtype.Elem](s *SpMM[T], opt run.Options, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[B]) {
	none := a.NNZ == 0 && s.Semiring == nil
	alpha, beta, mode, done := call.Begin(opt, out, none, func(opt run.Options, out layout.Matrix[T]) { multiplyOf(s, opt, out, a, b) })
	if done {
		return
	}
	kern, c := s.pickRows(&opt), nestCall[T]{alpha: alpha, beta: beta, mode: s.mode(mode)}
	call.BySlabs(out, b, func(out layout.Matrix[T], b layout.Matrix[B]) { rowsInto(s, opt, kern, c, out, a, b) })
}

// FuseOf is [SpMM.Fuse] of such a b.
func FuseOf[T dtype.Float, B dtype.Elem](s *SpMM[T], opt run.Options, e *run.Epilogue, a sparse.Matrix[T], b layout.Matrix[B]) {
	call.CheckFuse(e, opt, s.Vector, a.Rows(), a.Cols(), &b)
	opt.Caller = e.Name
	s.checkCall(e.Name, opt, b.Cols)
	switch {
	case call.Empty(e):
	case s.assembled(opt):
		fuse(s, opt, e, a.Raw(), b)
	default:
		call.CheckCopy(e.Name, "b", b)
		fuse(s, opt, e, a.Raw(), widen[T](b))
	}
}

// assembled reports whether a call runs kernels, and not the portable code.
func (s *SpMM[T]) assembled(opt run.Options) bool {
	return choose.Pick(&s.rows, opt.Caller, s.Rows, func(k *run.RowKernels) string { return k.ISA }, opt.ISA) != nil
}
