package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A stage is what an operator does with the tiles of a stage, which lie in shared memory:
// the main loop brings them there, and knows nothing of registers.
type stage interface {
	// begin returns what is carried through the loop, the first stage having arrived at
	// offset first.
	begin(b *emit.Builder, first *emit.Value) []*emit.Value
	// turn multiplies the tiles of the stage at read. It calls next once, which waits until
	// the stage after it has arrived and returns that one's offset, and ahead once, which
	// begins to copy into a stage that nobody reads any more.
	turn(b *emit.Builder, carried []*emit.Value, read *emit.Value, next func() *emit.Value, ahead func()) []*emit.Value
	// sums picks the sums out of what is carried.
	sums(carried []*emit.Value) []*emit.Value
}

// warp is what an operator is told of a warp: the tiles of a stage, b's after a's, and where
// its own part of them begins.
type warp struct {
	a, b smemTile
	lane *emit.Value
	m, n *emit.Value
}

// registers are operands that are multiplied out of registers: those of a step are loaded
// while those of the step before are multiplied, also across stages.
type registers struct {
	k    int // the depth of one step
	a, b reads
	// Identity returns the sums to begin with.
	identity func(b *emit.Builder) []*emit.Value
	// step returns the sums with one step's products added.
	step func(b *emit.Builder, acc, x, y []*emit.Value) []*emit.Value
}

// reads are the loads of one operand in a step.
type reads struct {
	lane func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value)
	at   []coordinate
	// align is what is known of the addresses.
	align int
	// load reads what one of at points at.
	load func(b *emit.Builder, a emit.Addr) []*emit.Value
}

// coordinate is that of an element of a tile.
type coordinate struct{ mn, k int }

func (r registers) stage(b *emit.Builder, w warp) stage {
	s := &stepped{registers: r, steps: w.a.k / r.k}
	s.loadA = r.loader(b, w.a, 0, r.a, w.lane, w.m, s.steps)
	s.loadB = r.loader(b, w.b, w.a.bytes(), r.b, w.lane, w.n, s.steps)
	return s
}

// stepped is a stage in steps.
type stepped struct {
	registers
	steps        int
	loadA, loadB func(stage *emit.Value, step int) []*emit.Value
	na, nx       int // how many values are sums, and operands of a
}

func (s *stepped) begin(b *emit.Builder, first *emit.Value) []*emit.Value {
	acc := s.identity(b)
	x, y := s.loadA(first, 0), s.loadB(first, 0)
	s.na, s.nx = len(acc), len(x)
	return slices.Concat(acc, x, y)
}

func (s *stepped) turn(b *emit.Builder, v []*emit.Value, read *emit.Value, next func() *emit.Value, ahead func()) []*emit.Value {
	acc, x, y := v[:s.na], v[s.na:s.na+s.nx], v[s.na+s.nx:]
	if s.steps == 1 {
		ahead()
	}
	from := read
	for i := range s.steps {
		if i == s.steps-1 {
			from = next()
		}
		nx, ny := s.loadA(from, (i+1)%s.steps), s.loadB(from, (i+1)%s.steps)
		if i == 0 && s.steps > 1 {
			ahead()
		}
		acc = s.step(b, acc, x, y)
		x, y = nx, ny
	}
	return slices.Concat(acc, x, y)
}

func (s *stepped) sums(v []*emit.Value) []*emit.Value { return v[:s.na] }

// loader returns what loads the operands of one step of a stage; mn is where the
// warp's part of the tile begins.
func (r registers) loader(b *emit.Builder, t smemTile, region int, from reads, lane, mn *emit.Value, steps int) func(stage *emit.Value, step int) []*emit.Value {
	offs := make([][]int, steps)
	var all []int
	for s := range offs {
		for _, p := range from.at {
			offs[s] = append(offs[s], t.at(p.mn, p.k+s*r.k))
		}
		all = append(all, offs[s]...)
	}
	lmn, lk := from.lane(b, lane)
	addr := newSmemAddr(b, region, t.value(b, b.Or(mn, lmn), lk), from.align, all)
	return func(stage *emit.Value, step int) (x []*emit.Value) {
		at := addr.in(b, stage)
		for _, off := range offs[step] {
			x = append(x, from.load(b, at(off))...)
		}
		return x
	}
}
