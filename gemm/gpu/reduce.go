package gpu

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Reductions on a GPU are done twice: each CTA reduces its tile and leaves one value
// for each row or column in a place of its own, and a second kernel joins those of
// all tiles in order. No step depends on which CTA is done first, so the bits of
// the result depend on the shape and the tile only.

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
					v := b.Load(emit.Scalar(emit.F32), emit.At(b.AddPAligned(b.Shared(0, 4), g.sumOffsetAt(b, row, col), 4), 0))
					at := x
					if r.Op.Arg() {
						at = b.Add(g.n0, x)
					}
					if r.Op == gemm.SumSquares {
						return []*emit.Value{b.FMA(red[0], v, v)}
					}
					return r.take(b, red, v, b.Trunc(emit.I32, at))
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

// start returns what a reduction begins with: a value and, if wanted, its index.
func (r reduction) start(b *emit.Builder) []*emit.Value {
	red := []*emit.Value{b.Const(emit.Scalar(emit.F32), r.Op.Identity())}
	if r.Op.Arg() {
		red = append(red, b.Const(emit.Int32, noIndex))
	}
	return red
}

// take joins the value x, at index i, with those so far. The indices may come in any
// order: of equal values the lowest counts.
func (r reduction) take(b *emit.Builder, red []*emit.Value, x, i *emit.Value) []*emit.Value {
	switch r.Op {
	case gemm.Sum, gemm.SumSquares: // of squares, which are there already
		return []*emit.Value{b.Add(red[0], x)}
	case gemm.Max:
		return []*emit.Value{vmath.Max(b, red[0], x)}
	case gemm.Min:
		return []*emit.Value{vmath.Min(b, red[0], x)}
	}
	old, at := red[0], red[1]
	order := map[gemm.Reduction]string{gemm.ArgMax: "gt", gemm.ArgMin: "lt"}[r.Op]
	isNaN, wasNaN := b.Cmp("ne", x, x), b.Cmp("ne", old, old)
	first := b.Cmp("lt", i, at)
	// NaN is the largest (or least) of all, and equal to itself.
	better := b.Or(b.Cmp(order, x, old), b.And(isNaN, b.Not(wasNaN)))
	same := b.Or(b.Cmp("eq", x, old), b.And(isNaN, wasNaN))
	better = b.Or(better, b.And(same, first))
	return []*emit.Value{b.Select(better, x, old), b.Select(better, i, at)}
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
		f.Threads = kernel.GPUJoinThreads
		f.Doc = fmt.Sprintf("%s joins what the tiles left of %s.", name, r.Name)
		m.Joins = append(m.Joins, f)
	}
	return nil
}

func joinArgs() []emit.Arg {
	p, i64 := emit.Pointer(emit.Global, 4), emit.Int64
	return []emit.Arg{
		{Name: "values", Type: p, Offset: kernel.GPUJoinValues}, {Name: "indices", Type: p, Offset: kernel.GPUJoinIndices},
		{Name: "out", Type: p, Offset: kernel.GPUJoinOut},
		{Name: "count", Type: i64, Offset: kernel.GPUJoinCount}, {Name: "parts", Type: i64, Offset: kernel.GPUJoinParts},
		{Name: "stride", Type: i64, Offset: kernel.GPUJoinPartStride}, {Name: "batch", Type: i64, Offset: kernel.GPUJoinBatch},
		{Name: "outbatch", Type: i64, Offset: kernel.GPUJoinOutBatch},
	}
}

func (r reduction) join(b *emit.Builder) {
	p, f32 := emit.Pointer(emit.Global, 4), emit.Scalar(emit.F32)
	param := func(name string) *emit.Value { return b.Param(name, emit.Int64) }
	z := b.SReg("ctaid.z", emit.Int64, emit.CTA)
	i := b.Add(b.Mul(b.SReg("ctaid.x", emit.Int64, emit.CTA), b.Int(kernel.GPUJoinThreads)), b.SReg("tid.x", emit.Int64, emit.Thread))
	b.If(b.Cmp("lt", i, param("count")), func() []*emit.Value {
		from := func(name string) *emit.Value {
			return b.AddPAligned(b.Param(name, p), b.Add(b.Mul(z, param("batch")), times(b, i, 4)), 4)
		}
		values := from("values")
		var indices *emit.Value
		if r.Op.Arg() {
			indices = from("indices")
		}
		red := b.For(b.Int(0), param("parts"), 1, r.start(b), func(t *emit.Value, red []*emit.Value) []*emit.Value {
			off := b.Mul(t, param("stride"))
			at := b.Const(emit.Int32, 0)
			if r.Op.Arg() {
				at = b.Load(emit.Int32, emit.At(b.AddPAligned(indices, off, 4), 0))
			}
			return r.take(b, red, b.Load(f32, emit.At(b.AddPAligned(values, off, 4), 0)), at)
		})
		x := red[0]
		if r.Op.Arg() { // of nothing, there is no index
			x = b.Select(b.Cmp("eq", red[1], b.Const(emit.Int32, noIndex)), b.Const(emit.Int32, -1), red[1])
		}
		if r.Op == gemm.Max || r.Op == gemm.Min {
			x = b.Add(x, b.Const(f32, 0)) // of zeros +0
		}
		b.Store(x, emit.At(b.AddPAligned(b.Param("out", p), b.Add(b.Mul(z, param("outbatch")), times(b, i, 4)), 4), 0))
		return nil
	}, nil)
}
