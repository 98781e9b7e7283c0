package tiling

import (
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Numbers of the model that do not belong to the machine: the instructions of our
// kernels and loops, and how much of a wait shows next to other work. None is fitted to
// a size of product.
const (
	// fmaLatency stands in fixed.go: what a sum waits for on most cores.

	// shownNear is the part of the time of streaming from L2 that multiply-adds do not
	// hide. A fill takes a turn of L1 from the loads. It was measured by one panel of 48
	// columns that fits into L1 and one that does not: 0.05 to 0.1 cycles a line of 64
	// bytes at one line a cycle.
	shownNear = 0.07
	// shownFar is the same for L3 and memory, from skinny products whose big operand of 4 MB
	// is read once. It is .3 if the multiply-adds take twice as long as the bytes, .5 if both
	// take as long. A block that such a product prefetches shows as well. Its kernels' reads
	// from L2 wait meanwhile for one of the few misses that L1 has under way, and the
	// prefetches take those. On Zen 4 it is .15 if neighbours leave memory alone, .5 if not.
	shownFar = 0.4
	// productCycles is what a call of a product takes in Go: checks, the plan, the first
	// task. Measured with k = 1.
	productCycles = 640
	// fusedCycles is the further cost of a call with an epilogue: its operands, their
	// overlaps, and the call of its kernel. reducedCycles is the cost of a reduction: its
	// partial results and their joins. Measured with products of 1 x 1 x 1: 180 to 560
	// cycles.
	fusedCycles   = 600
	reducedCycles = 350
	// smallCycles is the same of what is too small to be planned.
	smallCycles = 35
	// fixedCycles is the same of a kernel for one shape.
	fixedCycles = 30

	// callCycles is a call into assembly and what Go does around it: some 60
	// instructions and an indirect call.
	callCycles = 40

	// joinShuffles is the cost of joining the lanes of an element of a dot kernel. As many
	// vectors as have lanes make a pair less, and a pair takes two shuffles and an addition.
	joinShuffles = 2.0
	// scatterCycles is an element that Go stores on its own.
	scatterCycles = 3.0

	// wake is how long it takes until a second goroutine works.
	wake = 5e-6
)

// Predict returns how long the product takes on m if it ran before. Its operands are
// then in the nearest level of memory that holds them.
//
// The time is a sum of parts that do not overlap: copies, calls, computing, and what shows
// of the bytes that kernels read meanwhile. If reading takes longer than computing, the
// computing hardly shows. So a part is not how long a resource is busy, but how much faster
// the product would be without it.
//
// Of the resources of package cost there are FMA, where multiply-adds of empty lanes count; Loads, and instructions
// of any kind, as far as they take longer than the multiply-adds; Latency, where a tile has too few sums; L2 to
// Memory, and Pages, for bytes; and Packing, Overhead and Epilogue.
func (p *Plan) Predict(m *machine.Machine) cost.Prediction {
	return cost.Predict(p.cost(m), 2*float64(p.M)*float64(p.N)*float64(p.K*max(1, p.Depth)), p.Ceiling(m)*float64(max(1, p.Threads)))
}

// Step is how the kernels multiply on m, and Ceiling the operations a second of one core
// that does nothing else.
func (p *Plan) Step(m *machine.Machine) machine.Step { return m.Step(p.ISA, p.Depth, p.AtOnce) }
func (p *Plan) Ceiling(m *machine.Machine) float64 {
	return m.StepCeiling(p.ISA, p.Size, p.Step(m))
}

// Seconds is the time of Predict alone.
func (p *Plan) Seconds(m *machine.Machine) float64 {
	c := p.cost(m)
	return c.Total()
}

// Predict returns how long one call of a kernel for a fixed shape takes on m: the cycles of
// [Machine.Cycles] and a call. Operands are in L1, instructions are those of isa, and sums
// have size bytes.
func (c Blocking) Predict(s Shape, size int, isa string, m *machine.Machine) cost.Prediction {
	u := m.Of(isa)
	core := Machine{Regs: 32, Lanes: u.Vector / size, Least: 16 / size}
	if u.Vector <= 32 {
		core.Regs, core.SlowMask = 16, true
	}
	fma := c.Bound(s)
	var parts cost.Spent
	parts[cost.FMA], parts[cost.Overhead] = fma/m.Clock*2/u.FMA, (max(0, core.Cycles(s, c)-fma)+fixedCycles)/m.Clock
	return cost.Predict(parts, 2*float64(s.M)*float64(s.N)*float64(s.K), m.Ceiling(isa, size))
}
