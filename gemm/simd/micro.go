package simd

import (
	"math/bits"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// micro is the one main loop: tiles of mr rows and nv vectors, with the last
// vector cut to n columns if tail is set.
func (l *lowering) micro(b *emit.Builder, mr, nv int, tail bool) {
	l = l.deep()
	var last *emit.Value
	cut := func() {
		if tail {
			last = l.first(b, b.Param("n", emit.Int64))
		}
	}
	whole := !tail
	if tail && l.backs(nv) {
		with := *l
		with.back = vector.NewBack(b, l.vector(), l.lanesLeft(b))
		l, tail, whole = &with, false, true
	}
	padded := gemm.DepthOf(l.op).K > 1 || l.narrow != emit.None // B to whole vectors, and registers are short
	if !padded {
		cut()
	}
	pb := b.Param("b", emit.Ptr)
	inits := []*emit.Value{b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)}
	if mr <= fetching {
		inits = append(inits, b.AddP(pb, b.Param("next", emit.Int64)))
	}
	past := func() *emit.Value { return b.Cmp("eq", b.Param("mode", emit.Int64), b.Int(kernel.ModeStream)) }
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, inits, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		t := tile{a: at[0], b: pb, c: at[1], often: whole}
		if mr <= fetching {
			t.fetch = at[2]
		}
		acc := l.product(b, &t, mr, nv, last)
		if padded {
			cut()
		}
		if l.back != nil {
			l.back.Keep(b, l.lanesLeft(b))
		}
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

// lanesLeft is how many lanes of the last vector a tile has.
func (l *lowering) lanesLeft(b *emit.Builder) *emit.Value {
	n := b.Param("n", emit.Int64)
	if l.parts > 1 {
		n = b.Shl(n, b.Int(1))
	}
	return n
}

// backs reports whether the last of nv vectors begins in the one before, where it is cut.
func (l *lowering) backs(nv int) bool {
	if _, ok := l.op.(armSquare); ok { // its panels do not have column after column
		return false
	}
	deep := gemm.DepthOf(l.op)
	return vector.Backs(l.target, nv) && (deep.K == 1 || l.groupBytes(deep) == l.elem.Bytes()) && l.narrow == emit.None && !l.fixed.plain
}

// stream stores the accumulators past the caches.
func (l *lowering) stream(b *emit.Builder, acc []*emit.Value, c *emit.Value, nv int) {
	for i, x := range acc {
		if j := i % nv; j > 0 {
			b.Inst(inst.Stream(l.vector()), l.fixed.col(j, l.vector()), x, c)
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
const fetching = 2 * vector.PerBase

// fetched is how many lines the kernel of a tile prefetches with each k. That is one, a
// panel's row after some tiles; or it is a row, if B is read once for a few rows of narrow
// elements and memory takes as long as the products.
func (l *lowering) fetched(mr, nv int) int64 {
	bytes := nv * l.vector().Bytes()
	switch {
	case mr > tiling.SkinnyMost:
		return 1
	case l.narrow != emit.None:
		bytes = bytes / l.elem.Bytes() * l.narrow.Bytes()
	case gemm.DepthOf(l.op).K == 1:
		return 1
	}
	return int64((bytes + vector.LineBytes - 1) / vector.LineBytes)
}

// A tile is where one reads and stores; a product moves a and fetch on.
type tile struct {
	a, b, c *emit.Value
	fetch   *emit.Value   // a line that is fetched with each k; or nil
	acc     []*emit.Value // sums so far; nil: there are none
	often   bool          // kernels of its form take most of a large product
}

// product sums over k and returns mr*nv accumulators, row by row.
func (l *lowering) product(b *emit.Builder, t *tile, mr, nv int, last *emit.Value) []*emit.Value {
	if op, ok := l.op.(armSquare); ok {
		return l.squares(b, op, t, mr, nv)
	}
	acc, _, _ := l.sums(b, t, mr, nv, last)
	return l.join(b, acc, nv)
}

// sums is the one loop over k. Pairs have two accumulators for each: of the products with one part
// of A, and with the other. It also returns where A's rows and B's go on behind the last k.
func (l *lowering) sums(b *emit.Builder, t *tile, mr, nv int, last *emit.Value) (acc []*emit.Value, rows vector.Rows, pb *emit.Value) {
	v := l.vector()
	if flipsWords(l.op) {
		with := *l
		with.flip = b.Param("alpha", v)
		l = &with
	}
	ra := vector.NewRows(b, t.a, l.field(b, "rsa"), mr)
	csa, ldb := l.field(b, "csa"), l.field(b, "ldb")
	carried := append([]*emit.Value{t.b}, ra.Bases...)
	if starts(l.op) {
		carried[0] = b.AddP(t.b, ldb)
	}
	carried = append(carried, t.acc...)
	for i := range mr*l.parts*nv - len(t.acc) {
		if starts(l.op) {
			at := emit.At(t.b, int64(i%nv*v.Bytes()))
			if l.back != nil && i%nv == nv-1 {
				at = l.back.At(b, at)
			}
			carried = append(carried, b.Load(v, at))
			continue
		}
		carried = append(carried, l.op.Identity(b, v))
	}
	first := 1 + len(ra.Bases) // of the accumulators
	deep := gemm.DepthOf(l.op)
	one := func(l *lowering, pb emit.Addr, rows vector.Rows, acc []*emit.Value, onA int64) []*emit.Value {
		row := make([]*emit.Value, nv)
		for j := range row {
			at := pb
			if l.back != nil && j == nv-1 {
				at = l.back.At(b, pb)
			}
			if deep.K > 1 {
				row[j] = l.group(b, deep, at, j, last)
				continue
			}
			row[j] = l.loadB(b, at, j, vector.Panel{N: nv, Last: last}.Mask(j))
		}
		next := make([]*emit.Value, 0, len(acc))
		for i := range mr * l.parts {
			part := int64(i % l.parts * l.elem.Bytes())
			e := l.splat(b, rows, i/l.parts, onA+part, nv == 1)
			for j := range row {
				next = append(next, l.step(b, acc[i*nv+j], e, row[j]))
			}
		}
		return next
	}
	step := func(pb emit.Addr, rows vector.Rows, acc []*emit.Value, onA int64) []*emit.Value {
		for half := range l.halves() {
			with := *l
			with.fixed.half = half
			acc = one(&with, pb, rows, acc, onA)
		}
		return acc
	}
	if l.fixed.unroll > 0 {
		return l.fixed.steps(b, ra, carried, step), ra, t.b // of which nothing is left
	}
	sums := len(carried)
	if t.fetch != nil {
		carried = append(carried, t.fetch)
	}
	// loop takes so many rounds of n steps.
	loop := func(rounds *emit.Value, n int, carried []*emit.Value) []*emit.Value {
		return b.For(b.Int(0), rounds, 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			next := slices.Clone(x)
			pb, rows := next[0], ra.With(next[1:first])
			twice := func() *emit.Value { return b.Shl(ldb, b.Int(1)) }
			for u := range n {
				if u == 3 {
					pb = b.AddP(pb, twice())
				}
				at := emit.At(pb, 0)
				if u > 0 {
					at.Index, at.Scale = ldb, int64([]int{1, 2, 1}[u-1])
				}
				copy(next[first:], step(at, rows, next[first:sums], 0))
				for i := range rows.Bases {
					rows.Bases[i] = b.AddP(rows.Bases[i], csa)
				}
			}
			if next[0] = b.AddP(pb, ldb); n > 1 {
				next[0] = b.AddP(pb, twice())
			}
			if t.fetch != nil {
				next[sums] = l.fetch(b, x[sums], n, l.fetched(mr, nv))
			}
			return next
		})
	}
	left := l.field(b, "k")
	if n := l.elements(); n > 1 {
		carried, left = l.byElement(b, n, carried, func(x []*emit.Value, n int) []*emit.Value {
			next := slices.Clone(x)
			pb, rows, size := x[0], ra.With(slices.Clone(x[1:first])), int64(l.size())
			for u := range n {
				if u > 0 {
					pb = b.AddP(pb, ldb)
				}
				copy(next[first:], step(emit.At(pb, 0), rows, next[first:sums], int64(u)*size))
			}
			for i := range rows.Bases {
				next[1+i] = b.AddP(rows.Bases[i], b.Int(int64(n)*size))
			}
			next[0] = b.AddP(pb, ldb)
			if t.fetch != nil {
				next[sums] = l.fetch(b, x[sums], n, l.fetched(mr, nv))
			}
			return next
		})
	} else if n := l.atOnce(t, sums-first); n > 1 {
		carried = loop(b.Shr(left, b.Int(int64(bits.TrailingZeros(uint(n))))), n, carried)
		left = b.And(l.field(b, "k"), b.Int(int64(n-1))) // read again, so that no register holds it through a loop
	}
	out := loop(left, 1, carried)
	if t.a = out[1]; t.fetch != nil {
		t.fetch = out[sums]
	}
	return out[first:sums], ra.With(out[1:first]), out[0]
}

// atOnce is how many steps of k a product with so many sums does before it branches, a power of two. The
// other work besides multiply-adds and loads, some eight instructions, is then a tenth or so. It is one for
// tiles at an edge, of which there are few, to save code. It is also one if k is known, if rows of B are
// fetched whole, or if a step is long itself. See docs/rationale/kernels.md, "The loop does four steps before it branches".
func (l *lowering) atOnce(t *tile, sums int) int {
	n := 1
	if !t.often || l.once || gemm.DepthOf(l.op).K > 1 || l.narrow != emit.None || l.fixed.known["k"] > 0 {
		return n
	}
	for n < 4 && n*sums < 40 {
		n *= 2
	}
	return n
}

// fetch prefetches what belongs to n steps of k: so many lines for one, or a line for every second of
// several. It returns where it goes on.
func (l *lowering) fetch(b *emit.Builder, at *emit.Value, n int, lines int64) *emit.Value {
	step := b.Param("nextstep", emit.Int64)
	if n == 1 {
		for line := range lines {
			b.Prefetch(1, emit.At(at, line*vector.LineBytes))
		}
		return b.AddP(at, step)
	}
	b.Prefetch(1, emit.At(at, 0))
	if n == 4 {
		b.Prefetch(1, emit.Addr{Ptr: at, Index: step, Scale: 2})
	}
	return b.AddP(at, b.Shl(step, b.Int(int64(bits.TrailingZeros(uint(n))))))
}

// A finish is where accumulators go: rows of nv vectors at c, the last of them cut if last is
// not nil.
type finish struct {
	*lowering
	acc  []*emit.Value
	c    *emit.Value
	nv   int
	last *emit.Value
}

// finish stores the accumulators by mode.
func (l *lowering) finish(b *emit.Builder, acc []*emit.Value, c *emit.Value, nv int, last *emit.Value) {
	f := finish{l, acc, c, nv, last}
	if last != nil && len(acc) > nv && l.lanewise() {
		vector.ByRows(b, acc, nv, c, l.field(b, "ldc"), func(row []*emit.Value, c *emit.Value) {
			cut := func() []*emit.Value { finish{l, row, c, nv, last}.byMode(b); return nil }
			if l.apart(len(acc)/nv, nv) {
				cut()
				return
			}
			b.If(b.Cmp("lt", b.Param("n", emit.Int64), b.Int(int64(l.vl))), cut,
				func() []*emit.Value { finish{l, row, c, nv, nil}.byMode(b); return nil })
		})
		return
	}
	f.byMode(b)
}

// lanewise reports whether a mask takes many instructions, and tiles are of any shape.
func (l *lowering) lanewise() bool {
	return vector.Lanewise(l.target) && l.fixed.shape == (tiling.Shape{})
}

func (f finish) each(b *emit.Builder, do func(i int, a emit.Addr, mask *emit.Value)) {
	rc := vector.NewRows(b, f.c, f.field(b, "ldc"), len(f.acc)/f.nv)
	back := rc
	if f.back != nil {
		back = vector.NewRows(b, b.AddP(f.c, f.back.By), f.field(b, "ldc"), len(f.acc)/f.nv)
	}
	for i := range f.acc {
		at := rc
		if i%f.nv == f.nv-1 {
			at = back
		}
		do(i, at.At(i/f.nv, f.fixed.col(i%f.nv, f.vector())), f.mask(i%f.nv))
	}
}

// mask is that of the lanes of column j of vectors; nil: all of them.
func (f finish) mask(j int) *emit.Value { return vector.Panel{N: f.nv, Last: f.last}.Mask(j) }

// load loads a vector of C.
func (f finish) load(b *emit.Builder, mask *emit.Value, a emit.Addr) *emit.Value {
	return vector.Load(b, f.vector(), mask, a)
}

func (f finish) plain(b *emit.Builder) {
	f.each(b, func(i int, a emit.Addr, mask *emit.Value) { vector.Store(b, f.acc[i], mask, a) })
}

func (f finish) byMode(b *emit.Builder) {
	if f.fixed.plain {
		f.plain(b)
		return
	}
	if f.narrow != emit.None {
		f.added(b)
		return
	}
	plain := func() []*emit.Value {
		f.plain(b)
		return nil
	}
	mode := b.Param("mode", emit.Int64)
	if f.parts > 1 {
		f.pairs(b, mode)
		return
	}
	if s, ok := f.op.(gemm.Semiring); ok { // no alpha and no beta: what C holds is joined
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			f.each(b, func(i int, a emit.Addr, mask *emit.Value) {
				old := f.load(b, mask, a)
				vector.Store(b, f.own(b, i, old, s.Join(b, old, f.acc[i])), mask, a)
			})
			return nil
		}, plain)
		return
	}
	if f.elem == emit.I32 { // no alpha and no beta either
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			f.each(b, func(i int, a emit.Addr, mask *emit.Value) {
				f.update(b, i, a, mask, func(old *emit.Value) *emit.Value { return b.Add(old, f.acc[i]) })
			})
			return nil
		}, plain)
		return
	}
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), plain, func() []*emit.Value {
		f.scaled(b, mode)
		return nil
	})
}

// update stores what a vector of C becomes. If a vector begins in columns of the one before, these
// are finished already.
func (f finish) update(b *emit.Builder, i int, a emit.Addr, mask *emit.Value, becomes func(old *emit.Value) *emit.Value) {
	old := f.load(b, mask, a)
	x := becomes(old)
	if n := f.again(i % f.nv); n > 0 {
		x = b.Select(b.MaskN(x.Type, b.Int(n)), old, x)
	}
	vector.Store(b, f.own(b, i, old, x), mask, a)
}

// own is x, without what the vector before has stored already.
func (f finish) own(b *emit.Builder, i int, old, x *emit.Value) *emit.Value {
	if f.back == nil || i%f.nv < f.nv-1 {
		return x
	}
	return f.back.Own(b, old, x)
}

// scaled stores by the modes that have an alpha.
func (f finish) scaled(b *emit.Builder, mode *emit.Value) {
	v := f.vector()
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeScale)), func() []*emit.Value {
		alpha := b.Param("alpha", v)
		f.each(b, func(i int, a emit.Addr, mask *emit.Value) { vector.Store(b, b.Mul(f.acc[i], alpha), mask, a) })
		return nil
	}, func() []*emit.Value {
		alpha, beta := b.Param("alpha", v), b.Param("beta", v)
		f.each(b, func(i int, a emit.Addr, mask *emit.Value) {
			f.update(b, i, a, mask, func(old *emit.Value) *emit.Value { return b.FMA(b.Mul(old, beta), f.acc[i], alpha) })
		})
		return nil
	})
}

// step is the operator's, part by part of a pair.
func (l *lowering) step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	if l.parts > 1 {
		return b.FMA(acc, x, y)
	}
	return l.op.Step(b, acc, x, y)
}
