package gpu

import (
	"slices"

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
// a multistage buffer, copied Stages-1 tiles ahead. Operands of a step are loaded while those of
// the step before are multiplied, also across tiles. The operator decides what is done with a
// stage.
//
// Only the last tile may end beyond K. It is copied by itself, between two rounds of the loop. The first
// round copies whole tiles. The second, which is the last Stages turns, copies nothing. So what asks for the
// end of K is outside of the loop. Groups of copies, which may be empty, count the same to the end.
func (g *lowering) product(b *emit.Builder, p piece) []*emit.Value {
	t := g.tile
	bytes := 0
	var tiles []smemTile
	var copies []copier
	for _, describe := range g.sources(b, p) {
		s := describe()
		s.region = bytes
		copies = append(copies, newCopier(b, s))
		tiles, bytes = append(tiles, s.tile), bytes+s.tile.bytes()
	}
	first, last, stages := b.Trunc(emit.I32, p.first), b.Trunc(emit.I32, p.last), int32Of(b, t.Stages)
	count := b.Sub(last, first)
	few := b.Cmp("le", count, stages) // all are copied ahead of the loop
	// end copies the last tile, number n from the first of K.
	end := func(n, stage *emit.Value) []*emit.Value {
		k0 := times(b, n, t.BK)
		for _, c := range copies {
			c.end(k0, stage)
		}
		return nil
	}
	number := func() *emit.Value { return b.Sub(p.last, b.Int(1)) }
	wide := func(stage *emit.Value) *emit.Value { return b.Zext(emit.I64, stage) }
	b.If(few, func() []*emit.Value {
		// Without any, the first is one of nothing but what stands beyond K.
		return end(b.IMax(number(), b.Int(0)), wide(b.Mul(b.IMax(b.Sub(count, int32Of(b, 1)), int32Of(b, 0)), int32Of(b, bytes))))
	}, nil)
	way, from := ways(b, copies, p.first)
	// fetch copies the next whole tile, if there is one.
	fetch := func(more *emit.Value, from []*emit.Value, stage *emit.Value) (next []*emit.Value) {
		b.If(more, func() []*emit.Value {
			for j, c := range copies {
				c.whole(from[way[j]], stage)
			}
			return nil
		}, nil)
		b.Inst(inst.CpAsyncCommit, 0)
		next = slices.Clone(from)
		for j, c := range copies {
			next[way[j]] = b.Add(from[way[j]], c.step)
		}
		return next
	}
	for s := range t.Stages - 1 {
		from = fetch(b.Cmp("gt", count, int32Of(b, s+1)), from, b.Int(int64(s*bytes)))
	}

	work := g.f.stage(b, g.warp(b, tiles))
	arrive := func() {
		b.Inst(inst.CpAsyncWait, int64(t.Stages-2))
		b.Inst(inst.BarSync, 0)
	}

	arrive()
	carried := work.begin(b, b.Int(0))
	n := len(carried)
	// There are no more stages than tiles, so a load ahead, after the last tile, reads something that was
	// written.
	wrap := b.Mul(b.IMin(count, stages), int32Of(b, bytes))
	carried = append(append(carried, int32Of(b, 0), int32Of(b, bytes*(t.Stages-1))), from...)
	middle := b.Select(few, first, b.Sub(last, stages))
	out := b.ForOnce(int32Of(b, 0), int32Of(b, 2), 1, carried, func(round *emit.Value, v []*emit.Value) []*emit.Value {
		more := b.Cmp("eq", round, int32Of(b, 0))
		b.If(b.Or(more, few), nil, func() []*emit.Value { return end(number(), wide(v[n+1])) })
		return b.For(b.Select(more, first, middle), b.Select(more, middle, last), 1, v, func(_ *emit.Value, v []*emit.Value) []*emit.Value {
			read, write, from := v[n], v[n+1], v[n+2:]
			next := read
			v = work.turn(b, v[:n], wide(read), func() *emit.Value {
				arrive()
				next = b.Add(read, int32Of(b, bytes))
				next = b.Select(b.Cmp("eq", next, wrap), int32Of(b, 0), next)
				return wide(next)
			}, func() {
				// The stage that is written was last read in the iteration before, ahead of
				// its barrier.
				from = fetch(more, from, wide(write))
			})
			return append(append(v, next, read), from...)
		})
	})
	return work.sums(out[:n])
}

// ways returns how far the first of the whole tiles is from an operand's first, once for all operands
// that go the same way. It also returns which way is each one's.
func ways(b *emit.Builder, copies []copier, first *emit.Value) (way []int, from []*emit.Value) {
	same := map[int]int{}
	for _, c := range copies {
		n, known := same[c.along]
		if !known {
			n = len(from)
			from = append(from, b.Mul(first, c.step))
		}
		if c.along > 0 {
			same[c.along] = n
		}
		way = append(way, n)
	}
	return way, from
}

// warp describes to an operator what is a warp's own.
func (g *lowering) warp(b *emit.Builder, tiles []smemTile) warp {
	lane, number := b.And(g.tid, b.Int(31)), b.SReg("warpid", emit.Int64, emit.Warp)
	across, down := split(b, number, g.tile.BM/g.tile.WM)
	return warp{tiles, lane, times(b, down, g.tile.WM), times(b, across, g.tile.WN)}
}

// sources describe what is copied into a stage, one after the other: a's tile, b's, and what
// else an operator has.
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
