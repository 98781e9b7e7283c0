package attention

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// walk is what attention and its gradients have in common: how they go through the blocks of
// a mask, some rows of a block row, or columns of a block column, at a time.
type walk[T dtype.Float] struct {
	mask         mask.Mask
	raw          sparse.Raw // its blocks
	kern         *kernel.Table[kernel.Func[kernel.SparseArgs]]
	dense        *kernel.Kernels
	scale        T
	out, q, k, v layout.Matrix[T]
	heads        Heads
	logSums      []float64
	fusion       *scoreFusion // what scores are made of products; nil: nothing
	drop         *weightDrop[T]

	rows   mem.Split // of a block row, into tasks
	packed mem.Buffer
}

// pick returns the variant to run, nil for the portable code.
func (set *Set[T]) pick(c *attendCall[T]) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	return choose.Table(&set.choice, c.Caller, set.Variants, c.ISA)
}

// begin sets what a call says, and returns how many goroutines may work on so many products
// with each block.
func (a *walk[T]) begin(set *Set[T], kern *kernel.Table[kernel.Func[kernel.SparseArgs]], c *attendCall[T], heads Heads, products float64) (threads int) {
	scale := T(c.Scale)
	if c.Scale == 0 {
		scale = T(1 / math.Sqrt(float64(max(c.q.Cols, 1))))
	}
	*a = walk[T]{
		packed: a.packed, mask: c.mask, raw: c.mask.Blocks().Raw(), kern: kern, scale: scale,
		out: c.out, q: c.q, k: c.k, v: c.v, heads: heads, logSums: c.LogSums, fusion: c.fusion,
		drop: dropOf[T](set.Masks, c.Caller, &c.Options, c.mask),
		rows: mem.SplitUp(min(c.mask.Size(), c.mask.Rows()), blockRowsAtOnce),
	}
	size := float64(c.mask.Size())
	return call.ThreadsFor(c.Options.Options, products*float64(heads.Count)*float64(a.raw.NNZ)*size*size*(float64(c.q.Cols)+float64(c.v.Cols)))
}

// multiplies reports whether there are kernels and something to multiply, and operands may be
// copied, others among them.
func (a *walk[T]) multiplies(others ...layout.Matrix[T]) bool {
	return a.kern != nil && a.q.Cols > 0 && a.v.Cols > 0 && a.mask.Rows() > 0 && a.mask.Cols() > 0 && call.Copies(a.q, a.k, a.v) && call.Copies(others...)
}

// span returns the block that task t works on and the range of its rows, or columns, of n in
// all.
func span(t int, split mem.Split, size, n int) (block, from, to int) {
	block = t / split.Count
	return block, block*size + split.At(t%split.Count), min(block*size+split.At(t%split.Count+1), n)
}

// add adds a product to C. If rows do not see all and what they do not see, which begins with
// row from of B, is not finite, it leaves that out.
func (a *walk[T]) add(w *tileScratch, t *call.Tile, cut bool, from int, seen func(i, k int) bool) {
	size := int(unsafe.Sizeof(a.scale))
	if cut && from < t.K && !allFinite[T](unsafe.Add(t.B, from*t.LdB), t.K-from, t.LdB/size) {
		call.AddSeen[T](t, seen)
	} else {
		t.Multiply(a.dense, &w.Dense, size)
	}
}

// eachChunk cuts the columns that rows before i1 of a block row see into chunks.
func (a *walk[T]) eachChunk(w *tileScratch, block, i1 int, do func(n int)) {
	eachChunk(w, a.raw, a.mask.Size(), block, 0, a.mask.Limit(i1-1), do)
}

// eachChunk cuts the columns of a block row from from to limit-1 into chunks of at most
// blockColumnsAtOnce. It calls do with the number of columns of each, which are
// w.segments.
func eachChunk(w *tileScratch, raw sparse.Raw, size, block, from, limit int, do func(n int)) {
	pointers := call.RowPointers(raw)
	w.segments = w.segments[:0]
	n := 0
	for p := int(pointers[block]); p < int(pointers[block+1]); p++ {
		col := int(*call.Element[int32](raw.Indices, p)) * size
		end := min(limit, col+size)
		for col = max(col, from); col < end; {
			more := min(end-col, blockColumnsAtOnce-n)
			if s := len(w.segments) - 1; s >= 0 && w.segments[s].col+w.segments[s].n == col {
				w.segments[s].n += more
			} else {
				w.segments = append(w.segments, segment{col, more, n})
			}
			col += more
			if n += more; n == blockColumnsAtOnce {
				do(n)
				w.segments, n = w.segments[:0], 0
			}
		}
	}
	if n > 0 {
		do(n)
	}
}

// allFinite reports whether rows of a matrix have no Inf and no NaN.
func allFinite[T dtype.Float](p unsafe.Pointer, rows, width int) bool {
	var s0, s1, s2, s3 T // 0, or NaN
	x := call.SliceOf((*T)(p), rows*width)
	for ; len(x) >= 4; x = x[4:] {
		s0, s1, s2, s3 = s0+(x[0]-x[0]), s1+(x[1]-x[1]), s2+(x[2]-x[2]), s3+(x[3]-x[3])
	}
	for _, y := range x {
		s0 += y - y
	}
	return s0+s1+s2+s3 == 0
}
