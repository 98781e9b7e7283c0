package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Batch says how many products of one shape there are and how many elements lie from
// the beginning of each operand to that of the next product's. A stride of 0 gives all
// of them the same a or b; the results must lie apart.
type Batch struct {
	Count     int
	Out, A, B int
}

// Batched computes n.Count products of one shape. out, a and b describe the first, which
// must exist even if Count is 0. Their slices hold all of them. n says how far apart the
// others begin. Each is what [Gemm] gives for it, bit for bit; the threads share out
// the products. It panics with a [layout.ShapeError], before an element is read, where
// Gemm would for any of them. It also panics if two results share a place, or if results
// lie between a's or b's. Options.B goes with a stride of 0 for b only.
func Batched[T dtype.AnySum, A, B, Out dtype.Elem](c Call[T], n Batch, opt *run.Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	g := checkGemm(&c, opt, out, a, b)
	checkSeries(c.name(opt), opt, n, out, a, b)
	g.batch(work.Allowed(opt.Threads), opt, n, plain.As[T](*out), plain.As[T](*a), plain.As[T](*b))
}

// batch computes the products of a batch, of which out, a and b are the first.
func (g *gemm[T]) batch(threads int, opt *run.Options, n Batch, out, a, b plain.Operand[T]) {
	if n.Count == 0 || out.Rows == 0 || out.Cols == 0 {
		return
	}
	j := jobs.Get()
	p := mem.KeptOf[batchPart[T]](&j.series, dtype.Of[T]())
	defer func() {
		*p = batchPart[T]{}
		putJob(j)
	}()
	p.gemm, p.opt, p.n, p.out, p.a, p.b = *g, *opt, n, out, a, b
	muls := float64(out.Rows) * float64(out.Cols) * float64(a.Cols)
	switch {
	case g.stacks(&n, &out, &a, &b):
		p.out.Rows, p.a.Rows, n.Count = n.Count*out.Rows, n.Count*a.Rows, 1
	case muls >= work.Threaded: // large ones share themselves out
	case muls*float64(n.Count) < work.Threaded: // few products share no threads
		threads = 1
	default:
		p.opt.Threads, p.threads = 1, 1
		threads = min(threads, n.Count)
		p.chunk = max(1, min(mem.Ceil(n.Count, 4*threads), int(work.Threaded/muls)))
		p.tasks.Begin(mem.Ceil(n.Count, p.chunk))
		j.rare = rareTask{p, workOnBatch}
		j.run(threads)
		return
	}
	p.threads = threads
	for z := range n.Count {
		p.one(&j.self, z)
	}
}

// stacks reports whether products of one b lie one under another, and are one product with all of
// their rows. Each row then has the same result: a skinny product may add in another order, but
// not one of operands narrower than sums.
func (g *gemm[T]) stacks(n *Batch, out, a, b *plain.Operand[T]) bool {
	if n.Count < 2 || n.B != 0 || n.Out != out.Rows*out.RowStride || n.A != out.Rows*a.RowStride ||
		g.set.Semiring != nil || g.set.Shape != (tiling.Shape{}) || g.is != (Structure{}) {
		return false
	}
	size := dtype.Of[T]().Size()
	if a.Elem().Size() < size || b.Elem().Size() < size {
		return g.kern != nil
	}
	return !maybeSkinny(out.Rows, out.Cols, a.Cols, size) && !maybeSkinny(n.Count*out.Rows, out.Cols, a.Cols, size)
}

// batchPart is a batch from which any number of workers take some products at once.
type batchPart[T dtype.AnySum] struct {
	gemm      gemm[T]
	opt       run.Options
	n         Batch
	out, a, b plain.Operand[T]
	threads   int // of each product
	chunk     int
	tasks     work.Tasks
}

func workOnBatch(batch any, w *worker) {
	batch.(interface{ workOnBatch(w *worker) }).workOnBatch(w)
}

func (p *batchPart[T]) workOnBatch(w *worker) {
	for t, ok := p.tasks.Next(); ok; t, ok = p.tasks.Next() {
		for z := t * p.chunk; z < min((t+1)*p.chunk, p.n.Count); z++ {
			p.one(w, z)
		}
	}
}

// one computes a product, by the short way if it is small.
func (p *batchPart[T]) one(w *worker, z int) {
	g := &p.gemm
	out, a, b := p.out.From(z*p.n.Out), p.a.From(z*p.n.A), p.b.From(z*p.n.B)
	if !out.Narrow() && !a.Narrow() && !b.Narrow() && g.is == (Structure{}) {
		mo, ma, mb := out.Matrix(), a.Matrix(), b.Matrix()
		if g.set.smallOn(w, &p.opt, &mo, &ma, &mb) {
			return
		}
	}
	g.run(p.threads, out, a, b)
}

// checkSeries refuses a batch whose first product was checked if it reaches outside its slices
// or writes a place twice. It checks all here, since a panic in a worker would be another one.
func checkSeries[A, B, Out dtype.Elem](name string, opt *run.Options, n Batch, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	checkSpans(name, opt.B != nil, n, viewOf(out), viewOf(a), viewOf(b))
	if n.Count < 2 || out.Rows == 0 || out.Cols == 0 {
		return
	}
	all := mem.Series(out, n.Out, n.Count)
	if mem.Touch(all, mem.Series(a, n.A, n.Count)) || mem.Touch(all, mem.Series(b, n.B, n.Count)) {
		check.Call(name).Refuse(check.Overlap)
	}
}

// checkSpans is checkSeries but for what operands share.
func checkSpans(name string, packed bool, n Batch, out, a, b layout.View) {
	c := check.Call(name)
	if n.Count < 0 || n.Out < 0 || n.A < 0 || n.B < 0 {
		c.Refuse("a batch of %d products that begin %d elements apart in out, %d in a and %d in b; none may be negative", n.Count, n.Out, n.A, n.B)
	}
	if n.B != 0 && packed {
		c.Refuse("Options.B is one packed b, and the batch has another one every %d elements; want a stride of 0 for b, or no Options.B", n.B)
	}
	if n.Count < 2 {
		return
	}
	checkSpan(name, "out", &out, n.Out, n.Count)
	checkSpan(name, "a", &a, n.A, n.Count)
	checkSpan(name, "b", &b, n.B, n.Count)
	if out.Rows > 0 && out.Cols > 0 && !mem.Apart([3]int{out.Rows, out.Cols, n.Count}, [3]int{out.RowStride, out.ColStride, n.Out}) {
		c.Refuse("results of %d x %d that begin %d elements apart share places; want them apart", out.Rows, out.Cols, n.Out)
	}
}

// checkSpan refuses a slice that does not hold count of x that begin stride elements
// apart; the first one's span fits.
func checkSpan(name, what string, x *layout.View, stride, count int) {
	if x.Rows == 0 || x.Cols == 0 || stride == 0 {
		return
	}
	left := x.Len - 1 - (x.Rows-1)*x.RowStride - (x.Cols-1)*x.ColStride
	if left/stride < count-1 {
		check.Call(name).Refuse("%d elements of %s do not hold %d of %d x %d that begin %d elements apart; want more, or a smaller stride",
			x.Len, what, count, x.Rows, x.Cols, stride)
	}
}
