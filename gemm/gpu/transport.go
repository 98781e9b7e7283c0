package gpu

import (
	"iter"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling"
)

// A transport brings tiles from global to shared memory, through a buffer of stages. The main loop
// multiplies what has arrived. It knows as little of how tiles travel as operators, schedules and
// epilogues do, so a transport is a file of its own.
type transport interface {
	// producers is how many warps do nothing but fetch. They come after those that multiply.
	// Without any, those that multiply fetch too.
	producers() int
	// shared is how many bytes of shared memory it takes after the stages.
	shared(stages int) int
	// open makes ready to bring the tiles of a piece. It describes operands one after the other.
	open(b *emit.Builder, p piece, t tiling.GPU, operands iter.Seq[source]) pipeline
}

// A pipeline is the tiles of a piece on their way. What a warp does depends on its role:
//
//	         once     in a turn for each step of K
//	produce  fetch    fetch
//	consume  arrive   release, arrive
//	both     arrive   release, fetch, arrive
//
// So one stage more arrives than there are steps. Nothing of it is multiplied.
type pipeline interface {
	// fetch begins to bring the tiles of the next step. All of the stage that they replace is released.
	fetch(b *emit.Builder)
	// arrive waits for the next stage, and returns its offset in shared memory.
	arrive(b *emit.Builder) *emit.Value
	// release says that the warp reads no more of the stage before the one that arrived last.
	release(b *emit.Builder)
	// turns appends the loop over the steps of K. Each turn is given what is carried and the offset
	// of the stage that arrived last. Then the pipeline is as open left it, for the other role.
	turns(b *emit.Builder, carried []*emit.Value, turn func(carried []*emit.Value, stage *emit.Value) []*emit.Value) []*emit.Value
}

// roles appends consume for the warps that multiply, and produce for those that only fetch, which
// have zeros in place of results.
func (g *lowering) roles(b *emit.Builder, consume func() []*emit.Value, produce func()) []*emit.Value {
	if g.transport.producers() == 0 {
		return consume()
	}
	multiplies := b.Cmp("lt", b.SReg("warpid", emit.Int64, emit.Warp), b.Int(int64(g.tile.Threads()/32)))
	var results []*emit.Value
	return b.If(multiplies, func() []*emit.Value {
		results = consume()
		return results
	}, func() (zeros []*emit.Value) {
		produce()
		for _, x := range results {
			zeros = append(zeros, zero(b, x.Type))
		}
		return zeros
	})
}

// consumers appends do for the warps that multiply.
func (g *lowering) consumers(b *emit.Builder, do func()) {
	g.roles(b, func() []*emit.Value {
		do()
		return nil
	}, func() {})
}

// zero returns the zero of a type of registers.
func zero(b *emit.Builder, t emit.Type) *emit.Value {
	one := t
	one.Regs = 0
	z := b.Const(one, 0)
	if t.Regs == 0 {
		return z
	}
	return b.Pack(slices.Repeat([]*emit.Value{z}, t.Regs)...)
}
