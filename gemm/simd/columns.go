package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
)

// A small b whose columns are contiguous is read by blocks of vl columns and vl steps of
// k, which are transposed in registers. A copy would be stored and loaded again before the
// first product is formed. With few tiles beneath each other the shuffles, which every
// tile makes again, take less time.

// columnHeights are the heights of the kernels of the Columns form, or none. Rows that are
// no multiple of the tile's are cut into these. A block, what is being shuffled, and the
// sums have to fit into registers.
func (l *lowering) columnHeights() []int {
	if l.half() == nil || l.tile.MR < 2 || l.tile.MR+l.vl+shuffling > l.target.Regs {
		return nil
	}
	return []int{l.tile.MR - 1, l.tile.MR}
}

// shuffling is how many registers a transposition takes besides the block's.
const shuffling = 3

// byColumns is micro for one vector of columns that are contiguous along k, ldb apart; k
// is a multiple of vl.
func (l *lowering) byColumns(b *emit.Builder, mr int) {
	inits := []*emit.Value{b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)}
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, inits, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		l.finish(b, l.columnProduct(b, at[0], mr), at[1], 1, nil)
		down := func(stride string) *emit.Value { return b.Mul(b.Param(stride, emit.Int64), b.Int(int64(mr))) }
		return []*emit.Value{b.AddP(at[0], down("rsa")), b.AddP(at[1], down("ldc"))}
	})
}

// columnProduct sums over k and returns mr accumulators.
func (l *lowering) columnProduct(b *emit.Builder, a *emit.Value, mr int) []*emit.Value {
	v := l.vector()
	ra := vector.NewRows(b, a, l.field(b, "rsa"), mr)
	csa, ldb := l.field(b, "csa"), l.field(b, "ldb")
	carried := append([]*emit.Value{b.Param("b", emit.Ptr)}, ra.Bases...)
	first := len(carried) // of the accumulators
	for range mr {
		carried = append(carried, l.op.Identity(b, v))
	}
	blocks := b.Shr(l.field(b, "k"), b.Int(int64(log2(l.vl))))
	out := b.For(b.Int(0), blocks, 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		in, p := make([]*emit.Value, l.vl), x[0]
		for j := range in {
			if j > 0 {
				p = b.AddP(p, ldb)
			}
			in[j] = b.Load(v, emit.At(p, 0))
		}
		rows, acc := ra.With(append([]*emit.Value(nil), x[1:first]...)), append([]*emit.Value(nil), x[first:]...)
		for _, row := range l.transpose(b, in) {
			for i := range acc {
				acc[i] = l.op.Step(b, acc[i], l.splat(b, rows, i, 0, true), row)
			}
			for i := range rows.Bases {
				rows.Bases[i] = b.AddP(rows.Bases[i], csa)
			}
		}
		next := append([]*emit.Value{b.AddP(x[0], b.Int(int64(v.Bytes())))}, rows.Bases...)
		return append(next, acc...)
	})
	return out[first:]
}
