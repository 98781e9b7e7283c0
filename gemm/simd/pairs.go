package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Products of pairs, such as complex numbers, go through the one main loop as products of
// numbers do. They have two rows of A for one: a row of its first parts, and a row of its second.
// join brings the sums of these two together, as kernel.Pair says. A pair of B stays as it is. A
// step is a multiply-add for each part and vector, as many as in products of numbers, and nothing
// else.

// join returns the sums of rows of nv vectors: of pairs, what two accumulators each make.
func (l *lowering) join(b *emit.Builder, acc []*emit.Value, nv int) []*emit.Value {
	if l.parts == 1 {
		return acc
	}
	by, keep := l.factor(b, "join"), l.factor(b, "keep")
	var out []*emit.Value
	for i := 0; i < len(acc); i += 2 * nv {
		for j := range nv {
			out = append(out, b.FMA(acc[i+j], l.kept(b, l.swap(b, acc[i+nv+j]), keep), by))
		}
	}
	return out
}

// kept returns the bits of x that are in keep.
func (l *lowering) kept(b *emit.Builder, x, keep *emit.Value) *emit.Value {
	bits := map[emit.Elem]emit.Elem{emit.F32: emit.I32, emit.F64: emit.I64}[l.elem]
	return b.Bitcast(l.elem, b.And(b.Bitcast(bits, x), b.Bitcast(bits, keep)))
}

// swap returns x with the parts of each pair exchanged.
func (l *lowering) swap(b *emit.Builder, x *emit.Value) *emit.Value {
	perm := make([]int, l.vl)
	for i := range perm {
		perm[i] = i ^ 1
	}
	return b.Shuffle(perm, x, x)
}

// factor loads one of a product of pairs.
func (l *lowering) factor(b *emit.Builder, name string) *emit.Value {
	return b.Load(l.vector(), emit.At(b.Param("pair", emit.Ptr), int64(kernel.PairOffset(name))))
}

// pairs stores sums of pairs by mode.
func (f finish) pairs(b *emit.Builder, mode *emit.Value) {
	turns := func() *emit.Value { return b.Cmp("ge", mode, b.Int(kernel.ModeTurns)) }
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), func() []*emit.Value { f.plain(b); return nil }, func() []*emit.Value {
		by := f.factor(b, "scale")
		u := f.acc
		f.acc = b.If(turns(), func() []*emit.Value {
			turn := f.factor(b, "turn")
			return f.map1(func(i int) *emit.Value { return b.FMA(b.Mul(u[i], by), f.swap(b, u[i]), turn) })
		}, func() []*emit.Value {
			return f.map1(func(i int) *emit.Value { return b.Mul(u[i], by) })
		})
		b.If(b.Cmp("eq", b.And(mode, b.Int(kernel.ModeUpdate)), b.Int(0)), func() []*emit.Value { f.plain(b); return nil }, func() []*emit.Value {
			f.acc = b.If(turns(), func() []*emit.Value {
				turn, next := f.factor(b, "oldturn"), make([]*emit.Value, len(f.acc))
				f.each(b, func(i int, a emit.Addr, mask *emit.Value) {
					next[i] = b.FMA(f.acc[i], f.swap(b, f.load(b, mask, a)), turn)
				})
				return next
			}, func() []*emit.Value { return f.acc })
			by := f.factor(b, "old")
			f.each(b, func(i int, a emit.Addr, mask *emit.Value) {
				old := f.load(b, mask, a)
				vector.Store(b, f.own(b, i, old, b.FMA(f.acc[i], old, by)), mask, a)
			})
			return nil
		})
		return nil
	})
}

// map1 returns what do makes of each accumulator.
func (f finish) map1(do func(i int) *emit.Value) []*emit.Value {
	out := make([]*emit.Value, len(f.acc))
	for i := range out {
		out[i] = do(i)
	}
	return out
}
