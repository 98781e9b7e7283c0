package simd

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
)

// A reduction of rows goes in two steps. A row of a call leaves a vector in memory that
// stays in L1, and a second one for an index. When all rows are done, as many of them as
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
		if r.Col || e.fusion.BestOf(i) >= 0 {
			continue
		}
		slot := e.fusion.ReduceSlot(i)
		for s, t := range e.states(r) {
			list = append(list, rowVector{op: r.Op, t: t, second: s > 0, slot: slot + s, begin: each})
			each += int64(t.Bytes())
		}
	}
	return list
}

// states are the types that a reduction keeps for a row or column: a value, and an index
// or the sum of a log-sum-exp with it.
func (e *epilogue) states(r gemm.Reduce) []emit.Type {
	t := []emit.Type{e.vector(e.fusion.ReducedType(r))}
	switch {
	case r.Op.Arg():
		t = append(t, e.index())
	case r.Op == gemm.LogSumExp:
		t = append(t, t[0])
	}
	return t
}

// A rowVector is what a row leaves. Those of all rows are adjacent. After them is room for
// as many as a last group may lack, with any contents, and after all of them for one vector
// more.
type rowVector struct {
	op     gemm.Reduction
	t      emit.Type
	second bool  // of the indices or sums, from the values before it
	slot   int   // of the values that they are joined to
	begin  int64 // times the rows there is room for, the bytes of those before it
}

// of returns the vector of row 0.
func (r rowVector) of(b *emit.Builder, lanes int) *emit.Value {
	room := b.Add(b.Param("rows", emit.Int64), b.Int(int64(lanes)))
	return b.AddP(b.Param("vectors", emit.Ptr), b.Mul(room, b.Int(r.begin)))
}

// startRow returns what the row reductions begin with. That is the identity, and for an
// index the lane's own, which is right if the row has nothing larger, and the column that
// the lane is at.
func (e *epilogue) startRow(b *emit.Builder) []*emit.Value {
	var red []*emit.Value
	for _, r := range e.rowVectors() {
		switch {
		case !r.second:
			red = append(red, b.Const(r.t, r.op.Identity()))
		case r.op.Arg():
			lanes := b.Load(r.t, emit.At(b.Param(vector.SlotPtr(r.slot+1), emit.Ptr), 0))
			red = append(red, lanes, lanes)
		default:
			red = append(red, b.Const(r.t, 0))
		}
	}
	return red
}

func (e *epilogue) index() emit.Type { return emit.Vector(emit.I32, e.lanes) }

// take adds a result to a reduction.
func take(b *emit.Builder, op gemm.Reduction, old []*emit.Value, x *emit.Value) []*emit.Value {
	switch op {
	case gemm.SumSquares:
		return []*emit.Value{b.FMA(old[0], x, x)}
	case gemm.LogSumExp:
		return logSumExp(b, old[0], old[1], x)
	}
	return []*emit.Value{vector.Combine(b, op, old[0], x)}
}

// reduceStep takes one vector of each result into the reductions of it. Beyond the end of
// a row there is the identity, which changes nothing. The exception is a log-sum-exp of
// -Inf alone, whose sum does not count.
func (e *epilogue) reduceStep(b *emit.Builder, results, red []*emit.Value, j, mask *emit.Value) []*emit.Value {
	var next []*emit.Value
	for i, r := range e.fusion.Reduces {
		x, states := results[e.fusion.Result(r)], e.states(r)
		if mask != nil && !r.Col && e.fusion.BestOf(i) < 0 {
			x = b.Select(mask, x, b.Const(x.Type, r.Op.Identity()))
		}
		switch {
		case r.Col:
			var at, old []*emit.Value
			for s, t := range states {
				p := b.Param(vector.SlotPtr(e.fusion.ReduceSlot(i)+s), emit.Ptr)
				at, old = append(at, p), append(old, e.load(b, t, p, j, mask))
			}
			for s, y := range take(b, r.Op, old, x) {
				e.store(b, y, at[s], j, mask)
			}
		case e.fusion.BestOf(i) >= 0:
		case r.Op.Arg():
			old, at, here := red[0], red[1], red[2]
			red = red[3:]
			worse := map[gemm.Reduction]string{gemm.ArgMax: "le", gemm.ArgMin: "ge"}[r.Op]
			stay := b.Or(b.Cmp(worse, x, old), b.Cmp("ne", old, old)) // what is NaN is the best there is
			next = append(next, b.Select(stay, old, x), b.Select(stay, at, here), b.Add(here, b.Const(e.index(), float64(e.lanes))))
		default:
			n := len(states)
			next = append(next, take(b, r.Op, red[:n], x)...)
			red = red[n:]
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
	aside := rowVector{begin: last.begin + int64(last.t.Bytes())}
	for i := 0; i < len(list); i++ {
		values := list[i]
		switch {
		case values.op.Arg():
			i++
			e.joinIndex(b, values, list[i], aside.of(b, e.lanes))
		case values.op == gemm.LogSumExp:
			i++
			e.joinLogSumExp(b, values, list[i])
		default:
			e.joinValues(b, values)
		}
	}
}

func (e *epilogue) joinValues(b *emit.Builder, values rowVector) {
	e.eachRows(b, []rowVector{values}, func(p []*emit.Value) []*emit.Value {
		return []*emit.Value{e.joined(b, values, values.op, p[0])}
	})
}

// joinIndex also finds the lowest index of the lanes that have what is best, or NaN if one
// has. aside is room for a vector.
func (e *epilogue) joinIndex(b *emit.Builder, values, index rowVector, aside *emit.Value) {
	e.eachRows(b, []rowVector{values, index}, func(p []*emit.Value) []*emit.Value {
		best := e.joined(b, values, values.op, p[0])
		b.Store(best, emit.At(aside, 0))
		none := b.Const(index.t, math.MaxInt32)
		var lowest []*emit.Value
		for l := range e.lanes {
			x := b.Load(values.t, values.row(p[0], l))
			of := b.LoadSplat(values.t, emit.At(aside, int64(l*values.t.Elem.Bytes())))
			has := b.Or(b.Cmp("eq", x, of), b.Cmp("ne", x, x))
			lowest = append(lowest, b.Select(has, b.Load(index.t, index.row(p[1], l)), none))
		}
		least := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Select(b.Cmp("lt", x, y), x, y) }
		return []*emit.Value{best, vector.Join(b, least, lowest)[0]}
	})
}

// leave stores what a row left at p.
func (e *epilogue) leave(b *emit.Builder, red, p []*emit.Value) {
	for _, r := range e.rowVectors() {
		b.Store(red[0], emit.At(p[0], 0))
		red, p = red[1:], p[1:]
		if r.second && r.op.Arg() {
			red = red[1:] // the column
		}
	}
}

// row is where the vector of row l is, if those of a group begin at p.
func (r rowVector) row(p *emit.Value, l int) emit.Addr { return emit.At(p, int64(l*r.t.Bytes())) }

// joined joins the vectors from p on, of as many rows as there are lanes.
func (e *epilogue) joined(b *emit.Builder, r rowVector, op gemm.Reduction, p *emit.Value) *emit.Value {
	var x []*emit.Value
	for l := range e.lanes {
		x = append(x, b.Load(r.t, r.row(p, l)))
	}
	both := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return vector.Combine(b, op, x, y) }
	return vector.Join(b, both, x)[0]
}

// eachRows calls f for the vectors of as many rows as there are lanes, and stores what it
// returns: a value for each row.
func (e *epilogue) eachRows(b *emit.Builder, of []rowVector, f func(p []*emit.Value) []*emit.Value) {
	rows, each := b.Param("rows", emit.Int64), int64(e.lanes)
	var carried []*emit.Value
	for _, r := range of {
		carried = append(carried, r.of(b, e.lanes), b.Param(vector.SlotPtr(r.slot), emit.Ptr))
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
