package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm"
)

// A log-sum-exp has for each lane the largest x so far, m, and the sum s of e^(x-m).
// With the next x one of both is scaled to the larger, so that a step takes one
// exponential [Milakov and Gimelshein, Online normalizer calculation for softmax, 2018].
// The result is m + log(s), which the run time computes at the end.

// logSumExp takes x in.
func logSumExp(b *emit.Builder, m, s, x *emit.Value) []*emit.Value {
	above, least, largest := b.Cmp("gt", x, m), b.Min(x, m), vector.Combine(b, gemm.Max, m, x)
	e := relative(b, least, largest)
	one := b.Const(x.Type, 1)
	return []*emit.Value{largest, b.FMA(b.Select(above, one, s), e, b.Select(above, s, one))} // s*e + 1, or s + e
}

// relative is e^(x-max) for x of at most max: of two infinities 1. If it would vanish
// next to 1, it is the least normal number, since denormal ones are slow.
func relative(b *emit.Builder, x, max *emit.Value) *emit.Value {
	least := -87.0
	if x.Type.Elem == emit.F64 {
		least = -708
	}
	d := b.Max(b.Sub(x, max), b.Const(x.Type, least))
	return vmath.Exp(b, b.Select(b.Cmp("eq", x, max), b.Const(x.Type, 0), d))
}

// joinLogSumExp joins the largest first, scales the sums of each row's lanes to it, and
// adds them.
func (e *epilogue) joinLogSumExp(b *emit.Builder, largest, sums rowVector) {
	e.joinValues(b, largest)
	size := int64(largest.t.Elem.Bytes())
	carried := []*emit.Value{largest.of(b, e.lanes), sums.of(b, e.lanes), b.Param(vector.SlotPtr(largest.slot), emit.Ptr)}
	b.For(b.Int(0), b.Param("rows", emit.Int64), 1, carried, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		m := b.LoadSplat(largest.t, emit.At(p[2], 0))
		scale := relative(b, b.Load(largest.t, emit.At(p[0], 0)), m)
		b.Store(b.Mul(b.Load(sums.t, emit.At(p[1], 0)), scale), emit.At(p[1], 0))
		each := b.Int(int64(largest.t.Bytes()))
		return []*emit.Value{b.AddP(p[0], each), b.AddP(p[1], each), b.AddP(p[2], b.Int(size))}
	})
	e.eachRows(b, []rowVector{sums}, func(p []*emit.Value) []*emit.Value {
		return []*emit.Value{e.joined(b, sums, gemm.Sum, p[0])}
	})
}
