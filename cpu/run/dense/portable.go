package dense

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// portable is the product in plain Go: the whole of it on machines without
// generated kernels. The longer side of out is cut among the threads; no sum is,
// so that the result does not depend on their number.
func portable[T dtype.AnySum](threads int, alpha T, a, b operand[T], beta T, out operand[T]) {
	j := jobs.Get()
	defer putJob(j)
	if threads == 1 || float64(a.Cols)*float64(out.Rows)*float64(out.Cols) < work.Threaded/32 {
		genericTo(alpha, a, b, beta, out, bufOf[T](&j.self))
		return
	}
	p := keptOf[portablePart[T]](&j.parts, dtype.Of[T]())
	p.alpha, p.a, p.b, p.beta, p.out = alpha, a, b, beta, out
	defer func() { p.a, p.b, p.out = operand[T]{}, operand[T]{}, operand[T]{} }()
	// Pieces of a multiple of 16 rows or columns, four for each thread.
	p.piece = (mem.Ceil(max(out.Rows, out.Cols), 4*threads) + 15) &^ 15
	p.next.Store(0)
	j.do = p
	j.run(threads)
}

// portablePart is a product cut into pieces, of which any number of workers take
// one after another.
type portablePart[T dtype.AnySum] struct {
	alpha, beta T
	a, b, out   operand[T]
	piece       int // rows or columns, of whichever out has more
	next        atomic.Int64
}

func (p *portablePart[T]) work(w *worker) {
	buf := bufOf[T](w)
	m, n, k := p.out.Rows, p.out.Cols, p.a.Cols
	for {
		from := int(p.next.Add(1)-1) * p.piece
		to := min(from+p.piece, max(m, n))
		switch {
		case from >= to:
			return
		case m >= n:
			genericTo(p.alpha, p.a.Slice(from, to, 0, k), p.b, p.beta, p.out.Slice(from, to, 0, n), buf)
		default:
			genericTo(p.alpha, p.a, p.b.Slice(0, k, from, to), p.beta, p.out.Slice(0, m, from, to), buf)
		}
	}
}

// bufOf returns the worker's buffers for T.
func bufOf[T dtype.AnySum](w *worker) *genericBuf[T] {
	return keptOf[genericBuf[T]](&w.bufs, dtype.Of[T]())
}
