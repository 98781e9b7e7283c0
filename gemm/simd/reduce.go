package simd

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
)

// A reduction of rows goes in two steps. A row of a call leaves a vector in memory that
// stays in L1, and for an index a second one; when all rows are done, as many of them as
// there are lanes are joined at once, as the sums of a dot kernel are:
//
//	row 0   a0 a1 a2 a3
//	row 1   b0 b1 b2 b3  ->  a b c d
//
// so that a row takes two shuffles, not two for each halving.

// rowVectors lists where the vectors of rows lie.
func (e *epilogue) rowVectors() (list []rowVector) {
	each := int64(0) // bytes of a row's vectors so far
	for i, r := range e.fusion.Reduces {
		if r.Col {
			continue
		}
		add := func(t emit.Type, slot int) {
			list = append(list, rowVector{op: r.Op, t: t, index: slot > e.fusion.ReduceSlot(i), slot: slot, begin: each})
			each += int64(t.Bytes())
		}
		add(e.vector(e.fusion.Returns()), e.fusion.ReduceSlot(i))
		if r.Op.Arg() {
			add(e.index(), e.fusion.ReduceSlot(i)+1)
		}
	}
	return list
}

// A rowVector is what a row leaves. Those of all rows lie side by side, and after them is
// room for as many as a last group may lack, which hold anything; after all of them, for one
// vector more.
type rowVector struct {
	op    gemm.Reduction
	t     emit.Type
	index bool  // of indices, beside the values before it
	slot  int   // of the values that they are joined to
	begin int64 // times the rows there is room for, the bytes of those before it
}

// of returns the vector of row 0.
func (r rowVector) of(b *emit.Builder, lanes int) *emit.Value {
	room := b.Add(b.Param("rows", emit.Int64), b.Int(int64(lanes)))
	return b.AddP(b.Param("vectors", emit.Ptr), b.Mul(room, b.Int(r.begin)))
}

// startRow returns what the row reductions begin with: the identity, and for an
// index the lane's own, which is right if the row has nothing larger, and the column that
// the lane is at.
func (e *epilogue) startRow(b *emit.Builder) []*emit.Value {
	var red []*emit.Value
	v := e.vector(e.fusion.Returns())
	for i, r := range e.fusion.Reduces {
		if r.Col {
			continue
		}
		red = append(red, b.Const(v, r.Op.Identity()))
		if r.Op.Arg() {
			lanes := b.Load(e.index(), emit.At(b.Param(slotPtr(e.fusion.ReduceSlot(i)+2), emit.Ptr), 0))
			red = append(red, lanes, lanes)
		}
	}
	return red
}

func (e *epilogue) index() emit.Type { return emit.Vector(emit.I32, e.lanes) }

// take takes a result into what there is so far.
func take(b *emit.Builder, op gemm.Reduction, old, x *emit.Value) *emit.Value {
	if op == gemm.SumSquares {
		return b.FMA(old, x, x)
	}
	return combine(b, op, old, x)
}

// combine takes a partial result into another. Of zeros either may be left.
func combine(b *emit.Builder, op gemm.Reduction, old, x *emit.Value) *emit.Value {
	switch op {
	case gemm.Sum, gemm.SumSquares:
		return b.Add(old, x)
	case gemm.Min, gemm.ArgMin:
		return b.Select(b.Cmp("ne", x, x), x, b.Min(x, old))
	}
	return b.Select(b.Cmp("ne", x, x), x, b.Max(x, old)) // old if that is NaN
}

// reduceStep takes one vector of results into the reductions.
func (e *epilogue) reduceStep(b *emit.Builder, x *emit.Value, red []*emit.Value, j, mask *emit.Value) []*emit.Value {
	var next []*emit.Value
	keep := func(fresh, old *emit.Value) *emit.Value {
		if mask == nil {
			return fresh
		}
		return b.Select(mask, fresh, old)
	}
	for i, r := range e.fusion.Reduces {
		switch {
		case r.Col:
			p := b.Param(slotPtr(e.fusion.ReduceSlot(i)), emit.Ptr)
			e.store(b, take(b, r.Op, e.load(b, x.Type, p, j, mask), x), p, j, mask)
		case r.Op.Arg():
			old, at, here := red[0], red[1], red[2]
			red = red[3:]
			worse := map[gemm.Reduction]string{gemm.ArgMax: "le", gemm.ArgMin: "ge"}[r.Op]
			stay := b.Or(b.Cmp(worse, x, old), b.Cmp("ne", old, old)) // what is NaN is the best there is
			next = append(next, keep(b.Select(stay, old, x), old), keep(b.Select(stay, at, here), at),
				b.Add(here, b.Const(e.index(), float64(e.lanes))))
		default:
			next = append(next, keep(take(b, r.Op, red[0], x), red[0]))
			red = red[1:]
		}
	}
	return next
}

// joinRows joins the vectors of all rows to a value each.
func (e *epilogue) joinRows(b *emit.Builder) {
	list := e.rowVectors()
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	for i := 0; i < len(list); i++ {
		values := list[i]
		if !values.op.Arg() {
			e.eachRows(b, []rowVector{values}, func(p []*emit.Value) []*emit.Value {
				return []*emit.Value{e.joined(b, values, p[0])}
			})
			continue
		}
		index := list[i+1]
		i++
		aside := rowVector{begin: last.begin + int64(last.t.Bytes())}.of(b, e.lanes)
		e.eachRows(b, []rowVector{values, index}, func(p []*emit.Value) []*emit.Value {
			best := e.joined(b, values, p[0])
			b.Store(best, emit.At(aside, 0))
			// The lowest index of the lanes that have what is best, or NaN if one has.
			none := b.Const(index.t, math.MaxInt32)
			var lowest []*emit.Value
			for l := range e.lanes {
				x := b.Load(values.t, values.row(p[0], l))
				of := b.LoadSplat(values.t, emit.At(aside, int64(l*values.t.Elem.Bytes())))
				has := b.Or(b.Cmp("eq", x, of), b.Cmp("ne", x, x))
				lowest = append(lowest, b.Select(has, b.Load(index.t, index.row(p[1], l)), none))
			}
			least := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Select(b.Cmp("lt", x, y), x, y) }
			return []*emit.Value{best, lanes{index.t.Elem, e.lanes}.join(b, least, lowest)[0]}
		})
	}
}

// leave stores what a row left at p.
func (e *epilogue) leave(b *emit.Builder, red, p []*emit.Value) {
	for _, r := range e.rowVectors() {
		b.Store(red[0], emit.At(p[0], 0))
		red, p = red[1:], p[1:]
		if r.index {
			red = red[1:] // the column
		}
	}
}

// row is where the vector of row l is, if those of a group begin at p.
func (r rowVector) row(p *emit.Value, l int) emit.Addr { return emit.At(p, int64(l*r.t.Bytes())) }

// joined joins the vectors from p on, of as many rows as there are lanes.
func (e *epilogue) joined(b *emit.Builder, r rowVector, p *emit.Value) *emit.Value {
	var x []*emit.Value
	for l := range e.lanes {
		x = append(x, b.Load(r.t, r.row(p, l)))
	}
	both := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return combine(b, r.op, x, y) }
	return lanes{r.t.Elem, e.lanes}.join(b, both, x)[0]
}

// eachRows calls f for the vectors of as many rows as there are lanes, and stores what it
// returns: a value for each row.
func (e *epilogue) eachRows(b *emit.Builder, of []rowVector, f func(p []*emit.Value) []*emit.Value) {
	rows, each := b.Param("rows", emit.Int64), int64(e.lanes)
	var carried []*emit.Value
	for _, r := range of {
		carried = append(carried, r.of(b, e.lanes), b.Param(slotPtr(r.slot), emit.Ptr))
	}
	b.For(b.Int(0), rows, each, carried, func(i *emit.Value, p []*emit.Value) []*emit.Value {
		var from, next []*emit.Value
		for k := range of {
			from = append(from, p[2*k])
		}
		left := b.Sub(b.Param("rows", emit.Int64), i)
		mask := b.MaskN(emit.Vector(emit.I8, e.lanes), b.Select(b.Cmp("lt", left, b.Int(each)), left, b.Int(each)))
		for k, x := range f(from) {
			b.StoreMasked(x, mask, emit.At(p[2*k+1], 0))
			next = append(next, b.AddP(p[2*k], b.Int(each*int64(of[k].t.Bytes()))), b.AddP(p[2*k+1], b.Int(int64(x.Type.Bytes()))))
		}
		return next
	})
}
