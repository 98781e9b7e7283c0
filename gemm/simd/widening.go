package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Kernels that widen read a packed B whose elements are as narrow as in memory. If few rows share
// what is read, its bytes take the time. They have no alpha and no beta, which would be two thirds
// of their text. Panels are packed to whole vectors, so that masks are for results only.

// addWidening adds them: of each height, and of the two widths that panels have where there
// are several vectors of columns.
func (l *lowering) addWidening(m *Module, f *emit.Family) {
	w := *l
	w.narrow = l.b
	m.Widening = &kernel.Table[string]{MR: l.tile.MR, NV: l.tile.NV, VL: l.vl}
	for mr := 1; mr <= l.tile.MR; mr++ {
		for nv := 1; nv <= l.tile.NV; nv++ {
			t := kernel.Entry[string]{MR: mr, NV: nv}
			if nv >= l.tile.NV-1 {
				t.F = f.Add(fmt.Sprintf("_%dx%dwiden", mr, nv*l.vl), fmt.Sprintf("computes tiles of %d rows and %d vectors, the last with n lanes, of B's elements that it widens.", mr, nv),
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
	if mr == 1 && f.lanewise() {
		f.addedRow(b, update())
		return
	}
	frame := b.Inst(inst.Scratch, int64(mr)*row)[0]
	to := b.If(update(), func() []*emit.Value { return []*emit.Value{frame, b.Int(row)} },
		func() []*emit.Value { return []*emit.Value{f.c, b.Param("ldc", emit.Int64)} })
	rows := vector.NewRows(b, to[0], to[1], mr)
	for i, x := range f.acc {
		vector.Store(b, x, f.mask(i%f.nv), rows.At(i/f.nv, int64(i%f.nv*v.Bytes())))
	}
	b.If(update(), func() []*emit.Value {
		b.ForOnce(b.Int(0), b.Int(int64(mr)), 1, []*emit.Value{frame, f.c}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
			for j := range f.nv {
				off, mask := int64(j*v.Bytes()), f.mask(j)
				sum := vector.Load(b, v, mask, emit.At(p[0], off))
				vector.Store(b, b.Add(vector.Load(b, v, mask, emit.At(p[1], off)), sum), mask, emit.At(p[1], off))
			}
			return []*emit.Value{b.AddP(p[0], b.Int(row)), b.AddP(p[1], b.Param("ldc", emit.Int64))}
		})
		return nil
	}, nil)
}

// addedRow is added for one row, whose masked stores are said once.
func (f finish) addedRow(b *emit.Builder, update *emit.Value) {
	at := func(j int) emit.Addr { return emit.At(f.c, int64(j*f.vector().Bytes())) }
	sums := b.If(update, func() []*emit.Value {
		sums := make([]*emit.Value, f.nv)
		for j := range sums {
			sums[j] = b.Add(vector.Load(b, f.vector(), f.mask(j), at(j)), f.acc[j])
		}
		return sums
	}, func() []*emit.Value { return f.acc })
	for j, sum := range sums {
		vector.Store(b, sum, f.mask(j), at(j))
	}
}

// loadB loads vector j of a row of B that begins at p, those of its lanes that mask has.
func (l *lowering) loadB(b *emit.Builder, p emit.Addr, j int, mask *emit.Value) *emit.Value {
	if l.splits() {
		return l.halfOf(b, vector.Load(b, emit.Vector(emit.I32, l.vl), mask, p.On(l.fixed.col(j, l.vector()))), l.fixed.half)
	}
	if l.narrow == emit.None {
		return vector.Load(b, l.vector(), mask, p.On(l.fixed.col(j, l.vector())))
	}
	at := p.On(int64(j * l.vl * l.narrow.Bytes()))
	if l.narrow == emit.BF16 { // the upper half of an f32
		word := b.Zext(emit.I32, b.LoadNarrow(emit.Vector(emit.I16, l.vl), at))
		return b.Bitcast(l.elem, b.Shl(word, b.Const(word.Type, 16)))
	}
	return b.Cvt(l.elem, "rne", b.LoadNarrow(emit.Vector(l.narrow, l.vl), at))
}
