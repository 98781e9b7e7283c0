package gpu

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A scheduler says which pieces of a product a CTA has. Operators, transports and epilogues
// know nothing of it: they are given a tile and a range of K.
type scheduler interface {
	// pieces appends do for each piece of the CTA.
	pieces(g *lowering, b *emit.Builder, do func(p piece))
	// param returns a parameter of the product that the piece is of.
	param(b *emit.Builder, name string, t emit.Type) *emit.Value
	// hold makes parameters ready that a loop takes in each turn.
	hold(b *emit.Builder, names []string)
}

// launched are the parameters of a launch that is one product, or a batch of products of one shape.
type launched struct{}

func (launched) param(b *emit.Builder, name string, t emit.Type) *emit.Value { return b.Param(name, t) }
func (launched) hold(*emit.Builder, []string)                                {}

// A piece is a tile, or some of its steps of K.
type piece struct {
	tile        *emit.Value // its number in the order of [lowering.find], an i32
	first, last *emit.Value // steps of BK: the first, and the one after the last, which begins in K
	end         *emit.Value // nothing of K is read from here on
	// part, if not nil, tells pieces that are parts of a tile: their sums are kept at place.
	part  *emit.Value
	place *emit.Value
}

// wholeTiles gives each CTA one tile with all of K.
type wholeTiles struct{ launched }

func (wholeTiles) pieces(g *lowering, b *emit.Builder, do func(p piece)) {
	k, steps := g.depth(b)
	do(piece{tile: b.SReg("ctaid.x", emit.Int32, emit.CTA), first: b.Int(0), last: steps, end: k})
}

// depth returns K, and how many steps of BK that is.
func (g *lowering) depth(b *emit.Builder) (k, steps *emit.Value) {
	k = g.schedule.param(b, "k", emit.Int64)
	return k, b.Shr(b.Add(k, b.Int(int64(g.tile.BK-1))), b.Int(int64(log2(g.tile.BK))))
}

// spans gives each CTA a span of the steps of all tiles, one tile's after the other's:
//
//	steps  0 1 2 3 4 5|0 1 2 3 4 5|0 1 2 3 4 5
//	tile   0          |1          |2
//	CTA    0       |1        |2       |3
//
// A tile within one span ends there. Otherwise the sums of its parts are kept. The parts
// lie in consecutive CTAs in the order of K, and the kernel of [lowering.addParts] adds
// them in that order. The bits of the result depend on the shape, the tile and the span
// only. If spans end where tiles do it is split-K, else stream-K.
//
// A CTA has parts of two tiles at most, the first that it has and the last. The place of
// the first is 2*CTA; the last begins in this CTA, and its is 2*CTA + 1.
type spans struct{ launched }

// The parameters of spans, which lie behind those of all kernels: kernel.GPUArgParts etc.
const (
	argParts, argPartsBatch   = "parts", "bsparts"
	argSteps, argSpan, argAll = "steps", "span", "all"
)

const (
	partAlign     = 16 // bytes that a thread moves at once
	partsInFlight = 4  // such chunks
)

func (spans) pieces(g *lowering, b *emit.Builder, do func(p piece)) {
	i32 := func(name string) *emit.Value { return b.Param(name, emit.Int32) }
	steps, one := i32(argSteps), int32Of(b, 1)
	cta := b.SReg("ctaid.x", emit.Int32, emit.CTA)
	from := b.Mul(cta, i32(argSpan))
	to := b.IMin(b.Add(from, i32(argSpan)), i32(argAll))
	b.For(b.UDiv(from, steps), b.Add(b.UDiv(b.Sub(to, one), steps), one), 1, nil, func(tile *emit.Value, _ []*emit.Value) []*emit.Value {
		begin := b.Mul(tile, steps)
		first, last := b.IMax(b.Sub(from, begin), int32Of(b, 0)), b.IMin(b.Sub(to, begin), steps)
		wide := func(x *emit.Value) *emit.Value { return b.Zext(emit.I64, x) }
		k, whole := g.depth(b)
		p := piece{tile: tile, first: wide(first), last: b.IMin(wide(last), whole)} // spans of one length may go on behind K
		p.end = b.IMin(k, times(b, p.last, g.tile.BK))
		p.part = b.Cmp("ne", b.Sub(last, first), steps)
		p.place = g.place(b, cta, later(b, from, begin))
		do(p)
		b.Inst(inst.BarSync, 0) // the next piece is copied to where this one's sums are
		return nil
	})
}

// later returns 1 for the second place of a CTA whose span begins at from and which has a
// part of the tile that begins at begin, else 0.
func later(b *emit.Builder, from, begin *emit.Value) *emit.Value {
	return b.Select(b.Cmp("lt", from, begin), int32Of(b, 1), int32Of(b, 0))
}

// place returns where a CTA keeps the sums of a part: its place 0 or 1.
func (g *lowering) place(b *emit.Builder, cta, which *emit.Value) *emit.Value {
	n := b.Add(b.Mul(cta, int32Of(b, kernel.GPUPartsOfCTA)), which)
	p := b.AddPAligned(b.Param(argParts, emit.Pointer(emit.Global, partAlign)), b.Mul(g.batch, b.Param(argPartsBatch, emit.Int64)), partAlign)
	return b.AddPAligned(p, b.Mul(b.Zext(emit.I64, n), b.Int(int64(g.sumsBytes()))), partAlign)
}

// chunksOfSums calls do with the offsets of the 16 bytes of a tile's sums that a thread
// has, some at a time.
func (g *lowering) chunksOfSums(b *emit.Builder, do func(offs []*emit.Value)) {
	n := g.sumsBytes() / partAlign / g.tile.Threads()
	step := min(n, partsInFlight)
	mine := times(b, g.tid, partAlign)
	b.ForOnce(b.Int(0), b.Int(int64(n)), int64(step), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
		first := b.Add(mine, b.Mul(i, b.Int(int64(partAlign*g.tile.Threads()))))
		offs := make([]*emit.Value, step)
		for j := range offs {
			offs[j] = b.Add(first, b.Int(int64(j*partAlign*g.tile.Threads())))
		}
		do(offs)
		return nil
	})
}

// chunkType is a chunk of sums.
func (g *lowering) chunkType() emit.Type {
	return emit.Vector(g.op.Sum(), partAlign/g.op.Sum().Bytes())
}

// keepSums copies the sums from where they are laid out to place, as they lie.
func (g *lowering) keepSums(b *emit.Builder, place *emit.Value) {
	sums := b.Shared(0, partAlign)
	g.chunksOfSums(b, func(offs []*emit.Value) {
		var x []*emit.Value
		for _, off := range offs {
			x = append(x, b.Load(g.chunkType(), emit.At(b.AddPAligned(sums, off, partAlign), 0)))
		}
		for j, off := range offs {
			b.Store(x[j], emit.At(b.AddPAligned(place, off, partAlign), 0))
		}
	})
}

// partsKernel is the kernel of addParts.
func (g *lowering) partsKernel(name string) (*emit.Func, error) {
	f, err := emit.Build(name, g.args(), g.addParts)
	if err != nil {
		return nil, err
	}
	f.Doc = name + " adds up the sums of parts of tiles, and ends those."
	f.Threads, f.Shared = g.tile.Threads(), g.endBytes()
	return f, nil
}

// addParts appends the kernel that ends tiles of which there are parts, a CTA for each tile.
func (g *lowering) addParts(b *emit.Builder) {
	g.tid = b.SReg("tid.x", emit.Int64, emit.Thread)
	g.batch = b.SReg("ctaid.z", emit.Int64, emit.CTA)
	tile := b.SReg("ctaid.x", emit.Int32, emit.CTA)
	i32 := func(name string) *emit.Value { return b.Param(name, emit.Int32) }
	steps, span, one := i32(argSteps), i32(argSpan), int32Of(b, 1)
	begin := b.Mul(tile, steps)
	first, last := b.UDiv(begin, span), b.UDiv(b.Sub(b.Add(begin, steps), one), span)
	b.If(b.Cmp("ne", first, last), func() []*emit.Value {
		g.find(b, tile)
		// For all CTAs but the first it is the first tile.
		place := g.place(b, first, later(b, b.Mul(first, span), begin))
		next := g.place(b, b.Add(first, one), int32Of(b, 0))
		sums := b.Shared(0, partAlign)
		g.chunksOfSums(b, func(offs []*emit.Value) {
			load := func(from *emit.Value) (x []*emit.Value) {
				for _, off := range offs {
					x = append(x, lanesOf(b, b.Load(g.chunkType(), emit.At(b.AddPAligned(from, off, partAlign), 0)))...)
				}
				return x
			}
			carried := append(load(place), next)
			n := len(carried) - 1
			total := b.ForOnce(first, last, 1, carried, func(_ *emit.Value, v []*emit.Value) []*emit.Value {
				var sums []*emit.Value
				for i, x := range load(v[n]) {
					sums = append(sums, g.op.Join(b, v[i], x))
				}
				return append(sums, b.AddPAligned(v[n], b.Int(int64(kernel.GPUPartsOfCTA*g.sumsBytes())), partAlign))
			})
			for j, off := range offs {
				each := g.chunkType().Lanes
				b.Store(vectorOf(b, total[j*each:(j+1)*each]), emit.At(b.AddPAligned(sums, off, partAlign), 0))
			}
		})
		b.Inst(inst.BarSync, 0)
		g.finish(b)
		return nil
	}, nil)
}

// find computes where a tile is. Consecutive tiles are GroupM of a
// column before those of the next, down a band of GroupM tiles and then right:
//
//	0 3 6 | band of 3 tiles, the last one may be lower
//	1 4 7 |
//	2 5 8 |
//	9 ...
func (g *lowering) find(b *emit.Builder, tile *emit.Value) {
	div := func(x, y *emit.Value) (q, r *emit.Value) {
		q = b.UDiv(x, y)
		return q, b.Sub(x, b.Mul(q, y))
	}
	tm, tn := g.schedule.param(b, "tm", emit.Int32), g.schedule.param(b, "tn", emit.Int32)
	band, rest := div(tile, b.Mul(tn, int32Of(b, tiling.GroupM)))
	top := b.Mul(band, int32Of(b, tiling.GroupM))
	right, down := div(rest, b.IMin(b.Sub(tm, top), int32Of(b, tiling.GroupM)))
	g.m0, g.n0 = times(b, b.Zext(emit.I64, b.Add(top, down)), g.tile.BM), times(b, b.Zext(emit.I64, right), g.tile.BN)
}
