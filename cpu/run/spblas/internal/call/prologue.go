package call

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Begin is what products out = alpha*a*b + beta*out of checked operands have in common. It returns the
// factors, the cheapest mode for them, and whether all is done, as it is if nothing is to be multiplied. none
// says that a*b is 0 whatever is in b, and byRows that rows of out have to be contiguous; again computes a
// product with other options into other memory.
func Begin[T dtype.Float](opt run.Options, out layout.Matrix[T], none, byRows bool, again func(opt run.Options, out layout.Matrix[T])) (alpha, beta T, mode int64, done bool) {
	alpha, beta, mode = kernel.FactorsOf[T](&opt.Scaling)
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return alpha, beta, mode, true
	case !finite(alpha):
		unusual(opt, alpha, beta, out, again)
		return alpha, beta, mode, true
	case alpha == 0 || none:
		mem.Scale(out, beta)
		return alpha, beta, mode, true
	}
	return alpha, beta, mode, byRows && InRows(out, beta, func(sums layout.Matrix[T]) {
		opt.Scaling = run.Scale(float64(alpha), 0)
		again(opt, sums)
	})
}

// InRows computes sums into contiguous rows, by do, and then out = sums + beta*out. It does nothing and
// reports false if rows of out are contiguous.
func InRows[T dtype.Float](out layout.Matrix[T], beta T, do func(sums layout.Matrix[T])) bool {
	if mem.Normalize(&out); out.ColStride == 1 {
		return false
	}
	buf := resultBuffers.Get()
	o := buf.Rows(out.Rows, out.Cols, SizeOf[T]())
	do(layout.RowMajor(SliceOf((*T)(o.P), out.Rows*out.Cols), out.Rows, out.Cols))
	mem.ScatterBy(mem.OperandOf(out), 0, 0, out.Rows, out.Cols, o, beta)
	buf.Trim()
	resultBuffers.Put(buf)
	return true
}

// resultBuffers keeps what results are copied from.
var resultBuffers mem.Pool[mem.Buffer]

// finite reports whether alpha is a number that kernels may multiply by wherever they
// like: sums, values or rows of b, and nothing where there is no entry.
func finite[T dtype.Float](alpha T) bool { return alpha-alpha == 0 }

// unusual computes alpha*a*b + beta*out for an alpha that is Inf or NaN. Such an alpha
// also makes NaN of the 0 that is the sum of a row without entries. do computes a*b.
func unusual[T dtype.Float](opt run.Options, alpha, beta T, out layout.Matrix[T], do func(opt run.Options, out layout.Matrix[T])) {
	sums := layout.New[T](out.Rows, out.Cols)
	opt.Scaling = run.Scaling{}
	do(opt, sums)
	for i := range out.Rows {
		for j := range out.Cols {
			mem.Store(alpha, sums.Data[i*sums.RowStride+j*sums.ColStride], beta, &out.Data[i*out.RowStride+j*out.ColStride])
		}
	}
}

// Threaded is how many multiply-adds on a sparse operand pay for a second thread being
// woken.
const Threaded = 1 << 20

// RowWork is how many entries a row is worth where work is counted in entries. It is what
// storing a row costs.
const RowWork = 2

// ThreadsFor returns how many goroutines may work on so many multiply-adds.
func ThreadsFor(opt run.Options, muls float64) int {
	if muls < Threaded {
		return 1
	}
	return work.Allowed(opt.Threads)
}
