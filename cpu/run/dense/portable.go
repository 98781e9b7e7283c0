package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// portable is the product in plain Go: the whole of it on machines without
// generated kernels. The longer side of out is cut among the threads; no sum is,
// so that the result does not depend on their number. ring is nil for sums of products.
func portable[T dtype.AnySum](threads int, ring *semiring.Semiring[T], alpha T, a, b plain.Operand[T], beta T, out plain.Operand[T]) {
	j := jobs.Get()
	defer putJob(j)
	p := mem.KeptOf[portablePart[T]](&j.parts, dtype.Of[T]())
	p.ring, p.alpha, p.a, p.b, p.beta, p.out = ring, alpha, a, b, beta, out
	defer func() { p.a, p.b, p.out = plain.Operand[T]{}, plain.Operand[T]{}, plain.Operand[T]{} }()
	if threads == 1 || float64(a.Cols)*float64(out.Rows)*float64(out.Cols) < work.Threaded/32 {
		p.multiply(&j.self, out, a, b)
		return
	}
	// Pieces of a multiple of 16 rows or columns, four for each thread.
	p.piece = (mem.Ceil(max(out.Rows, out.Cols), 4*threads) + 15) &^ 15
	p.tasks.Begin(mem.Ceil(max(out.Rows, out.Cols), p.piece))
	j.do = p
	j.run(threads)
}

// portablePart is a product cut into pieces, of which any number of workers take
// one after another.
type portablePart[T dtype.AnySum] struct {
	ring        *semiring.Semiring[T]
	alpha, beta T
	a, b, out   plain.Operand[T]
	piece       int // rows or columns, of whichever out has more
	tasks       work.Tasks
}

func (p *portablePart[T]) work(w *worker) {
	m, n, k := p.out.Rows, p.out.Cols, p.a.Cols
	for t, ok := p.tasks.Next(); ok; t, ok = p.tasks.Next() {
		from, to := t*p.piece, min((t+1)*p.piece, max(m, n))
		if m >= n {
			p.multiply(w, p.out.Slice(from, to, 0, n), p.a.Slice(from, to, 0, k), p.b)
		} else {
			p.multiply(w, p.out.Slice(0, m, from, to), p.a, p.b.Slice(0, k, from, to))
		}
	}
}

// multiply does a piece.
func (p *portablePart[T]) multiply(w *worker, out, a, b plain.Operand[T]) {
	if p.ring != nil {
		semiringInGo(p.ring, out.Matrix(), a.Matrix(), b.Matrix())
		return
	}
	plain.MultiplyTo(p.alpha, a, b, p.beta, out, plain.BufOf[T](&w.bufs))
}
