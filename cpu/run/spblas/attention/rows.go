package attention

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/masks"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

const (
	// blockRowsAtOnce is how many rows of a block a task has. They are enough that its
	// weighted sums are loaded and stored for many columns, and few enough that scores and
	// sums stay in L2.
	blockRowsAtOnce = 64
	// blockColumnsAtOnce is how many columns one step of a softmax sees. The bits of a result
	// depend on it.
	blockColumnsAtOnce = 256
	// keyVectors is how wide a panel of transposed keys is: narrow, so that its rows lie close together.
	keyVectors = 4
)

// forward is one call.
type forward[T dtype.Float] struct {
	walk[T]
	unseen T // what a row is that sees nothing

	panels int // of keys
	width  int // bytes of a row of packed values
	one    int // bytes of what is packed of a head: panels of keys, then rows of values
	group  int // heads that are packed at once

	first, last int // of the heads at work
	job         call.Job
}

// plan decides what is packed at once, and reports whether that is not far more than there
// is.
func (a *forward[T]) plan(threads int) bool {
	size := int(unsafe.Sizeof(a.scale))
	keys := keyVectors * a.kern.VL
	a.panels = mem.Ceil(a.mask.Cols(), keys)
	a.width = mem.Ceil(a.v.Cols, a.kern.VL) * a.kern.VL * size
	a.one = mem.Volume(a.panels*keys, a.width+a.k.Cols*size)
	if a.one > call.PackLimit(len(a.k.Data)+len(a.v.Data), size) {
		return false
	}
	// Enough heads that no goroutine waits long for the last one of a group.
	a.group = min(max(1, mem.Ceil(8*threads, a.tilesPerHead())), max(1, budget.Kept/max(a.one, 1)), a.heads.Count)
	a.packed.Grow(a.group * a.one)
	return true
}

func (a *forward[T]) tilesPerHead() int { return a.raw.Rows * a.rows.Count }

// Task does task t of a step.
func (a *forward[T]) Task(s *call.Scratch, t int) {
	w := scratchOf(s)
	switch a.job.Step {
	case call.PackStep:
		a.pack(w, a.first+t/a.panels, t%a.panels)
	case call.SumStep:
		w.Scores.Grow(blockRowsAtOnce * (blockColumnsAtOnce*int(unsafe.Sizeof(a.scale)) + mem.Line))
		w.state.Grow(blockRowsAtOnce * 2 * a.kern.VL * int(unsafe.Sizeof(a.scale)))
		w.Sums.Grow(blockRowsAtOnce * a.width)
		n := a.tilesPerHead()
		a.tile(w, a.first+t/n, t%n)
	default:
		a.plain(w, t)
	}
	w.EpiArgs = kernel.EpiArgs{}
}

// tileScratch is what a worker needs to multiply gathered blocks.
type tileScratch struct {
	*call.Scratch
	state    mem.Buffer
	masks    masks.Scratch
	head, dq mem.Buffer // of a head that one goroutine has
	segments []segment
	also     mem.Buffer  // gradients by operands, for each score
	sumsBy   [][]float64 // and their sums
}

// scratchOf returns what a scratch has for attention.
func scratchOf(s *call.Scratch) *tileScratch {
	w, ok := s.Own.(*tileScratch)
	if !ok {
		w = &tileScratch{Scratch: s}
		s.Own = w
	}
	return w
}

// segment is columns that are next to each other in the mask and in the scores.
type segment struct{ col, n, at int }

// at returns where the panels of keys and the rows of values of a head are.
func (a *forward[T]) at(h int) (keys, values unsafe.Pointer) {
	keys = unsafe.Add(a.packed.P, (h-a.first)*a.one)
	return keys, unsafe.Add(keys, a.panels*keyVectors*a.kern.VL*a.k.Cols*int(unsafe.Sizeof(a.scale)))
}

// pack transposes a panel of keys, and copies the values that belong to it.
func (a *forward[T]) pack(w *tileScratch, h, panel int) {
	keys, values := a.at(h)
	n, size := keyVectors*a.kern.VL, int(unsafe.Sizeof(a.scale))
	from := panel * n
	to := min(from+n, a.mask.Cols())
	k, v := head(a.k, h, a.heads.K), head(a.v, h, a.heads.V)
	transposeRows(a.dense, &w.Dense, k, from, to, unsafe.Add(keys, panel*n*a.k.Cols*size), n*size)
	for j := from; j < to; j++ {
		row := call.SliceOf((*T)(unsafe.Add(values, j*a.width)), a.width/size)
		copyRow(row[:v.Cols], v, j)
		clear(row[v.Cols:])
	}
}

// transposeRows makes columns of rows from to to-1 of m, in rows that are ld bytes apart.
func transposeRows[T dtype.Float](kern *kernel.Kernels, args *kernel.Args, m layout.Matrix[T], from, to int, dst unsafe.Pointer, ld int) {
	size := int(unsafe.Sizeof(m.Data[0]))
	if m.ColStride != 1 {
		for f := range m.Cols {
			row := call.SliceOf((*T)(unsafe.Add(dst, f*ld)), to-from)
			for j := range row {
				row[j] = m.Data[(from+j)*m.RowStride+f*m.ColStride]
			}
		}
		return
	}
	rows := mem.OperandOf(m)
	args.K = int64(m.Cols)
	mem.Columns(kern.Pack.One(kernel.Columns), args, kern.VL, size, rows.At(from, 0), rows.RS, dst, ld, to-from)
	args.B, args.C = nil, nil
}

// copyRow copies row i of m.
func copyRow[T dtype.Float](dst []T, m layout.Matrix[T], i int) {
	if m.ColStride == 1 {
		copy(dst, m.Data[i*m.RowStride:])
		return
	}
	for j := range dst {
		dst[j] = m.Data[i*m.RowStride+j*m.ColStride]
	}
}

// tile computes some rows of one block row of a head.
func (a *forward[T]) tile(w *tileScratch, h, t int) {
	block, i0, i1 := span(t, a.rows, a.mask.Size(), a.mask.Rows())
	if i0 >= i1 {
		return
	}
	vl := a.kern.VL
	clear(call.SliceOf((*T)(w.Sums.P), (i1-i0)*a.width/int(unsafe.Sizeof(a.scale))))
	state := call.SliceOf((*T)(w.state.P), (i1-i0)*2*vl)
	least := T(math.Inf(-1))
	clear(state)
	for at := 0; at < len(state); at += 2 * vl {
		tops := state[at:][:vl]
		for l := range tops {
			tops[l] = least
		}
	}
	a.eachChunk(w, block, i1, func(n int) { a.chunk(w, h, i0, i1, n) })
	a.finish(w, h, block, i0, i1)
}

// chunk goes on with rows i0 to i1-1 by the n columns of w.segments.
func (a *forward[T]) chunk(w *tileScratch, h, i0, i1, n int) {
	size, vl := int(unsafe.Sizeof(a.scale)), a.kern.VL
	ld := blockColumnsAtOnce*size + mem.Line // no power of two: rows would share few sets of L1
	a.scoreTile(w, h, i0, i1, ld)
	cut := a.hide(w, i0, i1, n, ld)
	g := &w.Args
	g.A, g.LdA, g.Rows, g.K = w.Scores.P, int64(ld), int64(i1-i0), int64(mem.Ceil(n, vl))
	g.B, g.C, g.LdC, g.Width = w.state.P, w.Sums.P, int64(a.width), int64(a.width/size/vl)
	a.kern.Op("Step").F(g)
	a.drop.tile(w, w.Scores.P, ld, h, i0, i1, w.segments)
	_, values := a.at(h)
	one := mem.BitsOf(T(1))
	for _, s := range w.segments {
		t := call.Tile{
			A: mem.Operand{P: unsafe.Add(w.Scores.P, s.at*size), RS: ld, CS: size}, B: unsafe.Add(values, s.col*a.width), LdB: a.width,
			C: w.Sums.P, LdC: a.width, M: i1 - i0, N: a.v.Cols, K: s.n, Mode: kernel.ModeUpdate, Alpha: one, Beta: one,
		}
		a.add(w, &t, cut, max(0, a.mask.Limit(i0)-s.col), func(i, j int) bool { return s.col+j < a.mask.Limit(i0+i) })
	}
}

// scoreTile leaves the scores of rows i0 to i1-1 and the columns of w.segments.
func (a *forward[T]) scoreTile(w *tileScratch, h, i0, i1, ld int) {
	size := int(unsafe.Sizeof(a.scale))
	keys, _ := a.at(h)
	rows := mem.OperandOf(head(a.q, h, a.heads.Q))
	t := call.Tile{
		A: mem.Operand{P: rows.At(i0, 0), RS: rows.RS, CS: rows.CS}, LdC: ld,
		M: i1 - i0, K: a.q.Cols, Mode: kernel.ModeScale, Alpha: mem.BitsOf(a.scale), Beta: mem.BitsOf(T(1)),
	}
	for _, s := range w.segments {
		t.C = unsafe.Add(w.Scores.P, s.at*size)
		t.MultiplyPanels(a.dense, &w.Dense, size, keys, keyVectors*a.kern.VL, s.col, s.n)
		if a.fusion != nil {
			scores := mem.Operand{P: t.C, RS: ld, CS: size}
			a.fusion.run(&w.EpiArgs, scores, scores, nil, h, i0, s.col, i1-i0, s.n)
		}
	}
}

// hide makes scores -Inf that rows do not see, and what fills up the last vector. It
// reports whether there was such a score.
func (a *forward[T]) hide(w *tileScratch, i0, i1, n, ld int) (cut bool) {
	least := T(math.Inf(-1))
	fill := mem.Ceil(n, a.kern.VL) * a.kern.VL
	for i := i0; i < i1; i++ {
		row := call.SliceOf((*T)(unsafe.Add(w.Scores.P, (i-i0)*ld)), fill)
		for j := n; j < fill; j++ {
			row[j] = least
		}
		limit := a.mask.Limit(i)
		for _, s := range w.segments {
			for j := max(limit, s.col); j < s.col+s.n; j++ {
				row[s.at+j-s.col] = least
				cut = true
			}
		}
	}
	return cut
}

// finish divides sums by the sums of the weights.
func (a *forward[T]) finish(w *tileScratch, h, block, i0, i1 int) {
	out := head(a.out, h, a.heads.Out)
	vl := a.kern.VL
	for i := i0; i < i1; i++ {
		state := call.SliceOf((*T)(w.state.P), (i-i0+1)*2*vl)[(i-i0)*2*vl:]
		var total T
		for _, x := range state[vl:] {
			total += x
		}
		sums := call.SliceOf((*T)(unsafe.Add(w.Sums.P, (i-i0)*a.width)), a.v.Cols)
		a.divide(out, h, i, sums, state[0], total, a.sees(block, i))
	}
}

// sees reports whether row i of a block row sees a column.
func (a *forward[T]) sees(block, i int) bool {
	pointers := call.RowPointers(a.raw)
	from, to := pointers[block], pointers[block+1]
	return from < to && int(*call.Element[int32](a.raw.Indices, int(from)))*a.mask.Size() < a.mask.Limit(i)
}

// divide stores row i of a head.
func (a *forward[T]) divide(out layout.Matrix[T], h, i int, sums []T, top, total T, seen bool) {
	if a.logSums != nil {
		log := math.Inf(-1)
		if seen {
			log = float64(top) + math.Log(float64(total))
			if math.IsInf(log, -1) {
				log = math.NaN() // scores that are all -Inf have no weights; -Inf says that there is none
			}
		}
		a.logSums[h*a.mask.Rows()+i] = log
	}
	if len(sums) == 0 {
		return
	}
	by := 1 / total
	row := out.Data[i*out.RowStride:]
	if seen && out.ColStride == 1 {
		row = row[:len(sums)]
		for j, x := range sums {
			row[j] = x * by
		}
		return
	}
	for j, x := range sums {
		if x *= by; !seen {
			x = a.unseen
		}
		row[j*out.ColStride] = x
	}
}
