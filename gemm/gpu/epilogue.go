package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
)

// The finished sums of a CTA are laid out in shared memory, where the stages were. They are BM rows of BN,
// 4 bytes each, or 8 for f64. They are read from there by rows, whatever fragments they came from. So one
// epilogue serves all operators, and its loads and stores are of whole sectors. Its code, which may be
// long, exists once and not once a register.
//
// The 32-byte quarters of each 128 bytes are permuted by the row's number, and the
// halves of a quarter are exchanged in every other 128 bytes. So no access meets
// another in a bank: stores of eight rows of two columns each (mma) and of four rows of
// eight columns (simt), loads of four and of eight columns a thread.

// sumOffset returns where the sum of row and column is; sumOffsetAt is the same for values.
func (g *lowering) sumOffset(row, col int) int {
	size := g.op.Sum().Bytes()
	x := row*g.tile.BN*size + col*size
	return x ^ (row^row>>2)&3<<5 ^ x>>3&16
}

func (g *lowering) sumOffsetAt(b *emit.Builder, row, col *emit.Value) *emit.Value {
	size := g.op.Sum().Bytes()
	x := b.Add(times(b, row, g.tile.BN*size), times(b, col, size))
	quarter := times(b, b.And(b.Xor(row, b.Shr(row, b.Int(2))), b.Int(3)), 32)
	half := b.And(b.Shr(x, b.Int(3)), b.Int(16))
	return b.Xor(x, b.Xor(quarter, half))
}

// storeSums stores the sums there.
func (g *lowering) storeSums(b *emit.Builder, acc []*emit.Value) {
	lane, warp := b.And(g.tid, b.Int(31)), b.SReg("warpid", emit.Int64, emit.Warp)
	across, down := split(b, warp, g.tile.BM/g.tile.WM)
	row, col := g.f.lane(b, lane)
	row, col = b.Or(times(b, down, g.tile.WM), row), b.Or(times(b, across, g.tile.WN), col)
	runs := g.f.runs(b, acc)
	var offs []int
	for _, r := range runs {
		offs = append(offs, g.sumOffset(r.row, r.col))
	}
	at := newSmemAddr(b, 0, g.sumOffsetAt(b, row, col), g.op.Sum().Bytes()*len(runs[0].x), offs).in(b, b.Int(0))
	for i, r := range runs {
		b.Store(vectorOf(b, r.x), at(offs[i]))
	}
}

// finish turns the sums into outputs, a thread a few columns of a row at a time, and
// reduces them.
func (g *lowering) finish(b *emit.Builder) {
	e := &epilogue{lowering: g, n: 1}
	e.schedule.hold(b, e.rowParams())
	if g.v.Wide {
		e.n = min(16/g.out.Bytes(), g.tile.BN)
	}
	row0, c := split(b, g.tid, g.tile.BN/e.n)
	col := times(b, c, e.n)
	e.j = b.Add(g.n0, col)
	e.left = b.Sub(g.schedule.param(b, "n", emit.Int64), e.j)
	e.full = b.Cmp("ge", e.left, b.Int(int64(e.n)))
	rows := b.IMin(b.Sub(g.schedule.param(b, "m", emit.Int64), g.m0), b.Int(int64(g.tile.BM)))
	g.consumers(b, func() {
		b.If(b.Cmp("gt", e.left, b.Int(0)), func() []*emit.Value {
			e.columns(b)
			b.For(row0, rows, int64(g.tile.Threads()*e.n/g.tile.BN), nil, func(r *emit.Value, _ []*emit.Value) []*emit.Value {
				e.row(b, r, col)
				return nil
			})
			return nil
		}, nil)
	})
	if g.fusion != nil && len(g.fusion.Reduces) > 0 {
		b.Inst(inst.BarSync, 0)
		g.consumers(b, func() { g.reduce(b, rows) })
	}
}

// epilogue is what a thread knows while it goes down its columns.
type epilogue struct {
	*lowering
	n    int           // columns; above 1 in wide kernels only
	j    *emit.Value   // the first of them
	left *emit.Value   // how many columns of the matrix there are from it on
	full *emit.Value   // whether that is enough
	base []*emit.Value // by slot: element (0, j)
	held map[int][]*emit.Value
}

// rowParams are the parameters that row and scale take.
func (e *epilogue) rowParams() (names []string) {
	if e.fusion == nil && !e.op.Sum().Int() {
		names = append(names, "alpha", "beta")
	}
	for i, s := range e.m.Slots {
		if s.Kind == OutputSlot || s.Kind == OperandSlot && (s.Pattern == gemm.RowPattern || s.Pattern == gemm.FullPattern) {
			names = append(names, slotStride(i))
		}
	}
	return names
}

// columns loads what does not change from row to row.
func (e *epilogue) columns(b *emit.Builder) {
	e.base, e.held = make([]*emit.Value, len(e.m.Slots)), map[int][]*emit.Value{}
	for i, s := range e.m.Slots {
		t := gemm.ElemOf(s.Type)
		switch {
		case s.Kind == PartialSlot || s.Kind == SecondSlot || s.Kind == HiddenSlot || s.Kind == MetaSlot || s.Kind == ZeroSlot:
			continue
		case s.Kind == OperandSlot && s.Pattern == gemm.ScalarPattern:
			e.held[i] = repeatValue(e.schedule.param(b, slotPtr(i), emit.Scalar(t)), e.n)
			continue
		}
		p := e.schedule.param(b, slotPtr(i), emit.Pointer(emit.Global, e.slotAlign(s)))
		p = b.AddPAligned(p, b.Mul(e.schedule.param(b, slotBatch(i), emit.Int64), e.batch), p.Type.Align)
		if s.Pattern != gemm.RowPattern {
			step := b.Int(int64(t.Bytes()))
			if !e.v.Wide {
				step = e.schedule.param(b, slotColumn(i), emit.Int64)
			}
			p = b.AddPAligned(p, b.Mul(e.j, step), min(p.Type.Align, e.n*t.Bytes()))
		}
		e.base[i] = p
		if s.Pattern == gemm.ColumnPattern {
			e.held[i] = e.load(b, p, t)
		}
	}
}

// row does the thread's columns of row r of the tile.
func (e *epilogue) row(b *emit.Builder, r, col *emit.Value) {
	i := b.Add(e.m0, r)
	at := make([]*emit.Value, len(e.m.Slots))
	var in [][]*emit.Value
	for s, slot := range e.m.Slots {
		if p := e.base[s]; p != nil && slot.Pattern != gemm.ColumnPattern {
			at[s] = b.AddPAligned(p, b.Mul(i, e.schedule.param(b, slotStride(s), emit.Int64)), p.Type.Align)
		}
		if slot.Kind != OperandSlot {
			continue
		}
		t := gemm.ElemOf(slot.Type)
		switch slot.Pattern {
		case gemm.FullPattern:
			in = append(in, e.load(b, at[s], t))
		case gemm.RowPattern:
			in = append(in, repeatValue(b.Load(emit.Scalar(t), emit.At(at[s], 0)), e.n))
		default:
			in = append(in, e.held[s])
		}
	}
	// Sixteen bytes of sums at a time; the second ones are the first's neighbours.
	size := e.op.Sum().Bytes()
	width := min(e.n, 16/size)
	var cells []emit.Addr
	var acc []*emit.Value
	first := e.sumOffsetAt(b, r, col)
	for u := 0; u < e.n; u += width {
		off := first
		if u > 0 {
			off = b.Xor(first, b.Int(int64(size*u)))
		}
		cells = append(cells, emit.At(b.AddPAligned(b.Shared(0, 16), off, size*width), 0))
		acc = append(acc, lanesOf(b, b.Load(emit.Vector(e.op.Sum(), width), cells[len(cells)-1]))...)
	}
	var out []*emit.Value
	if e.fusion == nil {
		out = []*emit.Value{vectorOf(b, e.scale(b, acc, at[0]))}
	} else {
		out = e.apply(b, acc, in)
	}
	if e.fusion != nil && e.fusion.Rounds {
		out[0] = b.Cvt(e.out, "rne", out[0])
	}
	for s, x := range out {
		if at[s] != nil {
			e.store(b, at[s], x)
		}
	}
	if e.fusion != nil && e.fusion.Rounds && e.fusion.Reduced(0) { // what is stored is reduced
		out[0] = b.Cvt(emit.F32, "rne", out[0])
	}
	for place, result := range reducedResults(e.fusion) {
		for c, cell := range cells {
			b.Store(lanesFrom(b, out[result], c*width, width), emit.At(cell.Ptr, int64(place*e.sumsBytes())))
		}
	}
}

// reducedResults lists the results of which there are reductions. The values of the first
// of them lie where the sums were, of a second one after them, and so on.
func reducedResults(f *gemm.Fusion) (list []int) {
	if f == nil {
		return nil
	}
	for i := range f.Results() {
		if f.Reduced(i) {
			list = append(list, i)
		}
	}
	return list
}

// sumsBytes is the size of the tile's sums in shared memory.
func (g *lowering) sumsBytes() int { return g.tile.BM * g.tile.BN * g.op.Sum().Bytes() }

// endBytes is the shared memory that the end of a tile takes: its sums, or all results of
// which there are reductions.
func (g *lowering) endBytes() int { return max(1, len(reducedResults(g.fusion))) * g.sumsBytes() }

// converted are values rounded to t, or widened.
func converted(b *emit.Builder, t emit.Elem, xs []*emit.Value) []*emit.Value {
	var out []*emit.Value
	for _, x := range xs {
		out = append(out, b.Cvt(t, "rne", x))
	}
	return out
}

// apply calls the epilogue's function for all columns at once, so that two of them may share an instruction.
// It returns the results, output by output.
func (e *epilogue) apply(b *emit.Builder, acc []*emit.Value, in [][]*emit.Value) []*emit.Value {
	args := []*emit.Value{vectorOf(b, acc)}
	for _, x := range in {
		args = append(args, vectorOf(b, x))
	}
	return slices.Clone(b.Apply(e.fusion.Applied(), args...))
}

// scale returns alpha*acc + beta*old, converted; the product with alpha is not
// rounded, and the old values are read only if beta is not 0. Integers have neither.
func (e *epilogue) scale(b *emit.Builder, acc []*emit.Value, at *emit.Value) []*emit.Value {
	sum := e.op.Sum()
	if sum.Int() {
		return acc
	}
	alpha, beta := e.schedule.param(b, "alpha", emit.Scalar(sum)), e.schedule.param(b, "beta", emit.Scalar(sum))
	out := b.If(b.Cmp("ne", beta, b.Const(emit.Scalar(sum), 0)), func() (y []*emit.Value) {
		for u, old := range e.load(b, at, e.out) {
			if e.out != sum {
				old = b.Cvt(sum, "rne", old)
			}
			y = append(y, b.FMA(b.Mul(old, beta), acc[u], alpha))
		}
		return y
	}, func() (y []*emit.Value) {
		for _, x := range acc {
			y = append(y, b.Mul(x, alpha))
		}
		return y
	})
	if e.out == sum {
		return out
	}
	var rounded []*emit.Value
	for _, x := range out {
		rounded = append(rounded, b.Cvt(e.out, "rne", x))
	}
	return rounded
}

// pieces returns how many elements of type t one access takes.
func (e *epilogue) pieces(t emit.Elem) int { return min(e.n, 16/t.Bytes()) }

// load returns the thread's columns at p, zeros beyond the matrix.
func (e *epilogue) load(b *emit.Builder, p *emit.Value, t emit.Elem) []*emit.Value {
	if e.n == 1 {
		return []*emit.Value{b.Load(emit.Scalar(t), emit.At(p, 0))}
	}
	return b.If(e.full, func() (x []*emit.Value) {
		w := e.pieces(t)
		for u := 0; u < e.n; u += w {
			x = append(x, lanesOf(b, b.Load(emit.Vector(t, w), emit.At(p, int64(u*t.Bytes()))))...)
		}
		return x
	}, func() (x []*emit.Value) {
		for u := range e.n - 1 { // the last is beyond, or all would be there
			x = append(x, e.where(b, u,
				func() []*emit.Value { return []*emit.Value{b.Load(emit.Scalar(t), emit.At(p, int64(u*t.Bytes())))} },
				func() []*emit.Value { return []*emit.Value{b.Const(emit.Scalar(t), 0)} })[0])
		}
		return append(x, b.Const(emit.Scalar(t), 0))
	})
}

// store stores the thread's columns at p.
func (e *epilogue) store(b *emit.Builder, p *emit.Value, x *emit.Value) {
	if e.n == 1 {
		b.Store(x, emit.At(p, 0))
		return
	}
	size := x.Type.Elem.Bytes()
	b.If(e.full, func() []*emit.Value {
		w := e.pieces(x.Type.Elem)
		for u := 0; u < e.n; u += w {
			b.Store(lanesFrom(b, x, u, w), emit.At(p, int64(u*size)))
		}
		return nil
	}, func() []*emit.Value {
		for u := range e.n - 1 {
			e.where(b, u, func() []*emit.Value { b.Store(lanesFrom(b, x, u, 1), emit.At(p, int64(u*size))); return nil }, nil)
		}
		return nil
	})
}

// where appends an if the matrix has the thread's column u, which it always does for
// the first.
func (e *epilogue) where(b *emit.Builder, u int, then, otherwise func() []*emit.Value) []*emit.Value {
	if u == 0 {
		return then()
	}
	return b.If(b.Cmp("lt", b.Int(int64(u)), e.left), then, otherwise)
}

func repeatValue(x *emit.Value, n int) []*emit.Value {
	xs := make([]*emit.Value, n)
	for i := range xs {
		xs[i] = x
	}
	return xs
}
