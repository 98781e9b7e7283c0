package simd

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// dot adds to tiles of mr x nr elements, from operands that are both contiguous along k.
// Each element is a vector whose lanes are parts of a sum, since lanes go along k: see
// [tiling.DotTiles]. It is for a small side that would leave lanes of the micro-kernel
// empty, or a large one that would have to be transposed to be read once. The parts are
// joined when all of k is done: see joined.
func (l *lowering) dot(b *emit.Builder, op gemm.Joiner, mr, nr int) {
	v := l.vector()
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, nil, func(t *emit.Value, _ []*emit.Value) []*emit.Value {
		at := func(p, step string) *emit.Value { // general registers are short: nothing but t is carried
			return b.AddP(b.Param(p, emit.Ptr), b.Mul(t, b.Param(step, emit.Int64)))
		}
		parts := func(f func(a emit.Addr, i int)) {
			rc := vector.NewRows(b, at("c", "stepc"), b.Param("ldc", emit.Int64), mr)
			for i := range mr * nr {
				f(rc.At(i/nr, int64(i%nr*v.Bytes())), i)
			}
		}
		begun := b.If(b.Cmp("eq", b.Param("mode", emit.Int64), b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			var x []*emit.Value
			parts(func(a emit.Addr, _ int) { x = append(x, b.Load(v, a)) })
			return x
		}, func() []*emit.Value {
			var x []*emit.Value
			for range mr * nr {
				x = append(x, op.Identity(b, v))
			}
			return x
		})
		var far []*emit.Value
		if min(mr, nr) > 1 {
			far = []*emit.Value{at("fetch", "nextstep")}
		}
		sums := l.dots(b, op, at("a", "stepa"), at("b", "stepb"), far, begun, mr, nr)
		parts(func(a emit.Addr, i int) { b.Store(sums[i], a) })
		return nil
	})
}

// joined joins rows of vectors whose lanes are parts of a sum: each becomes one element.
func (l *lowering) joined(b *emit.Builder, op gemm.Joiner) {
	v := l.vector()
	begin := []*emit.Value{b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)}
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, begin, func(_ *emit.Value, row []*emit.Value) []*emit.Value {
		block := func(at []*emit.Value, last *emit.Value) []*emit.Value {
			x := make([]*emit.Value, l.vl)
			for i := range x {
				if last != nil && i == l.vl-1 { // what is left has a lane less at least
					x[i] = x[i-1]
					continue
				}
				x[i] = b.Load(v, emit.At(at[0], int64(i*v.Bytes())))
			}
			l.finish(b, vector.Join(b, op.Join, x), at[1], 1, last)
			return []*emit.Value{b.AddP(at[0], b.Int(int64(l.vl*v.Bytes()))), b.AddP(at[1], b.Int(int64(v.Bytes())))}
		}
		at := b.For(b.Int(0), b.Param("k", emit.Int64), 1, row, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
			return block(at, nil)
		})
		b.If(b.Cmp("gt", b.Param("n", emit.Int64), b.Int(0)), func() []*emit.Value {
			block(at, b.MaskN(v, b.Param("n", emit.Int64)))
			return nil
		}, nil)
		return []*emit.Value{b.AddP(row[0], b.Param("rsa", emit.Int64)), b.AddP(row[1], b.Param("ldc", emit.Int64))}
	})
}

// dots goes on with sums over k, a vector for each element of the tile, row by row. It
// fetches what lies from far on, if that is anything.
func (l *lowering) dots(b *emit.Builder, op gemm.Joiner, pa, pb *emit.Value, far, begun []*emit.Value, mr, nr int) []*emit.Value {
	v := l.vector()
	ra := vector.NewRows(b, pa, b.Param("rsa", emit.Int64), mr)
	rb := vector.NewRows(b, pb, b.Param("ldb", emit.Int64), nr)
	na, nb := len(ra.Bases), len(rb.Bases)
	carried := slices.Concat(ra.Bases, rb.Bases, begun, far)
	ldf := b.Param("ldf", emit.Int64)
	step := func(x []*emit.Value, mask *emit.Value) []*emit.Value {
		ra, rb, acc := ra.With(x[:na]), rb.With(x[na:na+nb]), x[na+nb:]
		load := func(r vector.Rows, i int) *emit.Value { return vector.Load(b, v, mask, r.At(i, 0)) }
		next := make([]*emit.Value, mr*nr)
		// The shorter side stays in registers, the longer comes row by row.
		if mr <= nr {
			short := make([]*emit.Value, mr)
			for i := range short {
				short[i] = load(ra, i)
			}
			for j := range nr {
				y := load(rb, j)
				for i := range mr {
					next[i*nr+j] = op.Step(b, acc[i*nr+j], short[i], y)
				}
			}
			return next
		}
		short := make([]*emit.Value, nr)
		for j := range short {
			short[j] = load(rb, j)
		}
		for i := range mr {
			y := load(ra, i)
			for j := range nr {
				next[i*nr+j] = op.Step(b, acc[i*nr+j], y, short[j])
			}
		}
		return next
	}
	k := func() *emit.Value { return b.Param("k", emit.Int64) } // read twice, so that no register holds it meanwhile
	bytes := b.Int(int64(v.Bytes()))
	x := b.For(b.Int(0), b.Shr(k(), b.Int(int64(log2(l.vl)))), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		acc, far := x[:na+nb+mr*nr], x[na+nb+mr*nr:]
		for _, p := range far {
			b.Prefetch(1, emit.At(p, 0))
			for i := int64(1); i < int64(min(mr, nr, 3)); i++ {
				b.Prefetch(1, emit.Addr{Ptr: p, Index: ldf, Scale: i})
			}
		}
		sums := step(acc, nil)
		var next []*emit.Value
		for _, p := range x[:na+nb] {
			next = append(next, b.AddP(p, bytes))
		}
		next = append(next, sums...)
		for _, p := range far {
			next = append(next, b.AddP(p, b.Param("span", emit.Int64)))
		}
		return next
	})
	// The rest of k is a loop that runs once or not at all.
	rest := b.And(k(), b.Int(int64(l.vl-1)))
	once := b.Shr(b.Add(rest, b.Int(int64(l.vl-1))), b.Int(int64(log2(l.vl))))
	return b.For(b.Int(0), once, 1, x[na+nb:na+nb+mr*nr], func(_ *emit.Value, acc []*emit.Value) []*emit.Value {
		return step(slices.Concat(x[:na+nb], acc), b.MaskN(v, b.And(k(), b.Int(int64(l.vl-1)))))
	})
}
