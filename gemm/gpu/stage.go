package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A stage is what an operator does with the tiles of a stage, which lie in shared memory.
// A transport brings them there; the main loop knows nothing of registers.
type stage interface {
	// begin returns what is carried through the loop, the first stage having arrived at
	// offset first.
	begin(b *emit.Builder, first *emit.Value) []*emit.Value
	// turn multiplies the tiles of the stage at read. It calls next once, which waits until
	// the stage after it has arrived and returns that one's offset. It calls ahead once,
	// which begins to copy into a stage that nobody reads any more.
	turn(b *emit.Builder, carried []*emit.Value, read *emit.Value, next func() *emit.Value, ahead func()) []*emit.Value
	// sums picks the sums out of what is carried.
	sums(carried []*emit.Value) []*emit.Value
}

// warp is what an operator is told of a warp: the tiles of a stage, a's, b's and any others,
// and where its own part of them begins.
type warp struct {
	tiles []smemTile
	lane  *emit.Value
	m, n  *emit.Value
}

// registers are operands that are multiplied out of registers. Those of a step are loaded
// while those of the step before are multiplied, also across stages.
type registers struct {
	operands []reads // of the tiles of a stage, in their order
	// Identity returns the sums to begin with.
	identity func(b *emit.Builder) []*emit.Value
	// step returns the sums with one step's products added.
	step func(b *emit.Builder, acc []*emit.Value, x [][]*emit.Value) []*emit.Value
}

// reads are the loads of one operand in a step.
type reads struct {
	k int // the depth of one step
	// rows is how many of the operand are one line of the tile along mn; 0 is 1.
	rows int
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
	s := &stepped{registers: r, steps: w.tiles[0].k / r.operands[0].k}
	region := 0
	for i, from := range r.operands {
		mn := w.m
		if i == 1 {
			mn = w.n
		}
		if from.rows > 1 {
			mn = b.Shr(mn, b.Int(int64(log2(from.rows))))
		}
		s.loads = append(s.loads, from.loader(b, w.tiles[i], region, w.lane, mn, s.steps))
		region += w.tiles[i].bytes()
	}
	return s
}

// stepped is a stage in steps.
type stepped struct {
	registers
	steps int
	loads []func(stage *emit.Value, step int) []*emit.Value
	na    int   // how many values are sums
	nx    []int // and of each operand
}

// load loads the operands of a step.
func (s *stepped) load(stage *emit.Value, step int) (x [][]*emit.Value) {
	for _, l := range s.loads {
		x = append(x, l(stage, step))
	}
	return x
}

func (s *stepped) begin(b *emit.Builder, first *emit.Value) []*emit.Value {
	acc := s.identity(b)
	x := s.load(first, 0)
	s.na = len(acc)
	for _, v := range x {
		s.nx = append(s.nx, len(v))
	}
	return append(acc, slices.Concat(x...)...)
}

func (s *stepped) turn(b *emit.Builder, v []*emit.Value, read *emit.Value, next func() *emit.Value, ahead func()) []*emit.Value {
	acc, v := v[:s.na], v[s.na:]
	var x [][]*emit.Value
	for _, n := range s.nx {
		x, v = append(x, v[:n]), v[n:]
	}
	// First of all, for it is a branch: over one ptxas computes the addresses of loads, which otherwise have the stage in them.
	ahead()
	from := read
	for i := range s.steps {
		if i == s.steps-1 {
			from = next()
		}
		loaded := s.load(from, (i+1)%s.steps)
		acc = s.step(b, acc, x)
		x = loaded
	}
	return append(slices.Clone(acc), slices.Concat(x...)...)
}

func (s *stepped) sums(v []*emit.Value) []*emit.Value { return v[:s.na] }

// loader returns what loads the operands of one step of a stage; mn is where the
// warp's part of the tile begins.
func (r reads) loader(b *emit.Builder, t smemTile, region int, lane, mn *emit.Value, steps int) func(stage *emit.Value, step int) []*emit.Value {
	offs := make([][]int, steps)
	var all []int
	for s := range offs {
		for _, p := range r.at {
			offs[s] = append(offs[s], t.at(p.mn, p.k+s*r.k))
		}
		all = append(all, offs[s]...)
	}
	lmn, lk := r.lane(b, lane)
	addr := newSmemAddr(b, region, t.value(b, b.Or(mn, lmn), lk), r.align, all)
	return func(stage *emit.Value, step int) (x []*emit.Value) {
		at := addr.in(b, stage)
		for _, off := range offs[step] {
			x = append(x, r.load(b, at(off))...)
		}
		return x
	}
}
