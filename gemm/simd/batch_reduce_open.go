package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling"
)

// Sums over blocks for which calls give the number of rows and k: tiles one under another, and a lower one
// for the rows that are left.

// openPanels does body for where each panel of out and of B's blocks begins.
func (l *lowering) openPanels(b *emit.Builder, body func(c, pb spot)) {
	width := b.Int(int64(l.fixed.shape.N * l.elem.Bytes()))
	b.ForOnce(b.Int(0), b.Param("panels", emit.Int64), 1, nil, func(q *emit.Value, _ []*emit.Value) []*emit.Value {
		body(func() *emit.Value { return b.AddP(b.Param("c", emit.Ptr), b.Mul(q, width)) },
			func() *emit.Value { return b.AddP(b.Param("b", emit.Ptr), b.Mul(q, b.Param("panel", emit.Int64))) })
		return nil
	})
}

// Steps of a round, if a round has no more than so many instructions. That is more than roundLine, since
// sixteen steps of the highest tile gain what they cost.
const openUnroll, openLine = 16, 800

// busySums are as many as additions are under way at once: in two units, each for four cycles. With fewer sums a step takes as long.
const busySums = 8

// restLine is that for the tile of what is left, of which there are many: enough that the loop is a few of a hundred.
const restLine = 100

// openColumn is column for any number of rows. It has tiles of all the registers, and one tile for the rest,
// or two if one had too few sums: 14 rows of tiles of at most 6 are 6, 4 and 4. Tiles of half the rows, a
// quarter and so on would be less code, and more often have too few sums. On AVX2 a convolution of rows of
// 14 spent a third of its time in the last two of them.
func (l *lowering) openColumn(b *emit.Builder, cut tiling.Blocking, c, a, pb spot, last *emit.Value) {
	nv := len(l.fixed.cols)
	l.fixed.known, l.fixed.blocks = l.strides(), nil
	done := b.Param("row", emit.Int64)
	for mr := cut.MR; mr > 0; mr-- {
		if mr < cut.MR && mr*nv >= 2*busySums {
			continue
		}
		l.fixed.unroll = openUnroll
		line := int64(openLine)
		if mr < cut.MR {
			line = restLine
		}
		if l.fixed.paired { // a step is two, or takes several instructions
			l.fixed.unroll /= 4
		}
		for l.fixed.unroll > 1 && l.fixed.unroll*int64(l.halves()*perStep(mr, nv)) > line {
			l.fixed.unroll /= 2
		}
		least := (busySums + nv - 1) / nv
		if mr <= least {
			least = 0
		}
		done = l.openTile(b, done, int64(mr), int64(least), func(row *emit.Value) {
			if mr == cut.MR {
				l.fetchRows(b, l.below(b, c, row, "ldc")(), mr, nv)
			}
			acc := l.openBlocks(b, l.below(b, a, row, "rsa"), pb, l.zeros(b, mr*nv), func(a, pb *emit.Value, acc []*emit.Value) []*emit.Value {
				return l.product(b, &tile{a: a, b: pb, acc: acc}, mr, nv, last)
			})
			l.finish(b, acc, l.below(b, c, row, "ldc")(), nv, last)
		})
	}
}

// fetchRows has a tile of out on its way while its sums are made.
func (l *lowering) fetchRows(b *emit.Builder, c *emit.Value, mr, nv int) {
	rc := vector.NewRows(b, c, b.Param("ldc", emit.Int64), mr)
	for i := range mr {
		for j := 0; j < nv; j += max(1, vector.LineBytes/l.vector().Bytes()) {
			b.Prefetch(0, rc.At(i, l.fixed.col(j, l.vector())))
		}
	}
}

// openTile does body for the first row of each tile of so many rows that are left from done on. It goes on as
// long as it leaves none, or at least as many as said, and returns the row after them.
func (l *lowering) openTile(b *emit.Builder, done *emit.Value, rows, least int64, body func(row *emit.Value)) *emit.Value {
	return b.While([]*emit.Value{done}, func(x []*emit.Value) (*emit.Value, []*emit.Value) {
		left, want := b.Sub(b.Param("rows", emit.Int64), x[0]), b.Int(rows)
		if least > 0 {
			want = b.Select(b.Cmp("eq", left, want), want, b.Int(rows+least))
		}
		return b.Cmp("le", want, left), x
	}, func(x []*emit.Value) []*emit.Value {
		body(x[0])
		return []*emit.Value{b.Add(x[0], b.Int(rows))}
	})[0]
}

// below is so many rows further.
func (l *lowering) below(b *emit.Builder, at spot, row *emit.Value, apart string) spot {
	return func() *emit.Value { return b.AddP(at(), b.Mul(row, b.Param(apart, emit.Int64))) }
}

// openBlocks is eachBlock with nothing carried but sums: registers are for rows at distances that are not known.
func (l *lowering) openBlocks(b *emit.Builder, a, pb spot, sums []*emit.Value, body func(a, pb *emit.Value, sums []*emit.Value) []*emit.Value) []*emit.Value {
	count := b.Int(l.fixed.perCall)
	if l.fixed.perCall == 0 {
		count = b.Param("count", emit.Int64)
	}
	return b.For(b.Int(0), count, 1, sums, func(i *emit.Value, sums []*emit.Value) []*emit.Value {
		at := func(p spot, of string) *emit.Value {
			field := func(name string) *emit.Value { return b.Param(name+of, emit.Int64) }
			word := b.AddP(b.Param("at"+of, emit.Ptr), b.Mul(i, field("next")))
			return b.AddP(b.AddP(p(), b.Mul(i, field("step"))), b.Mul(b.Load(emit.Int64, emit.At(word, 0)), field("scale")))
		}
		return body(at(a, "a"), at(pb, "b"), sums)
	})
}

// openSteps is steps for any k: rounds of a power of two of them, and the rest one by one.
func (f *fixed) openSteps(b *emit.Builder, ra vector.Rows, carried []*emit.Value, some func(x []*emit.Value, n int64) []*emit.Value) []*emit.Value {
	first := 1 + len(ra.Bases)
	rounds := func(from, to *emit.Value, n int64, carried []*emit.Value) []*emit.Value {
		return b.For(from, to, n, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			acc := some(x, n)
			next := []*emit.Value{b.AddP(x[0], b.Int(n*f.known["ldb"]))}
			for _, p := range x[1:first] {
				next = append(next, b.AddP(p, b.Int(n*f.known["csa"])))
			}
			return append(next, acc...)
		})
	}
	k := func() *emit.Value { return b.Param("k", emit.Int64) } // no register holds it through a loop
	whole := func() *emit.Value { return b.And(k(), b.Int(-f.unroll)) }
	x := rounds(b.Int(0), whole(), f.unroll, carried)
	if f.unroll > 1 {
		x = rounds(whole(), k(), 1, x)
	}
	return x[first:]
}
