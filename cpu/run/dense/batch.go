package dense

import (
	"fmt"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Batched computes n.Count products of one shape. out, a and b describe the first, which
// must exist even if Count is 0. Their slices hold all of them. n says how far apart the
// others begin. Each is what [Set.Gemm] gives for it, bit for bit; the threads share out
// the products. It panics with a [layout.ShapeError], before an element is read, where
// Gemm would for any of them. It also panics if two results share a place, or if results
// lie between a's or b's. Options.B goes with a stride of 0 for b only.
func (s *Set[T]) Batched(opt run.Options, n Batch, out, a, b layout.Matrix[T]) {
	s.checkBatch(&opt, n, &out, &a, &b)
	if n.Count == 0 || out.Rows == 0 || out.Cols == 0 {
		return
	}
	if size := dtype.Of[T]().Size(); s.Semiring == nil && s.Shape == (Shape{}) && n.stacks(out.Rows, out.RowStride, a.RowStride) &&
		!maybeSkinny(out.Rows, out.Cols, a.Cols, size) && !maybeSkinny(n.Count*out.Rows, out.Cols, a.Cols, size) {
		out.Rows, a.Rows = n.Count*out.Rows, n.Count*a.Rows
		s.Gemm(opt, out, a, b)
		return
	}
	threads := work.Allowed(opt.Threads)
	muls := float64(out.Rows) * float64(out.Cols) * float64(a.Cols)
	if muls*float64(n.Count) < work.Threaded || muls >= work.Threaded {
		// Few products share no threads; large ones share themselves out.
		if muls < work.Threaded {
			opt.Threads = 1
		}
		for z := range n.Count {
			s.Gemm(opt, from(out, z*n.Out), from(a, z*n.A), from(b, z*n.B))
		}
		return
	}
	threads = min(threads, n.Count)
	j := jobs.Get()
	p := keptOf[batchPart[T]](&j.series, dtype.Of[T]())
	p.set, p.opt, p.n, p.out, p.a, p.b = s, opt, n, out, a, b
	p.opt.Threads = 1
	p.chunk = max(1, min(mem.Ceil(n.Count, 4*threads), int(work.Threaded/muls)))
	p.next.Store(0)
	defer func() {
		p.set, p.opt.B = nil, nil
		p.out.Data, p.a.Data, p.b.Data = nil, nil, nil
		putJob(j)
	}()
	j.rare = rareTask{p, workOnBatch}
	j.run(threads)
}

// stacks reports whether products of one b lie one under another, so that they are one
// product with all of their rows. Each row then has the same result. Strides are those of
// rows.
func (n *Batch) stacks(rows, out, a int) bool {
	return n.Count > 1 && n.B == 0 && n.Out == rows*out && n.A == rows*a
}

// from returns a matrix that begins off elements later.
func from[T dtype.Elem](x layout.Matrix[T], off int) layout.Matrix[T] {
	if off > 0 {
		x.Data = x.Data[min(off, len(x.Data)):]
	}
	return x
}

// batchPart is a batch from which any number of workers take some products at once.
type batchPart[T dtype.Number] struct {
	set       *Set[T]
	opt       run.Options
	n         Batch
	out, a, b layout.Matrix[T]
	chunk     int
	next      atomic.Int64
}

func workOnBatch(batch any, w *worker) {
	batch.(interface{ workOnBatch(w *worker) }).workOnBatch(w)
}

func (p *batchPart[T]) workOnBatch(w *worker) {
	for {
		z := int(p.next.Add(1)-1) * p.chunk
		if z >= p.n.Count {
			return
		}
		for end := min(z+p.chunk, p.n.Count); z < end; z++ {
			out, a, b := from(p.out, z*p.n.Out), from(p.a, z*p.n.A), from(p.b, z*p.n.B)
			if !p.set.smallOn(w, &p.opt, &out, &a, &b) {
				p.set.Large(p.set.Name, &p.opt, &out, &a, &b)
			}
		}
	}
}

// checkBatch refuses what check refuses of the first product. It also refuses a batch that
// reaches outside its slices or writes a place twice. It checks all here, since a panic in
// a worker would be another one.
func (s *Set[T]) checkBatch(opt *run.Options, n Batch, out, a, b *layout.Matrix[T]) {
	name := opt.Name(s.Name)
	s.check(name, opt, out, a, b)
	checkSeries(name, opt, n, out, a, b)
}

// checkSeries is checkBatch for a batch whose first product was checked.
func checkSeries[A, B, Out dtype.Elem](name string, opt *run.Options, n Batch, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	checkSpans(name, opt.B != nil, n, viewOf(out), viewOf(a), viewOf(b))
	if n.Count < 2 || out.Rows == 0 || out.Cols == 0 {
		return
	}
	all := series(out, n.Out, n.Count)
	if mem.Touch(all, series(a, n.A, n.Count)) || mem.Touch(all, series(b, n.B, n.Count)) {
		panic(layout.ShapeError{What: name, Why: overlap})
	}
}

// checkSpans is checkSeries but for what operands share.
func checkSpans(name string, packed bool, n Batch, out, a, b layout.View) {
	refuse := func(format string, args ...any) {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf(format, args...)})
	}
	if n.Count < 0 || n.Out < 0 || n.A < 0 || n.B < 0 {
		refuse("a batch of %d products that begin %d elements apart in out, %d in a and %d in b; none may be negative", n.Count, n.Out, n.A, n.B)
	}
	if n.B != 0 && packed {
		refuse("Options.B is one packed b, and the batch has another one every %d elements; want a stride of 0 for b, or no Options.B", n.B)
	}
	if n.Count < 2 {
		return
	}
	checkSpan(name, "out", &out, n.Out, n.Count)
	checkSpan(name, "a", &a, n.A, n.Count)
	checkSpan(name, "b", &b, n.B, n.Count)
	if out.Rows > 0 && out.Cols > 0 && !mem.Apart([3]int{out.Rows, out.Cols, n.Count}, [3]int{out.RowStride, out.ColStride, n.Out}) {
		refuse("results of %d x %d that begin %d elements apart share places; want them apart", out.Rows, out.Cols, n.Out)
	}
}

// series is what count matrices that begin stride elements apart span.
func series[T dtype.Elem](m *layout.Matrix[T], stride, count int) []T {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	return m.Data[:(count-1)*stride+(m.Rows-1)*m.RowStride+(m.Cols-1)*m.ColStride+1]
}

// checkSpan refuses a slice that does not hold count of x that begin stride elements
// apart; the first one's span fits.
func checkSpan(name, what string, x *layout.View, stride, count int) {
	if x.Rows == 0 || x.Cols == 0 || stride == 0 {
		return
	}
	left := x.Len - 1 - (x.Rows-1)*x.RowStride - (x.Cols-1)*x.ColStride
	if left/stride < count-1 {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("%d elements of %s do not hold %d of %d x %d that begin %d elements apart; want more, or a smaller stride",
			x.Len, what, count, x.Rows, x.Cols, stride)})
	}
}
