package gpu

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// build appends the kernel: for each piece, find the tile, sum over K, finish.
func (g *lowering) build(b *emit.Builder) {
	g.f = g.op.Fragments(g.tile.WM, g.tile.WN, g.v.A.KMajor, g.v.B.KMajor)
	g.tid = b.SReg("tid.x", emit.Int64, emit.Thread)
	g.batch = b.SReg("ctaid.z", emit.Int64, emit.CTA)
	g.schedule.pieces(g, b, func(p piece) {
		g.find(b, p.tile)
		acc := g.settle(b, p, g.product(b, p))
		b.Inst(inst.CpAsyncWait, 0) // copies beyond the last tile are still to land
		b.Inst(inst.BarSync, 0)
		g.storeSums(b, acc)
		b.Inst(inst.BarSync, 0)
		if p.part == nil {
			g.finish(b)
			return
		}
		b.If(p.part, func() []*emit.Value {
			g.keepSums(b, p.place)
			return nil
		}, func() []*emit.Value {
			g.finish(b)
			return nil
		})
	})
}

// product sums over the K of a piece; it is the one main loop of all operators. Tiles come through
// a multistage buffer, copied Stages-1 tiles ahead; operands of a step are loaded while
// those of the step before are multiplied, also across tiles. A tile beyond the end
// of the piece is copied as zeros (or what the operator has for them), which needs no
// branch: groups of copies and their waits count the same to the end. What is done with a
// stage is the operator's.
func (g *lowering) product(b *emit.Builder, p piece) []*emit.Value {
	t := g.tile
	bytes := 0
	var tiles []smemTile
	var copies []copier
	var shifts []int
	for _, describe := range g.sources(b, p) {
		s := describe()
		s.region = bytes
		copies, shifts = append(copies, newCopier(b, s)), append(shifts, s.shift)
		tiles, bytes = append(tiles, s.tile), bytes+s.tile.bytes()
	}
	fetch := func(k0, stage *emit.Value) {
		for i, c := range copies {
			k := k0
			if shifts[i] > 0 {
				k = b.Shr(k0, b.Int(int64(shifts[i])))
			}
			c(k, stage)
		}
		b.Inst(inst.CpAsyncCommit, 0)
	}
	for s := range t.Stages - 1 {
		fetch(times(b, b.Add(p.first, b.Int(int64(s))), t.BK), b.Int(int64(s*bytes)))
	}

	work := g.f.stage(b, g.warp(b, tiles))
	arrive := func() {
		b.Inst(inst.CpAsyncWait, int64(t.Stages-2))
		b.Inst(inst.BarSync, 0)
	}

	arrive()
	carried := work.begin(b, b.Int(0))
	n := len(carried)
	end := b.Int(int64(bytes * t.Stages))
	after := func(stage *emit.Value) *emit.Value {
		next := b.Add(stage, b.Int(int64(bytes)))
		return b.Select(b.Cmp("eq", next, end), b.Int(0), next)
	}
	carried = append(carried, b.Int(0), b.Int(int64(bytes*(t.Stages-1))))
	out := b.For(p.first, p.last, 1, carried, func(i *emit.Value, v []*emit.Value) []*emit.Value {
		read, write := v[n], v[n+1]
		next := read
		v = work.turn(b, v[:n], read, func() *emit.Value {
			next = after(read)
			arrive()
			return next
		}, func() {
			// The stage that is written was last read in the iteration before, ahead of
			// its barrier.
			fetch(times(b, b.Add(i, b.Int(int64(t.Stages-1))), t.BK), write)
		})
		return append(v, next, after(write))
	})
	return work.sums(out[:n])
}

// warp describes to an operator what is a warp's own.
func (g *lowering) warp(b *emit.Builder, tiles []smemTile) warp {
	lane, number := b.And(g.tid, b.Int(31)), b.SReg("warpid", emit.Int64, emit.Warp)
	across, down := split(b, number, g.tile.BM/g.tile.WM)
	return warp{tiles, lane, times(b, down, g.tile.WM), times(b, across, g.tile.WN)}
}

// sources describe what is copied into a stage, one behind the other: a's tile, b's, and what
// an operator has beside them.
func (g *lowering) sources(b *emit.Builder, p piece) []func() source {
	t, size := g.tile, g.a.Bytes()
	list := []func() source{
		func() source {
			return g.source(b, p, smemTile{t.BM, t.BK, size, g.v.A.KMajor}, "a", g.v.A, g.m0, "m", "rsa", "csa", g.a)
		},
		func() source {
			return g.source(b, p, smemTile{t.BN, t.BK, size, g.v.B.KMajor}, "b", g.v.B, g.n0, "n", "csb", "rsb", g.b)
		},
	}
	if o, ok := g.op.(mmaSparse); ok {
		return o.sources(g, b, p, list)
	}
	return list
}

// source describes an operand for its copier.
func (g *lowering) source(b *emit.Builder, p piece, t smemTile, name string, access Access, mn0 *emit.Value, mn, mnRow, kRow string, e emit.Elem) source {
	base := g.schedule.param(b, name, emit.Pointer(emit.Global, max(access.Unit, e.Bytes())))
	base = b.AddPAligned(base, b.Mul(g.batch, g.schedule.param(b, "bs"+name, emit.Int64)), base.Type.Align)
	i64 := func(name string) *emit.Value { return g.schedule.param(b, name, emit.Int64) }
	s := source{
		tile: t, access: access, base: base,
		mn0: mn0, mn: i64(mn), k: p.end, threads: g.tile.Threads(), tid: g.tid, pad: g.op.Pad(), e: e,
	}
	// Neighbours that a chunk has are where they are.
	if access.Unit == 0 || access.KMajor {
		s.mnRow = i64(mnRow)
	}
	if access.Unit == 0 || !access.KMajor {
		s.kRow = i64(kRow)
	}
	return s
}
