package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Kernels that widen read a packed B whose elements are as narrow as in memory. If few rows share
// what is read, its bytes take the time. They have no alpha and no beta, which would be two thirds
// of their text. Panels are packed to whole vectors, so that masks are for results only.

// addWidening adds them: of each height, and of the two widths that panels have where there
// are several vectors of columns.
func (l *lowering) addWidening(m *Module, try func(name, doc string, body func(b *emit.Builder)) string) {
	w := *l
	w.narrow = l.b
	m.Widening = &kernel.Table[string]{MR: l.tile.MR, NV: l.tile.NV, VL: l.vl}
	for mr := 1; mr <= l.tile.MR; mr++ {
		for nv := 1; nv <= l.tile.NV; nv++ {
			t := kernel.Entry[string]{MR: mr, NV: nv}
			if nv >= l.tile.NV-1 {
				t.F = try(fmt.Sprintf("_%dx%dwiden", mr, nv*l.vl), fmt.Sprintf("computes tiles of %d rows and %d vectors, the last with n lanes, of B's elements that it widens.", mr, nv),
					func(b *emit.Builder) { w.micro(b, mr, nv, true) })
			}
			m.Widening.Entries = append(m.Widening.Entries, t)
		}
	}
}

// added stores sums, or adds them to C. To add, it goes by way of the frame, row by row, once
// in a block of k; that is a third of the text of doing so from registers.
func (f finish) added(b *emit.Builder) {
	v, mr := f.vector(), len(f.acc)/f.nv
	row := int64(f.nv * v.Bytes())
	update := func() *emit.Value { return b.Cmp("eq", b.Param("mode", emit.Int64), b.Int(kernel.ModeUpdate)) }
	frame := b.Inst(inst.Scratch, int64(mr)*row)[0]
	to := b.If(update(), func() []*emit.Value { return []*emit.Value{frame, b.Int(row)} },
		func() []*emit.Value { return []*emit.Value{f.c, b.Param("ldc", emit.Int64)} })
	rows := NewRows(b, to[0], to[1], mr)
	for i, x := range f.acc {
		f.store(b, x, rows.At(i/f.nv, int64(i%f.nv*v.Bytes())), i%f.nv == f.nv-1)
	}
	b.If(update(), func() []*emit.Value {
		b.ForOnce(b.Int(0), b.Int(int64(mr)), 1, []*emit.Value{frame, f.c}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
			for j := range f.nv {
				off, last := int64(j*v.Bytes()), j == f.nv-1
				sum := f.loadVector(b, emit.At(p[0], off), f.last, last)
				f.store(b, b.Add(f.loadVector(b, emit.At(p[1], off), f.last, last), sum), emit.At(p[1], off), last)
			}
			return []*emit.Value{b.AddP(p[0], b.Int(row)), b.AddP(p[1], b.Param("ldc", emit.Int64))}
		})
		return nil
	}, nil)
}

// loadB loads vector j of a row of B that begins at p.
func (l *lowering) loadB(b *emit.Builder, p emit.Addr, j int, last *emit.Value, isLast bool) *emit.Value {
	if l.splits() {
		words := *l
		words.elem = emit.I32
		return l.halfOf(b, words.loadVector(b, p.On(l.fixed.col(j, l.vector())), last, isLast), l.fixed.half)
	}
	if l.narrow == emit.None {
		return l.loadVector(b, p.On(l.fixed.col(j, l.vector())), last, isLast)
	}
	at := p.On(int64(j * l.vl * l.narrow.Bytes()))
	if l.narrow == emit.BF16 { // the upper half of an f32
		word := b.Zext(emit.I32, b.LoadNarrow(emit.Vector(emit.I16, l.vl), at))
		return b.Bitcast(l.elem, b.Shl(word, b.Const(word.Type, 16)))
	}
	return b.Cvt(l.elem, "rne", b.LoadNarrow(emit.Vector(l.narrow, l.vl), at))
}
