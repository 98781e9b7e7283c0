package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling"
)

// build appends the kernel: find the tile, sum over K, finish.
func (g *lowering) build(b *emit.Builder) {
	g.f = g.op.Fragments(g.tile.WM, g.tile.WN, g.v.A.KMajor, g.v.B.KMajor)
	g.tid = b.SReg("tid.x", emit.Int64, emit.Thread)
	g.batch = b.SReg("ctaid.z", emit.Int64, emit.CTA)
	g.find(b)
	acc := g.product(b)
	b.Inst(inst.CpAsyncWait, 0) // copies beyond the last tile are still to land
	b.Inst(inst.BarSync, 0)
	g.storeSums(b, acc)
	b.Inst(inst.BarSync, 0)
	g.finish(b)
}

// find computes which tile the CTA has. Consecutive CTAs take GroupM tiles of a
// column before those of the next, down a band of GroupM tiles and then right:
//
//	0 3 6 | band of 3 tiles, the last one may be lower
//	1 4 7 |
//	2 5 8 |
//	9 ...
func (g *lowering) find(b *emit.Builder) {
	div := func(x, y *emit.Value) (q, r *emit.Value) {
		q = b.Op("udiv", emit.Attr{}, []emit.Type{emit.Int32}, x, y)[0]
		return q, b.Sub(x, b.Mul(q, y))
	}
	id := b.SReg("ctaid.x", emit.Int32, emit.CTA)
	tm, tn := b.Param("tm", emit.Int32), b.Param("tn", emit.Int32)
	band, rest := div(id, b.Mul(tn, int32Of(b, tiling.GroupM)))
	top := b.Mul(band, int32Of(b, tiling.GroupM))
	right, down := div(rest, b.IMin(b.Sub(tm, top), int32Of(b, tiling.GroupM)))
	g.m0, g.n0 = times(b, b.Zext(emit.I64, b.Add(top, down)), g.tile.BM), times(b, b.Zext(emit.I64, right), g.tile.BN)
}

// product sums over K; it is the one main loop of all operators. Tiles come through
// a multistage buffer, copied Stages-1 tiles ahead; operands of a step are loaded while
// those of the step before are multiplied, also across tiles. A tile beyond the end
// of K is copied as zeros (or what the operator has for them), which needs no
// branch: groups of copies and their waits count the same to the end.
func (g *lowering) product(b *emit.Builder) []*emit.Value {
	t := g.tile
	size := g.a.Bytes()
	bytes := t.StageBytes(size)
	tileA := smemTile{t.BM, t.BK, size, g.v.A.KMajor}
	tileB := smemTile{t.BN, t.BK, size, g.v.B.KMajor}
	k := b.Param("k", emit.Int64)

	copyA := newCopier(b, g.source(b, tileA, 0, "a", g.v.A, g.m0, "m", "rsa", "csa", g.a))
	copyB := newCopier(b, g.source(b, tileB, tileA.bytes(), "b", g.v.B, g.n0, "n", "csb", "rsb", g.b))
	fetch := func(k0, stage *emit.Value) {
		copyA(k0, stage)
		copyB(k0, stage)
		b.Inst(inst.CpAsyncCommit, 0)
	}
	for s := range t.Stages - 1 {
		fetch(b.Int(int64(s*t.BK)), b.Int(int64(s*bytes)))
	}

	lane, warp := b.And(g.tid, b.Int(31)), b.SReg("warpid", emit.Int64, emit.Warp)
	across, down := split(b, warp, t.BM/t.WM)
	steps := t.BK / g.f.k
	loadA := g.loader(b, tileA, 0, g.f.a, lane, times(b, down, t.WM), steps)
	loadB := g.loader(b, tileB, tileA.bytes(), g.f.b, lane, times(b, across, t.WN), steps)
	arrive := func() {
		b.Inst(inst.CpAsyncWait, int64(t.Stages-2))
		b.Inst(inst.BarSync, 0)
	}

	arrive()
	acc := g.f.identity(b)
	x, y := loadA(b.Int(0), 0), loadB(b.Int(0), 0)
	na, nx := len(acc), len(x)
	end := b.Int(int64(bytes * t.Stages))
	after := func(stage *emit.Value) *emit.Value {
		next := b.Add(stage, b.Int(int64(bytes)))
		return b.Select(b.Cmp("eq", next, end), b.Int(0), next)
	}
	carried := slices.Concat(acc, x, y, []*emit.Value{b.Int(0), b.Int(int64(bytes * (t.Stages - 1)))})
	tiles := b.Shr(b.Add(k, b.Int(int64(t.BK-1))), b.Int(int64(log2(t.BK))))
	out := b.For(b.Int(0), tiles, 1, carried, func(i *emit.Value, v []*emit.Value) []*emit.Value {
		acc, x, y := v[:na], v[na:na+nx], v[na+nx:len(v)-2]
		read, write := v[len(v)-2], v[len(v)-1]
		ahead := func() {
			// The stage that is written was last read in the iteration before, ahead of
			// its barrier.
			k0 := times(b, b.Add(i, b.Int(int64(t.Stages-1))), t.BK)
			fetch(k0, write)
		}
		if steps == 1 {
			ahead()
		}
		next := read
		for s := range steps {
			if s == steps-1 {
				next = after(read)
				arrive()
			}
			nx, ny := loadA(next, (s+1)%steps), loadB(next, (s+1)%steps)
			if s == 0 && steps > 1 {
				ahead()
			}
			acc = g.f.step(b, acc, x, y)
			x, y = nx, ny
		}
		return slices.Concat(acc, x, y, []*emit.Value{next, after(write)})
	})
	return out[:na]
}

// source describes an operand for its copier.
func (g *lowering) source(b *emit.Builder, t smemTile, region int, name string, access Access, mn0 *emit.Value, mn, mnRow, kRow string, e emit.Elem) source {
	base := b.Param(name, emit.Pointer(emit.Global, max(access.Unit, e.Bytes())))
	base = b.AddPAligned(base, b.Mul(g.batch, b.Param("bs"+name, emit.Int64)), base.Type.Align)
	i64 := func(name string) *emit.Value { return b.Param(name, emit.Int64) }
	return source{
		tile: t, access: access, region: region, base: base, mnRow: i64(mnRow), kRow: i64(kRow),
		mn0: mn0, mn: i64(mn), k: i64("k"), threads: g.tile.Threads(), tid: g.tid, pad: g.op.Pad(), e: e,
	}
}

// loader returns what loads the operands of one step of a stage; mn is where the
// warp's part of the tile begins.
func (g *lowering) loader(b *emit.Builder, t smemTile, region int, r reads, lane, mn *emit.Value, steps int) func(stage *emit.Value, step int) []*emit.Value {
	offs := make([][]int, steps)
	var all []int
	for s := range offs {
		for _, p := range r.at {
			offs[s] = append(offs[s], t.at(p.mn, p.k+s*g.f.k))
		}
		all = append(all, offs[s]...)
	}
	lmn, lk := r.lane(b, lane)
	from := newSmemAddr(b, region, t.value(b, b.Or(mn, lmn), lk), 16, all)
	return func(stage *emit.Value, step int) (x []*emit.Value) {
		at := from.in(b, stage)
		for _, off := range offs[step] {
			x = append(x, r.load(b, at(off))...)
		}
		return x
	}
}
