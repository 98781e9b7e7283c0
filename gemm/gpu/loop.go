package gpu

import (
	"iter"

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
		b.Inst(inst.BarSync, 0)
		g.consumers(b, func() { g.storeSums(b, acc) })
		b.Inst(inst.BarSync, 0)
		if p.part == nil {
			g.finish(b)
			return
		}
		b.If(p.part, func() []*emit.Value {
			g.consumers(b, func() { g.keepSums(b, p.place) })
			return nil
		}, func() []*emit.Value {
			g.finish(b)
			return nil
		})
	})
}

// product sums over the K of a piece. It is the one main loop of all operators and transports.
// Operands of a step are loaded while those of the step before are multiplied, also across tiles.
// The operator decides what is done with a stage.
func (g *lowering) product(b *emit.Builder, p piece) []*emit.Value {
	in := g.transport.open(b, p, g.tile, g.sources(b, p))
	return g.roles(b, func() []*emit.Value {
		work := g.f.stage(b, g.warp(b))
		carried := work.begin(b, in.arrive(b))
		return work.sums(in.turns(b, carried, func(v []*emit.Value, stage *emit.Value) []*emit.Value {
			return work.turn(b, v, stage, func() *emit.Value { return in.arrive(b) }, func() {
				in.release(b)
				if g.transport.producers() == 0 {
					in.fetch(b)
				}
			})
		}))
	}, func() {
		in.fetch(b)
		in.turns(b, nil, func([]*emit.Value, *emit.Value) []*emit.Value {
			in.fetch(b)
			return nil
		})
	})
}

// warp describes to an operator what is a warp's own.
func (g *lowering) warp(b *emit.Builder) warp {
	lane, number := b.And(g.tid, b.Int(31)), b.SReg("warpid", emit.Int64, emit.Warp)
	across, down := split(b, number, g.tile.BM/g.tile.WM)
	return warp{tilesOf(g.op, g.a.Bytes(), g.v), lane, times(b, down, g.tile.WM), times(b, across, g.tile.WN)}
}

// tilesOf lists the tiles of a stage, one after the other: a's, b's, and what else the operator has.
func tilesOf(o operator, size int, k Kernel) []smemTile {
	tiles := []smemTile{{k.Tile.BM, k.Tile.BK, size, k.A.KMajor}, {k.Tile.BN, k.Tile.BK, size, k.B.KMajor}}
	if o, ok := o.(mmaSparse); ok {
		return o.tiles(tiles, k.Tile)
	}
	return tiles
}

// sources describe where the tiles of a stage come from.
func (g *lowering) sources(b *emit.Builder, p piece) iter.Seq[source] {
	list := []func(t smemTile) source{
		func(t smemTile) source { return g.source(b, p, t, "a", g.v.A, g.m0, "m", "rsa", "csa", g.a) },
		func(t smemTile) source { return g.source(b, p, t, "b", g.v.B, g.n0, "n", "csb", "rsb", g.b) },
	}
	if o, ok := g.op.(mmaSparse); ok {
		list = o.sources(g, b, p, list)
	}
	return func(yield func(source) bool) {
		region := 0
		for i, t := range tilesOf(g.op, g.a.Bytes(), g.v) {
			s := list[i](t)
			s.region = region
			region += t.bytes()
			if !yield(s) {
				return
			}
		}
	}
}

// source describes an operand in global memory.
func (g *lowering) source(b *emit.Builder, p piece, t smemTile, name string, access Access, mn0 *emit.Value, mn, mnRow, kRow string, e emit.Elem) source {
	base := g.schedule.param(b, name, emit.Pointer(emit.Global, max(access.Unit, e.Bytes())))
	base = b.AddPAligned(base, b.Mul(g.batch, g.schedule.param(b, "bs"+name, emit.Int64)), base.Type.Align)
	i64 := func(name string) *emit.Value { return g.schedule.param(b, name, emit.Int64) }
	s := source{
		tile: t, access: access, base: base,
		mn0: mn0, mn: i64(mn), k: p.end, threads: g.tile.Threads(), tid: g.tid, pad: g.op.Pad(), e: e,
		tensor: g.op.Fragment(g.v.A.KMajor, g.v.B.KMajor).Tensor,
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
