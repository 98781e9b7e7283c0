package run

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// portable is the product in plain Go: the whole of it on machines without
// generated kernels. The longer side of out is cut among the threads; no sum is,
// so that the result does not depend on their number.
func portable[T dtype.Elem](threads int, alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	j := jobs.get()
	defer putJob(j)
	if threads == 1 || float64(a.Cols)*float64(out.Rows)*float64(out.Cols) < threadedWork/32 {
		generic(alpha, a, b, beta, out, bufOf[T](&j.self))
		return
	}
	// Pieces of a multiple of 16 rows or columns, four for each thread.
	byRows := out.Rows >= out.Cols
	long := max(out.Rows, out.Cols)
	piece := (ceil(long, 4*threads) + 15) &^ 15
	var next atomic.Int64
	j.do = func(w *worker) {
		for {
			from := int(next.Add(1)-1) * piece
			if from >= long {
				return
			}
			to := min(from+piece, long)
			if byRows {
				generic(alpha, a.Slice(from, to, 0, a.Cols), b, beta, out.Slice(from, to, 0, out.Cols), bufOf[T](w))
			} else {
				generic(alpha, a, b.Slice(0, b.Rows, from, to), beta, out.Slice(0, out.Rows, from, to), bufOf[T](w))
			}
		}
	}
	j.run(threads)
}

// bufOf returns the worker's buffers for T.
func bufOf[T dtype.Elem](w *worker) *genericBuf[T] {
	if b, ok := any(&w.f32).(*genericBuf[T]); ok {
		return b
	}
	return any(&w.f64).(*genericBuf[T])
}
