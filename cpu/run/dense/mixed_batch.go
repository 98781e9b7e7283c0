package dense

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MixedBatch computes n.Count products of one shape: what [Set.Batched] is to [Set.Gemm]
// it is to [MixedGemm].
func MixedBatch[Acc dtype.Sum, A, B, Out dtype.Elem](s *Mixed, name string, opt *run.Options, n Batch, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	MixedBatchTo[Acc](s, nil, name, opt, n, out, a, b)
}

// MixedBatchTo is to [MixedBatch] what [MixedGemmTo] is to [MixedGemm].
func MixedBatchTo[Acc dtype.Sum, A, B, Out dtype.Elem](s *Mixed, to *Each, name string, opt *run.Options, n Batch, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	name = opt.Name(name)
	c := checkMixed[Acc](s, name, opt, out, a, b)
	c.to = to
	checkSeries(name, opt, n, out, a, b)
	if n.Count == 0 || out.Rows == 0 || out.Cols == 0 {
		return
	}
	threads := work.Allowed(opt.Threads)
	// A skinny product may add in another order, but not one of operands narrower than sums.
	if c.kern != nil && (s.A.Size() < s.Acc.Size() || s.B.Size() < s.Acc.Size()) && n.stacks(out.Rows, out.RowStride, a.RowStride) {
		x, y := *out, *a
		x.Rows, y.Rows = n.Count*x.Rows, n.Count*y.Rows
		c.run(threads, operandOf[Acc](x), operandOf[Acc](y), operandOf[Acc](*b))
		return
	}
	muls := float64(out.Rows) * float64(out.Cols) * float64(a.Cols)
	if muls*float64(n.Count) < work.Threaded || muls >= work.Threaded {
		// Few products share no threads; large ones share themselves out.
		if muls < work.Threaded {
			threads = 1
		}
		for z := range n.Count {
			c.run(threads, operandOf[Acc](*out).from(z*n.Out), operandOf[Acc](*a).from(z*n.A), operandOf[Acc](*b).from(z*n.B))
		}
		return
	}
	threads = min(threads, n.Count)
	j := jobs.Get()
	p := mixedBatchOf[Acc](j)
	p.call, p.n = c, n
	p.out, p.a, p.b = operandOf[Acc](*out), operandOf[Acc](*a), operandOf[Acc](*b)
	p.chunk = max(1, min(mem.Ceil(n.Count, 4*threads), int(work.Threaded/muls)))
	p.next.Store(0)
	defer func() {
		p.call, p.out, p.a, p.b = mixedCall[Acc]{}, operand[Acc]{}, operand[Acc]{}, operand[Acc]{}
		putJob(j)
	}()
	j.rare = rareTask{p, workOnMixedBatch}
	j.run(threads)
}

// mixedBatch is a batch from which any number of workers take some products at once.
type mixedBatch[Acc dtype.Sum] struct {
	call      mixedCall[Acc]
	n         Batch
	out, a, b operand[Acc]
	chunk     int
	next      atomic.Int64
}

func workOnMixedBatch(batch any, w *worker) {
	batch.(interface{ workOnMixedBatch(w *worker) }).workOnMixedBatch(w)
}

func (p *mixedBatch[Acc]) workOnMixedBatch(w *worker) {
	for {
		z := int(p.next.Add(1)-1) * p.chunk
		if z >= p.n.Count {
			return
		}
		for end := min(z+p.chunk, p.n.Count); z < end; z++ {
			p.call.runOn(w, p.out.from(z*p.n.Out), p.a.from(z*p.n.A), p.b.from(z*p.n.B))
		}
	}
}

// mixedBatchOf returns the job's place for a batch with sums of T.
func mixedBatchOf[T dtype.Sum](j *job) *mixedBatch[T] {
	return keptOf[mixedBatch[T]](&j.batches, dtype.Of[T]())
}
