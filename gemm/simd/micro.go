package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// micro is the one main loop: tiles of mr rows and nv vectors, with the last
// vector cut to n columns if tail is set.
func (l *lowering) micro(b *emit.Builder, mr, nv int, tail bool) {
	l = l.deep()
	var last *emit.Value
	if tail {
		last = b.MaskN(l.vector(), b.Param("n", emit.Int64))
	}
	pb := b.Param("b", emit.Ptr)
	inits := []*emit.Value{b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)}
	if mr <= fetching {
		inits = append(inits, b.AddP(pb, b.Param("next", emit.Int64)))
	}
	past := func() *emit.Value { return b.Cmp("eq", b.Param("mode", emit.Int64), b.Int(kernel.ModeStream)) }
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, inits, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		t := tile{a: at[0], b: pb, c: at[1]}
		if mr <= fetching {
			t.fetch = at[2]
		}
		acc := l.product(b, &t, mr, nv, last)
		if l.streams(tail) {
			b.If(past(), func() []*emit.Value { l.stream(b, acc, t.c, nv); return nil },
				func() []*emit.Value { l.finish(b, acc, t.c, nv, last); return nil })
		} else {
			l.finish(b, acc, t.c, nv, last)
		}
		down := func(stride string) *emit.Value { return b.Mul(b.Param(stride, emit.Int64), b.Int(int64(mr))) }
		// From where A ended, so that no register keeps where it began.
		back := b.Mul(l.field(b, "k"), l.field(b, "csa"))
		next := []*emit.Value{b.AddP(t.a, b.Sub(down("rsa"), back)), b.AddP(t.c, down("ldc"))}
		if mr <= fetching {
			next = append(next, t.fetch)
		}
		return next
	})
	if l.streams(tail) {
		b.If(past(), func() []*emit.Value { b.Inst(inst.StreamFence, 0); return nil }, nil)
	}
}

// streams reports whether a kernel can store past the caches: vectors of sums that are whole.
func (l *lowering) streams(tail bool) bool {
	return !tail && !l.fixed.plain && inst.Stream(l.vector()) != nil
}

// stream stores the accumulators past the caches.
func (l *lowering) stream(b *emit.Builder, acc []*emit.Value, c *emit.Value, nv int) {
	for i, x := range acc {
		if j := i % nv; j > 0 {
			b.Inst(inst.Stream(l.vector()), 0, x, b.AddP(c, b.Int(l.fixed.col(j, l.vector()))))
			continue
		}
		if i > 0 {
			c = b.AddP(c, l.field(b, "ldc"))
		}
		b.Inst(inst.Stream(l.vector()), 0, x, c)
	}
}

// fetching is the most rows of a tile whose kernel has general registers left to fetch
// with: two pointers reach them.
const fetching = 2 * rowsPerBase

// A tile is where one reads and stores; a product moves a and fetch on.
type tile struct {
	a, b, c *emit.Value
	fetch   *emit.Value // a line that is fetched with each k; or nil
}

// lineBytes is a cache line.
const lineBytes = 64

// product sums over k and returns mr*nv accumulators, row by row.
func (l *lowering) product(b *emit.Builder, t *tile, mr, nv int, last *emit.Value) []*emit.Value {
	v := l.vector()
	ra := NewRows(b, t.a, l.field(b, "rsa"), mr)
	csa, ldb := l.field(b, "csa"), l.field(b, "ldb")
	carried := append([]*emit.Value{t.b}, ra.Bases...)
	for range mr * nv {
		carried = append(carried, l.op.Identity(b, v))
	}
	first := 1 + len(ra.Bases) // of the accumulators
	deep := gemm.DepthOf(l.op)
	step := func(pb *emit.Value, rows Rows, acc []*emit.Value, onA, onB int64) []*emit.Value {
		row := make([]*emit.Value, nv)
		for j := range row {
			if deep.K > 1 {
				row[j] = l.group(b, deep, emit.At(pb, int64(j*l.vl*deep.K*l.b.Bytes())))
				continue
			}
			off := l.fixed.col(j, v) + onB
			row[j] = l.loadVector(b, emit.At(pb, off), last, j == nv-1)
		}
		next := make([]*emit.Value, 0, len(acc))
		for i := range mr {
			e := l.splat(b, rows, i, onA, nv == 1)
			for j := range row {
				next = append(next, l.op.Step(b, acc[i*nv+j], e, row[j]))
			}
		}
		return next
	}
	if l.fixed.unroll > 0 {
		return l.fixed.steps(b, ra, carried, step)
	}
	sums := len(carried)
	if t.fetch != nil {
		carried = append(carried, t.fetch)
	}
	out := b.For(b.Int(0), l.field(b, "k"), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		rows := ra.With(x[1:first])
		acc := step(x[0], rows, x[first:sums], 0, 0)
		next := []*emit.Value{b.AddP(x[0], ldb)}
		for i := range rows.Bases {
			next = append(next, b.AddP(rows.Bases[i], csa))
		}
		next = append(next, acc...)
		if t.fetch != nil {
			b.Prefetch(1, emit.At(x[sums], 0))
			next = append(next, b.AddP(x[sums], b.Param("nextstep", emit.Int64)))
		}
		return next
	})
	if t.a = out[1]; t.fetch != nil {
		t.fetch = out[sums]
	}
	return out[first:sums]
}

func (l *lowering) loadVector(b *emit.Builder, a emit.Addr, last *emit.Value, isLast bool) *emit.Value {
	if last != nil && isLast {
		return b.LoadMasked(l.vector(), last, a)
	}
	return b.Load(l.vector(), a)
}

// finish stores the accumulators by mode.
func (l *lowering) finish(b *emit.Builder, acc []*emit.Value, c *emit.Value, nv int, last *emit.Value) {
	v := l.vector()
	mr := len(acc) / nv
	each := func(f func(i int, a emit.Addr, isLast bool)) {
		rc := NewRows(b, c, l.field(b, "ldc"), mr)
		for i := range acc {
			f(i, rc.At(i/nv, l.fixed.col(i%nv, v)), i%nv == nv-1)
		}
	}
	store := func(x *emit.Value, a emit.Addr, isLast bool) {
		if last != nil && isLast {
			b.StoreMasked(x, last, a)
		} else {
			b.Store(x, a)
		}
	}
	plain := func() []*emit.Value {
		each(func(i int, a emit.Addr, isLast bool) { store(acc[i], a, isLast) })
		return nil
	}
	if l.fixed.plain {
		plain()
		return
	}
	mode := b.Param("mode", emit.Int64)
	if s, ok := l.op.(gemm.Semiring); ok { // no alpha and no beta: what C holds is joined
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			each(func(i int, a emit.Addr, isLast bool) {
				store(s.Join(b, l.loadVector(b, a, last, isLast), acc[i]), a, isLast)
			})
			return nil
		}, plain)
		return
	}
	if l.elem == emit.I32 { // no alpha and no beta either
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			each(func(i int, a emit.Addr, isLast bool) {
				store(b.Add(l.loadVector(b, a, last, isLast), acc[i]), a, isLast)
			})
			return nil
		}, plain)
		return
	}
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), plain, func() []*emit.Value {
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeScale)), func() []*emit.Value {
			alpha := b.Param("alpha", v)
			each(func(i int, a emit.Addr, isLast bool) { store(b.Mul(acc[i], alpha), a, isLast) })
			return nil
		}, func() []*emit.Value {
			alpha, beta := b.Param("alpha", v), b.Param("beta", v)
			each(func(i int, a emit.Addr, isLast bool) {
				old := b.Mul(l.loadVector(b, a, last, isLast), beta)
				store(b.FMA(old, acc[i], alpha), a, isLast)
			})
			return nil
		})
		return nil
	})
}
