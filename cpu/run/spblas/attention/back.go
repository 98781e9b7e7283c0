package attention

import (
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Back computes the gradients of [Set.Attend]: dq, dk and dv from dout, what
// it computed as out and opt.LogSums, and what it computed them from. dq has the shape of
// q, dk that of k, dv that of v and dout that of out. Their heads are as far apart as the
// heads of these, so heads cannot share the place of a gradient. Rows that see nothing, and
// columns that no row sees, have gradients of 0.
//
// Weights are computed a second time, a few at a time. Sums go by blocks in the order of rows, or
// columns, whatever the number of threads. Back panics as Attend does, and if opt.LogSums is not what
// Attend filled.
func (set *Set[T]) Back(opt Options, dq, dk, dv layout.Matrix[T], mask mask.Mask, q, k, v, out, dout layout.Matrix[T]) {
	opt.Caller = opt.Name(set.Name + "Back")
	set.back(backCall[T]{attendCall: attendCall[T]{Options: opt, out: out, mask: mask, q: q, k: k, v: v}, dout: dout, dq: dq, dk: dk, dv: dv})
}

// backCall is what a call for gradients says.
type backCall[T dtype.Float] struct {
	attendCall[T]
	dout, dq, dk, dv layout.Matrix[T]
	gradient         *scoreFusion // makes of gradients by scores the ones by products
	operands         []*operandGradient
}

func (set *Set[T]) back(c backCall[T]) {
	opt, mask, name := c.Options, c.mask, c.Caller
	q, k, v, out, dout := c.q, c.k, c.v, c.out, c.dout
	heads := checkBlockBack(name, &opt, mask, [3]*layout.Matrix[T]{&c.dq, &c.dk, &c.dv}, &q, &k, &v, &out, &dout)
	if e := c.epilogue; e != nil {
		for i, by := range []int{heads.Q, heads.K, heads.V} {
			p, size := spanOf([]layout.Matrix[T]{c.dq, c.dk, c.dv}[i], by, heads.Count)
			e.checkApart([]string{"dq", "dk", "dv"}[i], p, size)
		}
		c.checkOperands(heads, q, k, v, out, dout)
	}
	b := &backward[T]{blockHead: blockHead[T]{
		turned: mask.Blocks().Transpose().Raw(), dout: dout, dq: c.dq, dk: c.dk, dv: c.dv, gradient: c.gradient, operands: c.operands,
	}}
	threads := b.begin(set, set.pick(&c.attendCall), &c.attendCall, heads, 3)
	if b.multiplies(out, dout) && b.plan(b.kern) {
		b.dense = call.DenseFor(set.Dense(), b.kern.ISA)
		if b.once = b.small() && len(b.operands) == 0; b.once {
			b.job.Run(b, threads, headStep, heads.Count)
			return
		}
		b.packed.Grow(b.total)
		for h := range heads.Count {
			b.head = h
			b.job.Run(b, threads, call.PackStep, max(b.panels, mem.Ceil(mask.Rows(), blockRowsAtOnce)))
			tasks := b.raw.Rows * b.rows.Count
			b.parts = make([]float64, tasks*len(b.operands))
			b.job.Run(b, threads, call.SumStep, tasks+b.turned.Rows*b.columns.Count)
			b.joinOperands(h, tasks)
		}
		return
	}
	if slices.ContainsFunc(b.operands, func(g *operandGradient) bool { return g.by == 0 }) {
		threads = 1 // heads add to it one after another
	}
	b.job.Run(b, threads, call.PlainStep, heads.Count)
}

// checkOperands refuses gradients by operands that share memory with anything else, and clears them.
func (c *backCall[T]) checkOperands(heads Heads, q, k, v, out, dout layout.Matrix[T]) {
	e := c.epilogue
	for n, g := range c.operands {
		for x, m := range []layout.Matrix[T]{c.dq, c.dk, c.dv, q, k, v, out, dout} {
			by := []int{heads.Q, heads.K, heads.V, heads.Q, heads.K, heads.V, heads.Out, heads.Out}[x]
			p, size := spanOf(m, by, heads.Count)
			g.apart(e, epi.Memory{Name: [...]string{"dq", "dk", "dv", "q", "k", "v", "out", "dout"}[x], P: p, Size: size})
		}
		e.checkApart(g.span.Name, g.span.P, g.span.Size)
		g.apart(e, logSumsOf(&c.Options))
		for _, other := range c.operands[:n] {
			g.apart(e, other.span)
		}
	}
	for _, g := range c.operands {
		if g.clear != nil {
			g.clear()
		}
	}
}

func checkBlockBack[T dtype.Float](name string, opt *Options, mask mask.Mask, results [3]*layout.Matrix[T], q, k, v, out, dout *layout.Matrix[T]) Heads {
	c := check.Call(name)
	if opt.LogSums == nil {
		c.Refuse("LogSums is nil; want those that attention filled")
	}
	heads := checkBlockAttention(name, opt, out, mask, q, k, v)
	if dout.Rows != out.Rows || dout.Cols != out.Cols {
		c.Refuse("dout is %d x %d, out is %d x %d; want the same shape", dout.Rows, dout.Cols, out.Rows, out.Cols)
	}
	checkOperand(c, "dout", dout, heads.Out, heads.Count)
	names, of := [3]string{"dq", "dk", "dv"}, [3]*layout.Matrix[T]{q, k, v}
	by := [3]int{heads.Q, heads.K, heads.V}
	for n, d := range results {
		if d.Rows != of[n].Rows || d.Cols != of[n].Cols {
			c.Refuse("%s is %d x %d, %s is %d x %d; want the same shape", names[n], d.Rows, d.Cols, names[n][1:], of[n].Rows, of[n].Cols)
		}
		checkResult(c, names[n], d, by[n], heads.Count)
		refuseLogSums(c, opt, names[n], *d, by[n], heads.Count)
		for m, x := range of {
			call.RefuseShared(c, names[n], *d, by[n], names[m][1:], *x, by[m], heads.Count)
		}
		call.RefuseShared(c, names[n], *d, by[n], "out", *out, heads.Out, heads.Count)
		call.RefuseShared(c, names[n], *d, by[n], "dout", *dout, heads.Out, heads.Count)
		for m := range n {
			call.RefuseShared(c, names[n], *d, by[n], names[m], *results[m], by[m], heads.Count)
		}
	}
	return heads
}

// backward is one call.
type backward[T dtype.Float] struct {
	blockHead[T]
	job call.Job
}

// blockHead is what is known of a call, and of the head at work.
type blockHead[T dtype.Float] struct {
	walk[T]
	turned           sparse.Raw // the blocks by columns
	head             int        // at work
	dout, dq, dk, dv layout.Matrix[T]

	gradient *scoreFusion // nil: scores are products
	operands []*operandGradient
	parts    []float64 // of sums over a head, of each task with rows

	columns    mem.Split // of a block, into tasks
	panels     int       // of keys and values
	deep, wide int       // bytes of a packed row of q's columns, and of v's
	total      int       // bytes of what is packed
	once       bool      // weights are computed once, by the goroutine that has the head
	// The places in it: panels of keys and values, rows of keys, queries and dout, and for each
	// query two vectors, its LogSum and the sum of dout times out.
	keys, values, keyRows, queries, outs, states int
}

// plan lays out what is packed of a head, and reports whether that is not far more than
// there is.
func (b *blockHead[T]) plan(kern *kernel.Table[kernel.Func[kernel.SparseArgs]]) bool {
	size, vl := int(unsafe.Sizeof(b.scale)), kern.VL
	m, n := b.mask.Rows(), b.mask.Cols()
	b.columns = mem.SplitUp(min(b.mask.Size(), n), blockRowsAtOnce)
	b.panels = mem.Ceil(n, keyVectors*vl)
	b.deep, b.wide = mem.Ceil(b.q.Cols, vl)*vl*size, mem.Ceil(b.v.Cols, vl)*vl*size
	padded := b.panels * keyVectors * vl
	for _, part := range []struct {
		at         *int
		rows, cols int
	}{{&b.keys, padded, b.deep}, {&b.values, padded, b.wide}, {&b.keyRows, n, b.deep}, {&b.queries, m, b.deep}, {&b.outs, m, b.wide}, {&b.states, m, 2 * vl * size}} {
		bytes := mem.Volume(part.rows, part.cols)
		if bytes > call.PackLimit(len(b.q.Data)+len(b.k.Data)+len(b.v.Data), size) {
			return false
		}
		*part.at = bytes
	}
	total := 0
	for _, at := range []*int{&b.keys, &b.values, &b.keyRows, &b.queries, &b.outs, &b.states} {
		*at, total = total, total+*at
		if total < 0 {
			return false
		}
	}
	b.total = total
	return true
}
