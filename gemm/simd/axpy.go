package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
)

// axpy is a micro-kernel for few rows of A and a B that is read once, from far away. Its
// tiles are neighbours in a row, so that it runs over a few rows of B from end to end.
// While it reads one block of rows it prefetches the next, a row after another. The memory
// of a core answers soonest if it is read in the order of addresses, and a tile's own reads
// go down a column.
//
// A's elements of one k lie side by side.
func (l *lowering) axpy(b *emit.Builder, op gemm.Operator, mr, nv int) {
	v := l.vector()
	width := int64(nv * v.Bytes())
	step, zero := b.Int(width), b.Int(0)
	carried := []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr), b.Param("fetch", emit.Ptr)}
	b.ForOnce(zero, b.Param("tiles", emit.Int64), 1, carried, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		ldb, csa, span := b.Param("ldb", emit.Int64), b.Param("csa", emit.Int64), b.Param("span", emit.Int64)
		sums := []*emit.Value{at[2], b.Param("k", emit.Int64), b.Param("a", emit.Ptr), at[0]}
		first := len(sums)
		for range mr * nv {
			sums = append(sums, op.Identity(b, v))
		}
		sums = b.While(sums, func(x []*emit.Value) (*emit.Value, []*emit.Value) {
			return b.Cmp("gt", x[1], zero), x
		}, func(x []*emit.Value) []*emit.Value {
			n := b.IMin(x[1], span)
			left := b.Sub(x[1], n)
			inner := append([]*emit.Value{x[0]}, x[2:]...)
			y := b.For(zero, n, 1, inner, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
				far, a, pb, acc := x[0], x[1], x[2], x[3:]
				row := make([]*emit.Value, nv)
				for j := range row {
					off := int64(j * v.Bytes())
					row[j] = b.Load(v, emit.At(pb, off))
					if off%vector.LineBytes == 0 {
						b.Prefetch(1, emit.At(far, off))
					}
				}
				next := make([]*emit.Value, 0, len(x))
				for i := range mr {
					e := b.LoadSplat(v, emit.At(a, int64(i*l.elem.Bytes())))
					for j := range row {
						next = append(next, op.Step(b, acc[i*nv+j], e, row[j]))
					}
				}
				return append([]*emit.Value{b.AddP(far, step), b.AddP(a, csa), b.AddP(pb, ldb)}, next...)
			})
			return append([]*emit.Value{b.AddP(x[0], b.Param("ldf", emit.Int64)), left}, y[1:]...)
		})
		l.finish(b, sums[first:], at[1], nv, nil)
		return []*emit.Value{b.AddP(at[0], step), b.AddP(at[1], step), sums[0]}
	})
}
