package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// Reductions on a GPU take two steps. Each CTA reduces its tile and leaves one value
// for each row or column in a place of its own. A second kernel joins those of all
// tiles in order. No step depends on which CTA is done first, so the bits of the result
// depend on the shape and the tile only.

// reduce reduces the results that stand where the sums were laid. A thread goes
// along one row or down one column. Along rows it begins at the column of its own
// number and goes round, since 32 rows at one column would lie in the same bank.
func (g *lowering) reduce(b *emit.Builder, rows *emit.Value) {
	t := g.tile
	cols := b.IMin(b.Sub(b.Param("n", emit.Int64), g.n0), b.Int(int64(t.BN)))
	for s, slot := range g.m.Slots {
		if slot.Kind != PartialSlot {
			continue
		}
		r := reduction{g.fusion.Reduces[slot.Reduce]}
		place := slices.Index(reducedResults(g.fusion), g.fusion.Result(r.Reduce)) * g.sumsBytes()
		mine, along, most, origin := rows, cols, t.BN, g.m0
		part, _ := split(b, g.n0, t.BN) // the tile's number in the direction that is reduced
		if r.Col {
			mine, along, most, origin = cols, rows, t.BM, g.n0
			part, _ = split(b, g.m0, t.BM)
		}
		b.For(g.tid, mine, int64(t.Threads()), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			red := b.For(b.Int(0), b.Int(int64(most)), 1, r.start(b), func(x *emit.Value, red []*emit.Value) []*emit.Value {
				row, col := x, i
				if !r.Col {
					x = b.And(b.Add(x, i), b.Int(int64(most-1)))
					row, col = i, x
				}
				return b.If(b.Cmp("lt", x, along), func() []*emit.Value {
					v := b.Load(emit.Scalar(emit.F32), emit.At(b.AddPAligned(b.Shared(0, 4), g.sumOffsetAt(b, row, col), 4), int64(place)))
					return r.take(b, red, v, b.Add(g.n0, x))
				}, func() []*emit.Value { return red })
			})
			for n, v := range red {
				p := b.AddPAligned(b.Param(slotPtr(s+n), emit.Pointer(emit.Global, 4)), b.Mul(b.Param(slotBatch(s+n), emit.Int64), g.batch), 4)
				p = b.AddPAligned(p, b.Mul(b.Param(slotStride(s+n), emit.Int64), part), 4)
				b.Store(v, emit.At(b.AddPAligned(p, times(b, b.Add(origin, i), 4), 4), 0))
			}
			return nil
		})
	}
}

// reduction is a gemm.Reduce in the IR.
type reduction struct{ gemm.Reduce }

// noIndex is larger than every index.
const noIndex = math.MaxInt32

// start returns what a reduction begins with: a value and, if wanted, its index or the
// sum of a log-sum-exp.
func (r reduction) start(b *emit.Builder) []*emit.Value {
	red := []*emit.Value{b.Const(emit.Scalar(emit.F32), r.Op.Identity())}
	switch {
	case r.Op.Arg():
		red = append(red, b.Const(emit.Int32, noIndex))
	case r.Op == gemm.LogSumExp:
		red = append(red, b.Const(emit.Scalar(emit.F32), 0))
	}
	return red
}

// take takes in the value x of column i of the result.
func (r reduction) take(b *emit.Builder, red []*emit.Value, x, i *emit.Value) []*emit.Value {
	switch {
	case r.Op == gemm.SumSquares:
		return []*emit.Value{b.FMA(red[0], x, x)}
	case r.Op == gemm.LogSumExp:
		return r.combine(b, red, []*emit.Value{x, b.Const(x.Type, 1)})
	case r.Op.Arg():
		return r.combine(b, red, []*emit.Value{x, b.Trunc(emit.I32, i)})
	}
	return r.combine(b, red, []*emit.Value{x})
}

// combine joins two partial results. Those to an index may come in any order: of equal
// values the lowest index counts.
func (r reduction) combine(b *emit.Builder, red, with []*emit.Value) []*emit.Value {
	old, x := red[0], with[0]
	switch r.Op {
	case gemm.Sum, gemm.SumSquares:
		return []*emit.Value{b.Add(old, x)}
	case gemm.Max:
		return []*emit.Value{vmath.Max(b, old, x)}
	case gemm.Min:
		return []*emit.Value{vmath.Min(b, old, x)}
	case gemm.LogSumExp:
		most := vmath.Max(b, old, x)
		return []*emit.Value{most, b.FMA(b.Mul(with[1], relative(b, x, most)), red[1], relative(b, old, most))}
	}
	at, i := red[1], with[1]
	order := map[gemm.Reduction]string{gemm.ArgMax: "gt", gemm.ArgMin: "lt"}[r.Op]
	isNaN, wasNaN := b.Cmp("ne", x, x), b.Cmp("ne", old, old)
	first := b.Cmp("lt", i, at)
	// NaN is the largest (or least) of all, and equal to itself.
	better := b.Or(b.Cmp(order, x, old), b.And(isNaN, b.Not(wasNaN)))
	same := b.Or(b.Cmp("eq", x, old), b.And(isNaN, wasNaN))
	better = b.Or(better, b.And(same, first))
	return []*emit.Value{b.Select(better, x, old), b.Select(better, i, at)}
}

// relative is e^(x-max) for x of at most max: of two infinities 1.
func relative(b *emit.Builder, x, max *emit.Value) *emit.Value {
	return vmath.Exp(b, b.Select(b.Cmp("eq", x, max), b.Const(x.Type, 0), b.Sub(x, max)))
}

// value returns what a reduction gives in the end.
func (r reduction) value(b *emit.Builder, red []*emit.Value) *emit.Value {
	x := red[0]
	switch {
	case r.Op.Arg(): // of nothing, there is no index
		return b.Select(b.Cmp("eq", red[1], b.Const(emit.Int32, noIndex)), b.Const(emit.Int32, -1), red[1])
	case r.Op == gemm.Max || r.Op == gemm.Min:
		return b.Add(x, b.Const(x.Type, 0)) // of zeros +0
	case r.Op == gemm.LogSumExp:
		return b.Add(x, vmath.Log(b, red[1]))
	}
	return x
}

// joins builds the second kernels, one for each reduction: a thread joins the
// partial values of one row or column.
func (m *Module) joins() error {
	if m.Fusion == nil {
		return nil
	}
	for i, r := range m.Fusion.Reduces {
		name := fmt.Sprintf("%s_join%d", prefix(m.Name, m.Target), i)
		f, err := emit.Build(name, joinArgs(), reduction{r}.join)
		if err != nil {
			return fmt.Errorf("gemm: %w", err)
		}
		f.Threads = param.JoinThreads
		f.Doc = fmt.Sprintf("%s joins what the tiles left of %s.", name, r.Name)
		m.Joins = append(m.Joins, f)
	}
	return nil
}

func joinArgs() []emit.Arg {
	p, i64 := emit.Pointer(emit.Global, 4), emit.Int64
	return []emit.Arg{
		{Name: "values", Type: p, Offset: param.JoinValues}, {Name: "indices", Type: p, Offset: param.JoinIndices},
		{Name: "out", Type: p, Offset: param.JoinOut},
		{Name: "count", Type: i64, Offset: param.JoinCount}, {Name: "parts", Type: i64, Offset: param.JoinParts},
		{Name: "stride", Type: i64, Offset: param.JoinPartStride}, {Name: "batch", Type: i64, Offset: param.JoinBatch},
		{Name: "outbatch", Type: i64, Offset: param.JoinOutBatch},
	}
}

func (r reduction) join(b *emit.Builder) {
	p := emit.Pointer(emit.Global, 4)
	load := func(name string) *emit.Value { return b.Param(name, emit.Int64) }
	z := b.SReg("ctaid.z", emit.Int64, emit.CTA)
	i := b.Add(b.Mul(b.SReg("ctaid.x", emit.Int64, emit.CTA), b.Int(param.JoinThreads)), b.SReg("tid.x", emit.Int64, emit.Thread))
	b.If(b.Cmp("lt", i, load("count")), func() []*emit.Value {
		from := func(name string) *emit.Value {
			return b.AddPAligned(b.Param(name, p), b.Add(b.Mul(z, load("batch")), times(b, i, 4)), 4)
		}
		parts := []*emit.Value{from("values")}
		if len(r.start(b)) > 1 {
			parts = append(parts, from("indices"))
		}
		red := b.For(b.Int(0), load("parts"), 1, r.start(b), func(t *emit.Value, red []*emit.Value) []*emit.Value {
			off := b.Mul(t, load("stride"))
			var with []*emit.Value
			for s, p := range parts {
				with = append(with, b.Load(red[s].Type, emit.At(b.AddPAligned(p, off, 4), 0)))
			}
			return r.combine(b, red, with)
		})
		x := r.value(b, red)
		b.Store(x, emit.At(b.AddPAligned(b.Param("out", p), b.Add(b.Mul(z, load("outbatch")), times(b, i, 4)), 4), 0))
		return nil
	}, nil)
}
