package simd

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
)

// dot computes tiles of mr x nr elements from operands that are both contiguous
// along k, which is what the lanes are: see [tiling.DotTiles]. It is for a small
// side that would leave lanes of the micro-kernel empty, or a large one that would
// have to be transposed to be read once.
func (l *lowering) dot(b *emit.Builder, op gemm.Joiner, mr, nr int) {
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, nil, func(t *emit.Value, _ []*emit.Value) []*emit.Value {
		at := func(p, step string) *emit.Value { // general registers are short: nothing but t is carried
			return b.AddP(b.Param(p, emit.Ptr), b.Mul(t, b.Param(step, emit.Int64)))
		}
		far := b.AddP(b.Param("fetch", emit.Ptr), b.Mul(t, b.Add(b.Param("stepa", emit.Int64), b.Param("stepb", emit.Int64))))
		sums := l.dots(b, op, at("a", "stepa"), at("b", "stepb"), far, mr, nr)
		var rows []*emit.Value
		for i := range mr {
			rows = append(rows, l.lanes().join(b, op.Join, sums[i*nr:(i+1)*nr])...)
		}
		nv := len(rows) / mr
		var last *emit.Value
		if nr%l.vl != 0 {
			last = b.MaskN(l.vector(), b.Int(int64(nr%l.vl)))
		}
		l.finish(b, rows, at("c", "stepc"), nv, last)
		return nil
	})
}

// dots sums over k and returns a vector of partial sums for each element of the
// tile, row by row.
func (l *lowering) dots(b *emit.Builder, op gemm.Joiner, pa, pb, far *emit.Value, mr, nr int) []*emit.Value {
	v := l.vector()
	ra := NewRows(b, pa, b.Param("rsa", emit.Int64), mr)
	rb := NewRows(b, pb, b.Param("ldb", emit.Int64), nr)
	na, nb := len(ra.Bases), len(rb.Bases)
	carried := slices.Concat(ra.Bases, rb.Bases)
	for range mr * nr {
		carried = append(carried, op.Identity(b, v))
	}
	fetches := min(mr, nr) > 1
	if !fetches {
		far = pa // carried for nothing
	}
	ldf := b.Param("ldf", emit.Int64)
	step := func(x []*emit.Value, mask *emit.Value) []*emit.Value {
		ra, rb, acc := ra.With(x[:na]), rb.With(x[na:na+nb]), x[na+nb:]
		load := func(r Rows, i int) *emit.Value { return l.loadVector(b, r.At(i, 0), mask, mask != nil) }
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
	if fetches {
		carried = append(carried, far)
	}
	x := b.For(b.Int(0), b.Shr(k(), b.Int(int64(log2(l.vl)))), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		acc := x[:na+nb+mr*nr]
		if fetches {
			far := x[len(acc)]
			b.Prefetch(1, emit.At(far, 0))
			for i := int64(1); i < int64(min(mr, nr, 3)); i++ {
				b.Prefetch(1, emit.Addr{Ptr: far, Index: ldf, Scale: i})
			}
		}
		sums := step(acc, nil)
		var next []*emit.Value
		for _, p := range x[:na+nb] {
			next = append(next, b.AddP(p, bytes))
		}
		next = append(next, sums...)
		if fetches {
			next = append(next, b.AddP(x[len(acc)], bytes))
		}
		return next
	})[:na+nb+mr*nr]
	// What is left of k is a loop that runs once or not at all.
	rest := b.And(k(), b.Int(int64(l.vl-1)))
	once := b.Shr(b.Add(rest, b.Int(int64(l.vl-1))), b.Int(int64(log2(l.vl))))
	return b.For(b.Int(0), once, 1, x[na+nb:], func(_ *emit.Value, acc []*emit.Value) []*emit.Value {
		return step(slices.Concat(x[:na+nb], acc), b.MaskN(v, b.And(k(), b.Int(int64(l.vl-1)))))
	})
}
