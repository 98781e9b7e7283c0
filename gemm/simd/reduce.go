package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm"
)

// rowPartials lists the slots of row reductions whose pointers move with the row.
func (e *epilogue) rowPartials() []int {
	var slots []int
	for i, r := range e.fusion.Reduces {
		if r.Col {
			continue
		}
		s := e.fusion.ReduceSlot(i)
		slots = append(slots, s)
		if r.Op.Arg() {
			slots = append(slots, s+1)
		}
	}
	return slots
}

// startRow returns what the row reductions begin with: the identity, and for an
// index the lane's own, which is right if the row has nothing larger.
func (e *epilogue) startRow(b *emit.Builder) []*emit.Value {
	var red []*emit.Value
	v := e.vector(e.fusion.Out)
	for i, r := range e.fusion.Reduces {
		if r.Col {
			continue
		}
		red = append(red, b.Const(v, r.Op.Identity()))
		if r.Op.Arg() {
			red = append(red, b.Load(e.index(), emit.At(b.Param(slotPtr(e.fusion.ReduceSlot(i)+2), emit.Ptr), 0)))
		}
	}
	return red
}

func (e *epilogue) index() emit.Type { return emit.Vector(emit.I32, e.lanes) }

// reduceStep takes one vector of results into the reductions.
func (e *epilogue) reduceStep(b *emit.Builder, x *emit.Value, red []*emit.Value, j, mask *emit.Value) []*emit.Value {
	var next []*emit.Value
	keep := func(fresh, old *emit.Value) *emit.Value {
		if mask == nil {
			return fresh
		}
		return b.Select(mask, fresh, old)
	}
	combine := func(op gemm.Reduction, old *emit.Value) *emit.Value {
		if op == gemm.Max {
			return vmath.Max(b, old, x)
		}
		return b.Add(old, x)
	}
	for i, r := range e.fusion.Reduces {
		slot := e.fusion.ReduceSlot(i)
		switch {
		case r.Col:
			p := b.Param(slotPtr(slot), emit.Ptr)
			e.store(b, combine(r.Op, e.load(b, x.Type, p, j, mask)), p, j, mask)
		case r.Op.Arg():
			old, at := red[0], red[1]
			red = red[2:]
			order := map[gemm.Reduction]string{gemm.ArgMax: "gt", gemm.ArgMin: "lt"}[r.Op]
			isNaN, wasNumber := b.Cmp("ne", x, x), b.Cmp("eq", old, old)
			better := b.Or(b.Cmp(order, x, old), b.And(isNaN, wasNumber))
			if mask != nil {
				better = b.And(better, mask)
			}
			col := b.Splat(e.index(), b.Op("trunc", emit.Attr{}, []emit.Type{emit.Int32}, j)[0])
			lanes := b.Load(e.index(), emit.At(b.Param(slotPtr(slot+2), emit.Ptr), 0))
			next = append(next, b.Select(better, x, old), b.Select(better, b.Add(lanes, col), at))
		default:
			next = append(next, keep(combine(r.Op, red[0]), red[0]))
			red = red[1:]
		}
	}
	return next
}

// endRow stores the row's vectors.
func (e *epilogue) endRow(b *emit.Builder, at map[int]*emit.Value, red []*emit.Value) {
	for i, s := range e.rowPartials() {
		b.Store(red[i], emit.At(at[s], 0))
	}
}
