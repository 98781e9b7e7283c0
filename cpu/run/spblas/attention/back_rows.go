package attention

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// headStep does all of a head.
const headStep = call.OwnStep

// Task does task t of a step.
func (b *backward[T]) Task(s *call.Scratch, t int) {
	w, size := scratchOf(s), int(unsafe.Sizeof(b.scale))
	if b.job.Step == call.SumStep || b.job.Step == headStep { // 64 rows of 256 columns, or 256 of 64
		n := blockRowsAtOnce*(blockColumnsAtOnce*size+mem.Line) + blockColumnsAtOnce*(mem.Line+keyVectors*b.kern.VL*size)
		w.Scores.Grow(n)
		w.state.Grow(n)
		if b.fusion != nil {
			w.Result.Grow(n)
		}
		w.Sums.Grow(blockRowsAtOnce * b.deep)
		w.Gathered.Grow(blockRowsAtOnce * b.wide)
	}
	if b.gradient != nil {
		w.also.Grow(b.gradient.also * blockRowsAtOnce * blockColumnsAtOnce * 8)
	}
	switch first := b.raw.Rows * b.rows.Count; {
	case b.job.Step == call.PackStep:
		b.pack(w, t)
	case b.job.Step == call.PlainStep:
		b.plain(w, t)
	case b.job.Step == headStep:
		b.whole(w, t)
	case t < first:
		b.rowTile(w, t)
	default:
		b.columnTile(w, t-first)
	}
	w.EpiArgs = kernel.EpiArgs{}
}

// pack copies a panel of keys and values, and some queries.
func (b *blockHead[T]) pack(w *tileScratch, t int) {
	size, panel := int(unsafe.Sizeof(b.scale)), keyVectors*b.kern.VL
	k, v := head(b.k, b.head, b.heads.K), head(b.v, b.head, b.heads.V)
	from := min(t*panel, b.mask.Cols())
	to := min(from+panel, b.mask.Cols())
	if from < to {
		transposeRows(b.dense, &w.Dense, k, from, to, unsafe.Add(b.packed.P, b.keys+t*panel*k.Cols*size), panel*size)
		transposeRows(b.dense, &w.Dense, v, from, to, unsafe.Add(b.packed.P, b.values+t*panel*v.Cols*size), panel*size)
		packRowsOf(b.packed.P, b.keyRows, b.deep, k, from, to)
	}
	q, out, dout := head(b.q, b.head, b.heads.Q), head(b.out, b.head, b.heads.Out), head(b.dout, b.head, b.heads.Out)
	from = min(t*blockRowsAtOnce, b.mask.Rows())
	to = min(from+blockRowsAtOnce, b.mask.Rows())
	packRowsOf(b.packed.P, b.queries, b.deep, q, from, to)
	packRowsOf(b.packed.P, b.outs, b.wide, dout, from, to)
	vl := b.kern.VL
	for i := from; i < to; i++ {
		log, mean := rowState(out, dout, i, b.logSums[b.head*b.mask.Rows()+i])
		state := call.SliceOf((*T)(unsafe.Add(b.packed.P, b.states+i*2*vl*size)), 2*vl)
		for l := range vl {
			state[l], state[vl+l] = log, mean
		}
	}
}

// rowState returns what Back of the kernels wants of row i: its LogSum, and the sum of dout times
// out. LogSum is +Inf if the row sees nothing, so that weights are 0.
func rowState[T dtype.Float](out, dout layout.Matrix[T], i int, sum float64) (log, mean T) {
	if log = T(sum); math.IsInf(sum, -1) {
		return T(math.Inf(1)), 0
	}
	for j := range out.Cols {
		mean += T(out.Data[i*out.RowStride+j*out.ColStride] * dout.Data[i*dout.RowStride+j*dout.ColStride])
	}
	return log, mean
}

// packRowsOf copies rows from to to-1 of m to rows of so many bytes, filled up with zeros.
func packRowsOf[T dtype.Float](p unsafe.Pointer, at, width int, m layout.Matrix[T], from, to int) {
	for i := from; i < to; i++ {
		row := call.SliceOf((*T)(unsafe.Add(p, at+i*width)), width/int(unsafe.Sizeof(m.Data[0])))
		copyRow(row[:m.Cols], m, i)
		clear(row[m.Cols:])
	}
}

// scores leaves the scores of rows i0 to i1-1 and n columns from col on at place in
// w.scores. It leaves the gradients of the weights in w.state. Both have rows of ld
// bytes.
func (b *blockHead[T]) scores(w *tileScratch, i0, i1, col, n, place, ld int) {
	size, panel := int(unsafe.Sizeof(b.scale)), keyVectors*b.kern.VL
	one := mem.BitsOf(T(1))
	t := call.Tile{
		A: mem.Operand{P: unsafe.Add(b.packed.P, b.queries+i0*b.deep), RS: b.deep, CS: size}, C: unsafe.Add(w.Scores.P, place), LdC: ld,
		M: i1 - i0, K: b.q.Cols, Mode: kernel.ModeScale, Alpha: mem.BitsOf(b.scale), Beta: one,
	}
	t.MultiplyPanels(b.dense, &w.Dense, size, unsafe.Add(b.packed.P, b.keys), panel, col, n)
	t.A = mem.Operand{P: unsafe.Add(b.packed.P, b.outs+i0*b.wide), RS: b.wide, CS: size}
	t.C, t.K, t.Mode, t.Alpha = unsafe.Add(w.state.P, place), b.v.Cols, kernel.ModeStore, one
	t.MultiplyPanels(b.dense, &w.Dense, size, unsafe.Add(b.packed.P, b.values), panel, col, n)
}

// back turns n products a row of rows i0 to i1-1 into weights, and gradients of weights into those
// of products. The columns that rows do not see have no gradient; each yields them, with their place. back
// reports whether there are any. Gradients by operands are added to sums, the first of row, or column, base.
func (b *blockHead[T]) back(w *tileScratch, sums [][]float64, base, i0, i1, n, place, ld int, each []segment) (cut bool) {
	size, vl := int(unsafe.Sizeof(b.scale)), b.kern.VL
	b.drop.tile(w, unsafe.Add(w.state.P, place), ld, b.head, i0, i1, each)
	g := &w.Args
	g.A, g.LdA, g.C, g.LdC = unsafe.Add(w.Scores.P, place), int64(ld), unsafe.Add(w.state.P, place), int64(ld)
	g.B, g.Rows, g.K = unsafe.Add(b.packed.P, b.states+i0*2*vl*size), int64(i1-i0), int64(mem.Ceil(n, vl))
	if b.fusion == nil {
		b.kern.Op("Back").F(g)
	} else {
		for i := range i1 - i0 {
			row := place + i*ld
			copy(call.SliceOf((*T)(unsafe.Add(w.Result.P, row)), n), call.SliceOf((*T)(unsafe.Add(w.Scores.P, row)), n))
		}
		of := func(m *mem.Buffer, s segment) mem.Operand {
			return mem.Operand{P: unsafe.Add(m.P, place+s.at*size), RS: ld, CS: size}
		}
		for _, s := range each {
			b.fusion.run(&w.EpiArgs, of(&w.Result, s), of(&w.Scores, s), nil, b.head, i0, s.col, i1-i0, s.n)
		}
		b.kern.Op("Back").F(g)
		for _, s := range each {
			b.gradient.run(&w.EpiArgs, of(&w.Result, s), of(&w.state, s), w.also.P, b.head, i0, s.col, i1-i0, s.n)
			b.operandScores(w, sums, base, b.head, i0, s.col, i1-i0, s.n)
		}
	}
	for i := i0; i < i1; i++ {
		limit := b.mask.Limit(i)
		for _, s := range each {
			if from := max(limit, s.col) - s.col; from < s.n {
				at := place + (i-i0)*ld + (s.at+from)*size
				clear(call.SliceOf((*T)(unsafe.Add(w.Scores.P, at)), s.n-from))
				clear(call.SliceOf((*T)(unsafe.Add(w.state.P, at)), s.n-from))
				cut = true
			}
		}
	}
	return cut
}

// rowTile computes some rows of dq.
func (b *blockHead[T]) rowTile(w *tileScratch, t int) {
	size := int(unsafe.Sizeof(b.scale))
	block, i0, i1 := span(t, b.rows, b.mask.Size(), b.mask.Rows())
	if i0 >= i1 {
		return
	}
	sums := b.operandSums(w, i1-i0, -1)
	clear(call.SliceOf((*T)(w.Sums.P), (i1-i0)*b.deep/size))
	ld := blockColumnsAtOnce*size + mem.Line
	b.eachChunk(w, block, i1, func(n int) {
		for _, s := range w.segments {
			b.scores(w, i0, i1, s.col, s.n, s.at*size, ld)
		}
		cut := b.back(w, sums, i0, i0, i1, n, 0, ld, w.segments)
		for _, s := range w.segments {
			b.add(w, &call.Tile{
				A: mem.Operand{P: unsafe.Add(w.state.P, s.at*size), RS: ld, CS: size}, B: unsafe.Add(b.packed.P, b.keyRows+s.col*b.deep), LdB: b.deep,
				C: w.Sums.P, LdC: b.deep, M: i1 - i0, N: b.q.Cols, K: s.n, Mode: kernel.ModeUpdate, Alpha: mem.BitsOf(b.scale), Beta: mem.BitsOf(T(1)),
			}, cut, 0, func(i, j int) bool { return s.col+j < b.mask.Limit(i0+i) })
		}
	})
	call.UnpackRows[T](w.Sums.P, b.deep, head(b.dq, b.head, b.heads.Q), i0, i1)
	b.putOperands(sums, b.head, i0, t)
}

// columnTile computes some rows of dk and of dv, of keys that are columns of the mask.
func (b *blockHead[T]) columnTile(w *tileScratch, t int) {
	size := int(unsafe.Sizeof(b.scale))
	block, j0, j1 := span(t, b.columns, b.mask.Size(), b.mask.Cols())
	if j0 >= j1 {
		return
	}
	sums := b.operandSums(w, -1, j1-j0)
	clear(call.SliceOf((*T)(w.Sums.P), (j1-j0)*b.deep/size))
	clear(call.SliceOf((*T)(w.Gathered.P), (j1-j0)*b.wide/size))
	ld := mem.Ceil(j1-j0, b.kern.VL)*b.kern.VL*size + mem.Line
	from := 0 // the first row that sees column j0
	if b.mask.IsCausal() {
		from = max(0, j0-(b.mask.Cols()-b.mask.Rows()))
	}
	columns := []segment{{j0, j1 - j0, 0}}
	one := mem.BitsOf(T(1))
	eachChunk(w, b.turned, b.mask.Size(), block, from, b.mask.Rows(), func(int) {
		for _, s := range w.segments {
			i0, i1, place := s.col, s.col+s.n, s.at*ld
			b.scores(w, i0, i1, j0, j1-j0, place, ld)
			cut := b.back(w, sums, j0, i0, i1, j1-j0, place, ld, columns)
			b.drop.tile(w, unsafe.Add(w.Scores.P, place), ld, b.head, i0, i1, columns)
			seen := func(j, i int) bool { return j0+j < b.mask.Limit(i0+i) }
			t := call.Tile{
				A: mem.Operand{P: unsafe.Add(w.Scores.P, place), RS: size, CS: ld}, B: unsafe.Add(b.packed.P, b.outs+i0*b.wide), LdB: b.wide,
				C: w.Gathered.P, LdC: b.wide, M: j1 - j0, N: b.v.Cols, K: s.n, Mode: kernel.ModeUpdate, Alpha: one, Beta: one,
			}
			b.add(w, &t, cut, 0, seen)
			t.A.P, t.B, t.LdB = unsafe.Add(w.state.P, place), unsafe.Add(b.packed.P, b.queries+i0*b.deep), b.deep
			t.C, t.LdC, t.N, t.Alpha = w.Sums.P, b.deep, b.q.Cols, mem.BitsOf(b.scale)
			b.add(w, &t, cut, 0, seen)
			if b.once {
				t.A.RS, t.A.CS, t.B = ld, size, unsafe.Add(b.packed.P, b.keyRows+j0*b.deep)
				t.C, t.M, t.K = unsafe.Add(w.dq.P, i0*b.deep), s.n, j1-j0
				b.add(w, &t, cut, 0, func(i, j int) bool { return seen(j, i) })
			}
		}
	})
	call.UnpackRows[T](w.Sums.P, b.deep, head(b.dk, b.head, b.heads.K), j0, j1)
	call.UnpackRows[T](w.Gathered.P, b.wide, head(b.dv, b.head, b.heads.V), j0, j1)
	b.putOperands(sums, b.head, j0, 0)
}

func at[T dtype.Float](m layout.Matrix[T], i, j int) *T { return &m.Data[i*m.RowStride+j*m.ColStride] }
