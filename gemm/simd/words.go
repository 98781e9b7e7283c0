package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Operands packed for operators that take several k a step are words of 32 bits: the
// elements of a step of one row of A, or column of B. An element that is narrower than the
// operator's is widened on the way, with its sign or without.

// takesWords reports whether operands of op are packed to words.
func takesWords(op gemm.Operator) bool {
	switch op.(type) {
	case gemm.Dot, gemm.Tiles, armDot, armSquare:
		return true
	}
	return false
}

// words makes words of elements of one type.
type words struct {
	*lowering
	from     emit.Elem // in memory
	unsigned bool
	k        int // elements of a word
}

func (l *lowering) words(from dtype.Type) *words {
	return &words{l, gemm.ElemOf(from), from == dtype.U8, gemm.DepthOf(l.op).K}
}

// packWords adds the kernels that make words of both operands.
func (l *lowering) packWords(m *Module, f *emit.Family) {
	pack := func(suffix, what string, t dtype.Type) kernel.Table[string] {
		var p kernel.Table[string]
		w, widest := l.words(t), l.tile.NV
		if _, ok := l.byTiles(); ok { // the packers are those of dot products, which are no less wide
			widest = max(widest, machine(l.target, l.elem).Tile(tiling.Shape{}).NV)
		}
		for nv := 1; nv <= widest; nv++ {
			p.Add(kernel.Panel, 1, nv, f.Add(fmt.Sprintf("_packrows%s%d", suffix, nv*l.vl),
				fmt.Sprintf("makes k rows of %d words of rows of %s.", nv*l.vl, what), func(b *emit.Builder) { w.packRows(b, nv, false) }))
		}
		p.Add(kernel.Panel, 1, 1, f.Add("_packrows"+suffix, fmt.Sprintf("makes k rows of n of %d words of rows of %s.", l.vl, what),
			func(b *emit.Builder) { w.packRows(b, 1, true) }))
		for nv := 1; nv <= widest; nv++ {
			p.Add(kernel.Copy, 1, nv, f.Add(fmt.Sprintf("_copyrows%s%d", suffix, nv*l.vl),
				fmt.Sprintf("copies k rows of %d words of %s, n of them in the last vector.", nv*l.vl, what), func(b *emit.Builder) { w.copyRows(b, nv) }))
		}
		p.Add(kernel.Columns, 1, 1, f.Add("_packcols"+suffix, fmt.Sprintf("transposes words of n of %d columns of %s into k rows.", l.vl, what), w.packCols))
		p.Sort()
		return p
	}
	m.Pack = pack("", "an operand", m.B)
	if packed(m.A, l.op) != packed(m.B, l.op) {
		a := pack("a", "A", m.A)
		m.PackA = &a
	}
}

func (w *words) vector() emit.Type { return emit.Vector(emit.I32, w.vl) }

// wide is the size of an element in a word, in bits.
func (w *words) wide() int { return wordBits / w.k }

func (w *words) widens() bool { return w.wide() != w.from.Bits() }

func (w *words) int(b *emit.Builder, n int64) *emit.Value { return b.Const(w.vector(), float64(n)) }

// shifts by a constant, which may be 0.
func (w *words) shl(b *emit.Builder, x *emit.Value, n int) *emit.Value {
	if n == 0 {
		return x
	}
	return b.Shl(x, w.int(b, int64(n)))
}

// packRows makes k rows of nv vectors of words, each of as many rows of elements. The last
// vector has n valid columns, and the rest of it becomes zeros.
func (w *words) packRows(b *emit.Builder, nv int, tail bool) {
	v, src0 := w.vector(), emit.Vector(w.from, w.vl)
	from := vector.Panel{Vec: src0, N: nv}.Cut(b, tail)
	ldb, ldc := b.Param("ldb", emit.Int64), b.Param("ldc", emit.Int64)
	rows := vector.Strides(b, ldb, w.k)
	step := b.Mul(ldb, b.Int(int64(w.k)))
	far := b.Shl(ldb, b.Int(rowsAhead))
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		r := rows.From(b, p[0], w.k)
		for j := range nv {
			var word *emit.Value
			for q := range w.k {
				x := w.element(b, vector.Load(b, src0, from.Mask(j), r.At(q, int64(j*src0.Bytes()))), q)
				if word == nil {
					word = x
				} else {
					word = b.Or(word, x)
				}
			}
			b.Store(word, emit.At(p[1], int64(j*v.Bytes())))
		}
		b.Prefetch(0, emit.Addr{Ptr: p[0], Index: far, Scale: 1})
		return []*emit.Value{b.AddP(p[0], step), b.AddP(p[1], ldc)}
	})
}

// element puts elements at place q of words that are zero otherwise.
func (w *words) element(b *emit.Builder, x *emit.Value, q int) *emit.Value {
	if x.Type.Elem == emit.BF16 || x.Type.Elem == emit.F16 {
		x = b.Bitcast(emit.I16, x)
	}
	top := q == w.k-1
	if w.widens() && !w.unsigned {
		x = b.Sext(emit.I32, x)
		if !top {
			x = b.And(x, w.int(b, 1<<w.wide()-1))
		}
	} else {
		x = b.Zext(emit.I32, x)
	}
	return w.shl(b, x, q*w.wide())
}

// packCols transposes words of n columns that are contiguous along k into k rows.
func (w *words) packCols(b *emit.Builder) {
	l := *w.lowering
	l.elem = emit.I32
	if !w.widens() {
		l.packCols(b, wordBits/8, func(a emit.Addr, mask *emit.Value) *emit.Value { return l.widen(b, emit.I32, a, mask) })
		return
	}
	l.packCols(b, w.k, func(a emit.Addr, mask *emit.Value) *emit.Value { return w.widened(b, w.pairs(b, a, mask)) })
}

// copyRows copies k rows of nv vectors of words from rows that are contiguous along k. The
// last vector has n of them, and the rest of it becomes zeros.
func (w *words) copyRows(b *emit.Builder, nv int) {
	if !w.widens() {
		l := *w.lowering
		l.elem = emit.I32
		l.packRows(b, emit.I32, nv)
		return
	}
	pairs := vector.Panel{Vec: emit.Vector(emit.I16, w.vl), N: nv}.Cut(b, true) // two 8-bit elements that become a word
	ldb, ldc := b.Param("ldb", emit.Int64), b.Param("ldc", emit.Int64)
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		for j := range nv {
			b.Store(w.widened(b, w.pairs(b, pairs.At(p[0], j), pairs.Mask(j))), emit.At(p[1], int64(j*w.vector().Bytes())))
		}
		return []*emit.Value{b.AddP(p[0], ldb), b.AddP(p[1], ldc)}
	})
}

// pairs loads pairs of 8-bit elements, each into the low half of a word.
func (w *words) pairs(b *emit.Builder, a emit.Addr, mask *emit.Value) *emit.Value {
	return b.Zext(emit.I32, vector.Load(b, emit.Vector(emit.I16, w.vl), mask, a))
}

// widened makes pairs of 16-bit elements of pairs of 8-bit ones in the low halves of words.
func (w *words) widened(b *emit.Builder, x *emit.Value) *emit.Value {
	if w.unsigned {
		return b.Or(b.And(x, w.int(b, 0xff)), b.And(w.shl(b, x, 8), w.int(b, 0xff0000)))
	}
	low := b.Shr(b.Sar(w.shl(b, x, 24), w.int(b, 8)), w.int(b, 16))
	return b.Or(low, b.And(b.Sar(w.shl(b, x, 16), w.int(b, 8)), w.int(b, 0xffff0000)))
}
