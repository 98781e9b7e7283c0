package attention

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/masks"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Set is all variants of attention over blocks. A package-level variable
// holds one for each element type.
type Set[T dtype.Float] struct {
	Name     string
	Variants []*kernel.Table[kernel.Func[kernel.SparseArgs]] // best first; none without assembly
	// Dense returns the kernels that multiply blocks, by instruction set. It is a function
	// since a variable would take code that runs before main.
	Dense func() []*kernel.Kernels
	Masks *masks.Set // drop weights

	choice choose.Choice
	calls  mem.Pool[forward[T]] // so that a call allocates nothing
}

// Options change how one call runs.
type Options struct {
	run.Options
	// Scale multiplies the scores; 0 means one over the square root of q's columns.
	Scale float64
	// Heads says how many heads there are, and how far apart; the zero Heads is one.
	Heads Heads
	// UnseenNaN makes rows NaN that the mask lets see nothing; otherwise they are 0.
	UnseenNaN bool
	// LogSums, if not nil, gets log(sum(e^score)) of each row of a head, the heads one after another: what
	// gradients are computed with. It is -Inf for a row that sees nothing, NaN for one of nothing but -Inf.
	LogSums []float64
	// Drop is the probability with which a weight is dropped after the softmax; those that are left are divided by
	// 1-Drop. As in [rand.Dropout], number (h*m + i)*r + j of Stream decides on column j of row i of head h. r is the
	// mask's columns, rounded up to a multiple of 4. Gradients want the same again.
	Drop   float64
	Stream rand.Stream
}

// Heads is how many heads of attention one call does, and for each matrix how many
// elements lie from its beginning to that of the next head's. That is the width of a head
// if heads are parts of the columns, or all of a matrix. A Count of 0 is one head. A
// distance of 0 gives all heads the same q, k or v: of grouped queries, say.
type Heads struct {
	Count        int
	Out, Q, K, V int
}

// Attend computes, for each head and each row i,
//
//	out[i] = sum over the columns j that mask has in row i of softmax_j(Scale * q[i]·k[j]) * v[j]
//
// where softmax is over those columns. With a mask of m x n, q is m x f, k is n x f, v is
// n x h and out is m x h, each with any strides, for the first head. Their slices hold all heads. The
// scores of at most 64 rows and 256 columns are in memory at a time, and blocks that the mask lacks
// cost nothing.
//
// A row that sees no column is 0, or NaN by Options.UnseenNaN. A NaN or +Inf among the scores that a row sees
// makes it NaN, and so do scores of -Inf only, as in the formula. What the row does not see counts for
// nothing, whatever is there. The result depends neither on the number of threads nor on the other heads.
// Attend panics with a [layout.ShapeError] before any element is read, in these cases: shapes do not agree, a
// slice is too short, results share places, or out shares memory with q, k or v.
func (set *Set[T]) Attend(opt Options, out layout.Matrix[T], mask mask.Mask, q, k, v layout.Matrix[T]) {
	opt.Caller = opt.Name(set.Name)
	set.attend(attendCall[T]{Options: opt, out: out, mask: mask, q: q, k: k, v: v})
}

// attendCall is what a call says.
type attendCall[T dtype.Float] struct {
	Options  // with the name of the caller
	out      layout.Matrix[T]
	mask     mask.Mask
	q, k, v  layout.Matrix[T]
	epilogue *Epilogue    // of scores; nil: none
	fusion   *scoreFusion // makes of products scores
}

func (set *Set[T]) attend(c attendCall[T]) {
	opt, out, mask, q, k, v, name := c.Options, c.out, c.mask, c.q, c.k, c.v, c.Caller
	heads := checkBlockAttention(name, &opt, &out, mask, &q, &k, &v)
	if c.epilogue != nil {
		p, size := spanOf(out, heads.Out, heads.Count)
		c.epilogue.checkApart("out", p, size)
	}
	kern := set.pick(&c)
	if heads.Count == 0 || out.Rows == 0 || out.Cols == 0 && opt.LogSums == nil {
		return
	}
	a := set.calls.Get()
	defer func() {
		a.packed.Trim()
		*a = forward[T]{walk: walk[T]{packed: a.packed}}
		set.calls.Put(a)
	}()
	threads := a.begin(set, kern, &c, heads, 1)
	a.unseen = 0
	if opt.UnseenNaN {
		a.unseen = T(math.NaN())
	}
	if a.multiplies() && a.plan(threads) {
		a.dense = call.DenseFor(set.Dense(), a.kern.ISA)
		for h := 0; h < heads.Count; h += a.group {
			a.first, a.last = h, min(h+a.group, heads.Count)
			a.job.Run(a, threads, call.PackStep, (a.last-a.first)*a.panels)
			a.job.Run(a, threads, call.SumStep, (a.last-a.first)*a.tilesPerHead())
		}
		return
	}
	for h := range heads.Count {
		a.first = h
		a.job.Run(a, threads, call.PlainStep, mem.Ceil(mask.Rows(), plainRows))
	}
}

func checkBlockAttention[T dtype.Float](name string, opt *Options, out *layout.Matrix[T], mask mask.Mask, q, k, v *layout.Matrix[T]) Heads {
	c := check.Call(name)
	call.CheckOptions(c, &opt.Options, "Options.Scaling is for other products; attention has Scale, and no beta")
	if q.Rows != mask.Rows() || k.Rows != mask.Cols() || v.Rows != mask.Cols() || q.Cols != k.Cols || out.Rows != mask.Rows() || out.Cols != v.Cols {
		c.Refuse("out is %d x %d, the mask is %d x %d, q is %d x %d, k is %d x %d, v is %d x %d; want m x h, m x n, m x f, n x f, n x h",
			out.Rows, out.Cols, mask.Rows(), mask.Cols(), q.Rows, q.Cols, k.Rows, k.Cols, v.Rows, v.Cols)
	}
	if !(opt.Drop >= 0 && opt.Drop < 1) {
		c.RefuseOption("Drop is %v; want a probability from 0 to below 1", opt.Drop)
	}
	heads := checkHeads(c, opt.Heads)
	if n := mem.Volume(heads.Count, mask.Rows()); opt.LogSums != nil && len(opt.LogSums) != n {
		c.Refuse("LogSums has %d elements, %d heads have %d rows; want one for each", len(opt.LogSums), heads.Count, mask.Rows())
	}
	checkResult(c, "out", out, heads.Out, heads.Count)
	for _, x := range []struct {
		name string
		m    *layout.Matrix[T]
		by   int
	}{{"q", q, heads.Q}, {"k", k, heads.K}, {"v", v, heads.V}} {
		checkOperand(c, x.name, x.m, x.by, heads.Count)
		call.RefuseShared(c, "out", *out, heads.Out, x.name, *x.m, x.by, heads.Count)
		refuseLogSums(c, opt, x.name, *x.m, x.by, heads.Count)
	}
	refuseLogSums(c, opt, "out", *out, heads.Out, heads.Count)
	return heads
}

// refuseLogSums refuses LogSums that share memory with a matrix.
func refuseLogSums[T dtype.Float](c check.Call, opt *Options, what string, m layout.Matrix[T], by, heads int) {
	sums := logSumsOf(opt)
	if p, size := spanOf(m, by, heads); size > 0 && sums.Size > 0 && mem.Shares(p, size, sums.P, sums.Size) {
		c.Refuse("LogSums shares memory with %s; it wants memory of its own", what)
	}
}

// logSumsOf is the memory of LogSums.
func logSumsOf(opt *Options) epi.Memory {
	return epi.Memory{Name: "LogSums", P: unsafe.Pointer(unsafe.SliceData(opt.LogSums)), Size: uintptr(8 * len(opt.LogSums))}
}

// checkHeads returns the heads, at least one unless none are asked for.
func checkHeads(c check.Call, h Heads) Heads {
	if h == (Heads{}) {
		h.Count = 1
	}
	if h.Count < 0 || h.Out < 0 || h.Q < 0 || h.K < 0 || h.V < 0 {
		c.Refuse("%d heads that begin %d elements apart in out, %d in q, %d in k and %d in v; none may be negative", h.Count, h.Out, h.Q, h.K, h.V)
	}
	if h.Count == 0 {
		h.Count = 1
	}
	return h
}

// checkOperand refuses a slice that does not hold count of x that begin so far apart.
func checkOperand[T dtype.Float](c check.Call, what string, x *layout.Matrix[T], apart, count int) {
	check.Read(c, what, x)
	if x.Rows == 0 || x.Cols == 0 || apart == 0 {
		return
	}
	left := len(x.Data) - 1 - (x.Rows-1)*x.RowStride - (x.Cols-1)*x.ColStride
	if left/apart < count-1 {
		c.Refuse("%d elements of %s do not hold %d heads of %d x %d that begin %d elements apart; want more, or a smaller distance",
			len(x.Data), what, count, x.Rows, x.Cols, apart)
	}
}

// checkResult is checkOperand of a result, heads of which may not share places.
func checkResult[T dtype.Float](c check.Call, what string, x *layout.Matrix[T], apart, count int) {
	check.Written(c, what, x)
	checkOperand(c, what, x, apart, count)
	if count > 1 && x.Rows > 0 && x.Cols > 0 && !mem.Apart([3]int{x.Rows, x.Cols, count}, [3]int{x.RowStride, x.ColStride, apart}) {
		c.Refuse("%d heads of %d x %d of %s with strides (%d, %d) that begin %d elements apart share places; want them apart",
			count, x.Rows, x.Cols, what, x.RowStride, x.ColStride, apart)
	}
}

// head returns the h-th of matrices that begin so far apart.
func head[T dtype.Float](m layout.Matrix[T], h, apart int) layout.Matrix[T] {
	if m.Rows == 0 || m.Cols == 0 {
		return m
	}
	m.Data = m.Data[min(h*apart, len(m.Data)):]
	return m
}
