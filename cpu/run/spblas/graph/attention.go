package graph

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Attention is all variants of graph attention. A package-level variable holds
// one for each element type.
type Attention[T dtype.Float] struct {
	Name     string
	SDDMM    *SDDMM[T] // makes the scores
	Variants []*kernel.Table[kernel.Func[kernel.SparseArgs]]

	choice choose.Choice
}

// AttentionOptions change how one call runs.
type AttentionOptions struct {
	run.Options
	// Scale multiplies the scores; 0 means one over the square root of q's columns.
	Scale float64
	// Bias adds the values of the matrix to the scaled scores; otherwise only its
	// structure counts.
	Bias bool
}

// Attend computes, for each row i of s,
//
//	out[i] = sum over entries (i, j) of softmax_j(Scale * q[i]·k[j] + bias) * v[j]
//
// where softmax is over the row's entries, the greatest score subtracted before
// exponentials are taken. s is m x n, q is m x f, k is n x f, v is n x h and out is m x
// h, with any strides. A row without entries is 0. A NaN or +Inf among the scores of a
// row makes the row NaN, and so do scores of -Inf only, as in the formula. The scores
// are never in memory as a whole: those of a few rows at a time are, in L1.
//
// The result does not depend on the number of threads. Attend panics with a
// [layout.ShapeError] before any element is read, in these cases: shapes do not agree,
// a slice is too short, or out shares memory with q, k or v.
func (set *Attention[T]) Attend(opt AttentionOptions, out layout.Matrix[T], s sparse.Matrix[T], q, k, v layout.Matrix[T]) {
	name := opt.Name(set.Name)
	checkAttention(name, opt, &out, s, &q, &k, &v)
	kern := choose.Table(&set.choice, name, set.Variants, opt.ISA)
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	if s.NNZ() == 0 {
		mem.Scale(out, 0)
		return
	}
	by := T(opt.Scale)
	if opt.Scale == 0 {
		by = T(1 / math.Sqrt(float64(max(q.Cols, 1))))
	}
	threads := call.ThreadsFor(opt.Options, float64(s.NNZ())*(float64(q.Cols)+float64(v.Cols)))
	raw := s.Raw()
	if kern == nil || q.Cols == 0 || !call.Copies(q, k, v) { // without features there is nothing to sample, and huge copies are not made
		p := &attentionPortable[T]{raw: raw, scale: by, bias: opt.Bias, out: out, q: q, k: k, v: v}
		p.job.Run(p, threads, call.PlainStep, mem.Ceil(raw.Rows, portableRows))
		return
	}
	if call.InRows(out, 0, func(out layout.Matrix[T]) { set.Attend(opt, out, s, q, k, v) }) {
		return
	}
	dots := set.SDDMM.pick(name, kern.ISA)
	q, k, v = call.ContiguousRows(q), call.ContiguousRows(k), call.ContiguousRows(v)
	a := attentionCalls.Get()
	defer func() { *a = attention{}; attentionCalls.Put(a) }()
	*a = attention{kernels: kern, bias: opt.Bias, v: mem.OperandOf(v), c: mem.OperandOf(out), columns: call.PanelsOf(v.Cols, kern.VL, kern.NV)}
	a.shift, a.exps, a.fence = kern.Op("Shift").F, kern.Op("Exp").F, kern.Op("Fence").F
	a.begin(dots, raw, mem.OperandOf(q), mem.OperandOf(k), int(unsafe.Sizeof(by)), q.Cols)
	a.alpha, a.beta, a.mode = mem.BitsOf(by), mem.BitsOf(T(1)), kernel.ModeScale
	if a.bias {
		a.mode = kernel.ModeUpdate
	}
	if total := int64(s.Cols()) * int64((a.panels.N+a.columns.N)*a.size); tiling.FetchesRows(machine.This(), total) {
		a.ahead = call.FetchDistance(a.panels.N*a.size, total)
	}
	if v.Cols%kern.VL == 0 && mem.Misaligned(a.c.P, mem.Line) == 0 && a.c.RS%mem.Line == 0 && call.StoresPast(kern.ISA, int64(out.Rows)*int64(a.c.RS)) {
		a.store = kernel.ModeStream
	}
	long := a.findLong()
	if n := len(a.pieces); n > 0 {
		a.parts, a.tops, a.sums = make([]byte, n*a.columns.N*a.size), make([]float64, n), make([]float64, n)
	}
	a.job.Run(a, threads, call.SumStep, len(a.pieces)+raw.NNZ/attentionTask+1)
	for _, l := range long {
		joinAttention[T](a, out, l)
	}
}

func checkAttention[T dtype.Float](name string, opt AttentionOptions, out *layout.Matrix[T], s sparse.Matrix[T], q, k, v *layout.Matrix[T]) {
	c := check.Call(name)
	call.CheckOptions(c, &opt.Options, "Options.Scaling is for other products; attention has Scale, and no beta")
	if q.Rows != s.Rows() || k.Rows != s.Cols() || v.Rows != s.Cols() || q.Cols != k.Cols || out.Rows != s.Rows() || out.Cols != v.Cols {
		c.Refuse("out is %d x %d, s is %d x %d, q is %d x %d, k is %d x %d, v is %d x %d; want m x h, m x n, m x f, n x f, n x h",
			out.Rows, out.Cols, s.Rows(), s.Cols(), q.Rows, q.Cols, k.Rows, k.Cols, v.Rows, v.Cols)
	}
	check.Written(c, "out", out)
	check.Beside(c, "out", out, "q", q)
	check.Beside(c, "out", out, "k", k)
	check.Beside(c, "out", out, "v", v)
}

const (
	attentionTask = 4096 // entries; a worker takes the rows that begin in so many
	// attentionPiece is how many entries of a row are done by one worker. Longer rows
	// are cut, whatever the number of threads, and their pieces joined.
	attentionPiece = 8192
	// attentionGroup is how many entries have their scores made before their rows of v
	// are summed. With few, rows of v too often come that were not prefetched.
	attentionGroup = 1024
	attentionRows  = 1024 // in one call, in case they are empty
)

// attention is one call on assembly.
type attention struct {
	chunks  // q and k
	job     call.Job
	kernels *kernel.Table[kernel.Func[kernel.SparseArgs]]
	// shift, exps and fence are those of kernels.
	shift, exps, fence kernel.Func[kernel.SparseArgs]
	bias               bool
	v, c               mem.Operand
	store              int64       // the mode of the last step
	columns            call.Panels // of v
	pieces             []piece
	parts              []byte // of each piece, its weighted sum, not divided
	tops               []float64
	sums               []float64 // the greatest score of each piece, and the sum of its weights
}

// attentionCalls keeps calls, so that one allocates nothing unless rows are long.
var attentionCalls mem.Pool[attention]

// piece is some of the entries of a long row.
type piece struct{ row, from, to int }

// findLong cuts the long rows; it returns the pieces of each as a range.
func (a *attention) findLong() (long []mem.Extent) {
	if a.raw.NNZ <= attentionPiece {
		return nil
	}
	for i := range a.raw.Rows {
		from, to := int(a.pointers[i]), int(a.pointers[i+1])
		if to-from <= attentionPiece {
			continue
		}
		first := len(a.pieces)
		for k := from; k < to; k += attentionPiece {
			a.pieces = append(a.pieces, piece{i, k, min(k+attentionPiece, to)})
		}
		long = append(long, mem.Extent{From: first, To: len(a.pieces)})
	}
	return long
}

// Task computes a piece of a long row, or some short rows.
func (a *attention) Task(w *call.Scratch, t int) {
	w.Scores.Grow(attentionPiece * a.size)
	w.Weights.Grow(attentionPiece * a.size)
	if t < len(a.pieces) {
		a.piece(w, t)
	} else {
		a.short(w, t-len(a.pieces))
	}
	if a.store == kernel.ModeStream {
		a.fence(&w.Args)
	}
}

// short computes the rows that begin in the t-th range of entries, except long ones.
func (a *attention) short(w *call.Scratch, t int) {
	starts := a.pointers[:a.raw.Rows]
	i, _ := slices.BinarySearch(starts, int32(t*attentionTask))
	end, _ := slices.BinarySearch(starts, int32(min((t+1)*attentionTask, math.MaxInt32)))
	for i < end {
		from := int(a.pointers[i])
		to := i + 1 // as many rows as have few entries together, but at least one
		for to < end && to-i < attentionRows && int(a.pointers[to+1])-from <= attentionGroup {
			to++
		}
		if n := int(a.pointers[to]) - from; n <= attentionPiece {
			a.rows(w, i, to, from, from+n)
		}
		i = to
	}
}

// scores leaves the scores of the entries from to to-1, which begin in row i.
func (a *attention) scores(w *call.Scratch, i, from, to int) {
	for k := from; k < to; k += sddmmChunk {
		n := min(sddmmChunk, to-k)
		end := rowsEnd(a.pointers, i, k+n)
		a.partialSums(w, i, end, k, k+n)
		at := unsafe.Add(w.Scores.P, (k-from)*a.size)
		if a.bias {
			copy(unsafe.Slice((*byte)(at), n*a.size), unsafe.Slice((*byte)(unsafe.Add(a.raw.Values, k*a.size)), n*a.size))
		}
		a.reduce(w, at, nil, n)
		i = end - 1
	}
}

// rows computes rows i to end-1, whose entries are from to to-1.
func (a *attention) rows(w *call.Scratch, i, end, from, to int) {
	g := &w.Args
	if from < to {
		a.scores(w, i, from, to)
		g.Pointers, g.Rows, g.From = unsafe.Add(a.raw.Pointers, i*4), int64(end-i), int64(from)
		g.A, g.C = w.Scores.P, w.Weights.P
		a.shift(g)
		a.exp(w, to-from)
	}
	a.sum(w, unsafe.Add(a.raw.Pointers, i*4), end-i, from, to, a.c.At(i, 0), a.c.RS, a.store)
}

func (a *attention) exp(w *call.Scratch, n int) {
	g := &w.Args
	g.C, g.K, g.N = w.Weights.P, int64(n/a.kernels.VL), int64(n%a.kernels.VL)
	a.exps(g)
}

// sum adds up rows of v by the weights of n rows, the entries of which are from to
// to-1, into rows at c.
func (a *attention) sum(w *call.Scratch, pointers unsafe.Pointer, n, from, to int, c unsafe.Pointer, ldc int, mode int64) {
	g := &w.Args
	g.Pointers, g.Indices, g.Values = pointers, a.raw.Indices, w.Weights.P
	g.Rows, g.From, g.Mode = int64(n), int64(from), mode
	g.LdB, g.LdC = int64(a.v.RS), int64(ldc)
	g.Ahead = 0
	if to+a.ahead <= a.raw.NNZ {
		g.Ahead = int64(4 * a.ahead)
	}
	for p := range a.columns.Count {
		col, nv, last := a.columns.Panel(p)
		g.N, g.B, g.C = int64(last), a.v.At(0, col), unsafe.Add(c, col*a.size)
		if last < a.kernels.VL {
			a.kernels.Tile(kernel.Tail, 1, nv)(g)
		} else {
			a.kernels.Tile(kernel.Panel, 1, nv)(g)
		}
	}
}

// piece computes piece p of a long row without dividing.
func (a *attention) piece(w *call.Scratch, p int) {
	x := a.pieces[p]
	a.scores(w, x.row, x.from, x.to)
	if a.size == 4 {
		a.tops[p] = shiftPiece[float32](w, x.to-x.from)
	} else {
		a.tops[p] = shiftPiece[float64](w, x.to-x.from)
	}
	a.exp(w, x.to-x.from)
	if a.size == 4 {
		a.sums[p] = sumPiece[float32](w, x.to-x.from)
	} else {
		a.sums[p] = sumPiece[float64](w, x.to-x.from)
	}
	w.Range2 = [2]int32{int32(x.from), int32(x.to)}
	a.sum(w, unsafe.Pointer(&w.Range2), 1, x.from, x.to, unsafe.Pointer(&a.parts[p*a.columns.N*a.size]), 0, kernel.ModeScale)
}

func shiftPiece[T dtype.Float](w *call.Scratch, n int) float64 {
	s, to := unsafe.Slice((*T)(w.Scores.P), n), unsafe.Slice((*T)(w.Weights.P), n)
	top := slices.Max(s) // NaN if one is
	for i := range s {
		to[i] = s[i] - top
	}
	return float64(top)
}

func sumPiece[T dtype.Float](w *call.Scratch, n int) float64 {
	sum := 0.0
	for _, x := range unsafe.Slice((*T)(w.Weights.P), n) {
		sum += float64(x)
	}
	return sum
}

// joinAttention makes one row of its pieces, in their order.
func joinAttention[T dtype.Float](a *attention, out layout.Matrix[T], l mem.Extent) {
	top := slices.Max(a.tops[l.From:l.To])
	row := out.Data[a.pieces[l.From].row*out.RowStride:][:a.columns.N]
	sum, sums := 0.0, make([]float64, len(row))
	for p := l.From; p < l.To; p++ {
		if math.IsInf(a.tops[p], -1) && top > a.tops[p] {
			continue // all of its weights are 0, though less their greatest they were NaN
		}
		w := math.Exp(a.tops[p] - top)
		sum += w * a.sums[p]
		part := unsafe.Slice((*T)(unsafe.Pointer(&a.parts[p*a.columns.N*a.size])), a.columns.N)
		for j, x := range part {
			sums[j] += w * float64(x)
		}
	}
	for j, x := range sums {
		row[j] = T(x / sum)
	}
}
