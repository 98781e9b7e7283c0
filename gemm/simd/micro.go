package simd

import (
	"github.com/tilesmith/tilesmith/emit"
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
	a, c := b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)
	tiles := b.Param("tiles", emit.Int64)
	b.ForOnce(b.Int(0), tiles, 1, []*emit.Value{a, c}, func(_ *emit.Value, tile []*emit.Value) []*emit.Value {
		a, c := tile[0], tile[1]
		acc := l.product(b, a, b.Param("b", emit.Ptr), mr, nv, last, l.ahead(b))
		l.finish(b, acc, c, nv, last)
		down := func(p *emit.Value, stride string) *emit.Value {
			return b.AddP(p, b.Mul(b.Param(stride, emit.Int64), b.Int(int64(mr))))
		}
		return []*emit.Value{down(a, "rsa"), down(c, "ldc")}
	})
}

// lineBytes is a cache line; rowsAhead is the log2 of how many rows of B ahead of
// their use its lines are fetched: a packed panel streams from L2 and comes a
// little early, rows of a large B lie in different pages, which no hardware
// prefetcher crosses.
const (
	lineBytes = 64
	rowsAhead = 4
)

// ahead returns the fetch of a line of B that lies below what is read now.
func (l *lowering) ahead(b *emit.Builder) func(line emit.Addr) emit.Addr {
	far := b.Shl(b.Param("ldb", emit.Int64), b.Int(rowsAhead))
	return func(line emit.Addr) emit.Addr {
		line.Index, line.Scale = far, 1
		return line
	}
}

// product sums over k and returns mr*nv accumulators, row by row. While it reads a
// line of B, it fetches the one that ahead names.
func (l *lowering) product(b *emit.Builder, a, pb *emit.Value, mr, nv int, last *emit.Value, ahead func(line emit.Addr) emit.Addr) []*emit.Value {
	v := l.vector()
	ra := NewRows(b, a, l.field(b, "rsa"), mr)
	csa, ldb := l.field(b, "csa"), l.field(b, "ldb")
	carried := append([]*emit.Value{pb}, ra.Bases...)
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
			if ahead != nil && off%lineBytes == 0 {
				b.Prefetch(0, ahead(emit.At(pb, off)))
			}
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
	out := b.For(b.Int(0), l.field(b, "k"), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		rows := ra.With(x[1:first])
		acc := step(x[0], rows, x[first:], 0, 0)
		next := []*emit.Value{b.AddP(x[0], ldb)}
		for i := range rows.Bases {
			next = append(next, b.AddP(rows.Bases[i], csa))
		}
		return append(next, acc...)
	})
	return out[first:]
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
