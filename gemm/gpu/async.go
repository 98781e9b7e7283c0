package gpu

import (
	"iter"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling"
)

// async is the transport by cp.async, and by loads and stores where strides are arbitrary. Each thread
// copies its share of a tile, Stages-1 tiles ahead.
type async struct{}

func (async) producers() int { return 0 }
func (async) shared(int) int { return 0 }

// asyncCopies are those of a piece.
//
// Only the last tile may end beyond K. It is copied by itself, between two rounds of the loop. The first
// round copies whole tiles. The second, which is the last Stages turns, copies nothing. So what asks for the
// end of K is outside of the loop. Groups of copies, which may be empty, count the same to the end.
type asyncCopies struct {
	piece
	tile   tiling.GPU
	copies []copier
	bytes  int           // of a stage
	way    []int         // of each operand, which of from it goes
	from   []*emit.Value // how far the next tile is from an operand's first

	first, last, count, stages *emit.Value // of steps, as i32
	few                        *emit.Value // whether all are copied ahead of the loop
	more                       *emit.Value // whether there is a whole tile that is to be copied

	// Where stages are: the one that is read, the one that is written, and the one that arrived last.
	// They begin again at wrap.
	read, write, next, wrap *emit.Value
}

func (async) open(b *emit.Builder, p piece, t tiling.GPU, operands iter.Seq[source]) pipeline {
	c := &asyncCopies{piece: p, tile: t}
	for s := range operands {
		c.copies = append(c.copies, newCopier(b, s))
		c.bytes += s.tile.bytes()
	}
	c.first, c.last, c.stages = b.Trunc(emit.I32, p.first), b.Trunc(emit.I32, p.last), int32Of(b, t.Stages)
	c.count = b.Sub(c.last, c.first)
	c.few = b.Cmp("le", c.count, c.stages)
	b.If(c.few, func() []*emit.Value {
		// Without any, the first is one of nothing but what stands beyond K.
		c.end(b, b.IMax(c.number(b), b.Int(0)), b.Mul(b.IMax(b.Sub(c.count, int32Of(b, 1)), int32Of(b, 0)), int32Of(b, c.bytes)))
		return nil
	}, nil)
	c.ways(b)
	for s := range t.Stages - 1 {
		c.whole(b, b.Cmp("gt", c.count, int32Of(b, s+1)), b.Int(int64(s*c.bytes)))
	}
	return c
}

// ways finds how far the first of the whole tiles is from an operand's first, once for all operands
// that go the same way.
func (c *asyncCopies) ways(b *emit.Builder) {
	same := map[int]int{}
	for _, o := range c.copies {
		n, known := same[o.along]
		if !known {
			n = len(c.from)
			c.from = append(c.from, b.Mul(c.piece.first, o.step))
		}
		if o.along > 0 {
			same[o.along] = n
		}
		c.way = append(c.way, n)
	}
}

// number is that of the last tile, from the first of K.
func (c *asyncCopies) number(b *emit.Builder) *emit.Value { return b.Sub(c.piece.last, b.Int(1)) }

// end copies the tile of a number to a stage; it may end beyond K.
func (c *asyncCopies) end(b *emit.Builder, number, stage *emit.Value) {
	stage = b.Zext(emit.I64, stage)
	k0 := times(b, number, c.tile.BK)
	for _, o := range c.copies {
		o.end(k0, stage)
	}
}

// whole copies the next whole tile to a stage, if there is more, as a group of copies.
func (c *asyncCopies) whole(b *emit.Builder, more, stage *emit.Value) {
	b.If(more, func() []*emit.Value {
		for j, o := range c.copies {
			o.whole(c.from[c.way[j]], stage)
		}
		return nil
	}, nil)
	b.Inst(inst.CpAsyncCommit, 0)
	next := slices.Clone(c.from)
	for j, o := range c.copies {
		next[c.way[j]] = b.Add(c.from[c.way[j]], o.step)
	}
	c.from = next
}

func (c *asyncCopies) fetch(b *emit.Builder) { c.whole(b, c.more, b.Zext(emit.I64, c.write)) }

func (c *asyncCopies) arrive(b *emit.Builder) *emit.Value {
	b.Inst(inst.CpAsyncWait, int64(c.tile.Stages-2))
	b.Inst(inst.BarSync, 0)
	if c.read == nil { // the first
		return b.Int(0)
	}
	next := b.Add(c.read, int32Of(b, c.bytes))
	c.next = b.Select(b.Cmp("eq", next, c.wrap), int32Of(b, 0), next)
	return b.Zext(emit.I64, c.next)
}

// release does nothing. A stage is written after the barrier of the turn that follows the one in which it was read.
func (c *asyncCopies) release(*emit.Builder) {}

func (c *asyncCopies) turns(b *emit.Builder, carried []*emit.Value, turn func(carried []*emit.Value, stage *emit.Value) []*emit.Value) []*emit.Value {
	n := len(carried)
	// There are no more stages than tiles, so a load ahead, after the last tile, reads something that was
	// written.
	c.wrap = b.Mul(b.IMin(c.count, c.stages), int32Of(b, c.bytes))
	carried = slices.Concat(carried, []*emit.Value{int32Of(b, 0), int32Of(b, c.bytes*(c.tile.Stages-1))}, c.from)
	middle := b.Select(c.few, c.first, b.Sub(c.last, c.stages))
	out := b.ForOnce(int32Of(b, 0), int32Of(b, 2), 1, carried, func(round *emit.Value, v []*emit.Value) []*emit.Value {
		c.more = b.Cmp("eq", round, int32Of(b, 0))
		b.If(b.Or(c.more, c.few), nil, func() []*emit.Value {
			c.end(b, c.number(b), v[n+1])
			return nil
		})
		return b.For(b.Select(c.more, c.first, middle), b.Select(c.more, middle, c.last), 1, v, func(_ *emit.Value, v []*emit.Value) []*emit.Value {
			c.read, c.write, c.from = v[n], v[n+1], v[n+2:]
			v = turn(v[:n], b.Zext(emit.I64, c.read))
			return slices.Concat(v, []*emit.Value{c.next, c.read}, c.from)
		})
	})
	return out[:n]
}
