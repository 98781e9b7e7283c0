package tiling

import (
	"cmp"
	"slices"
)

// A Resource is what a product waits for.
type Resource string

// The resources of a [Prediction].
const (
	FMA      Resource = "fma"      // multiply-adds, those of empty lanes included
	Loads    Resource = "loads"    // the load ports, as far as they take longer than the multiply-adds
	Latency  Resource = "latency"  // of a multiply-add, where a tile has too few sums
	L2       Resource = "L2"       // bytes from and to the second cache
	L3       Resource = "L3"       //
	Memory   Resource = "memory"   //
	Packing  Resource = "packing"  // instructions that copy operands; the bytes are those of the caches
	Overhead Resource = "overhead" // calls, and the beginning and end of a tile
	Epilogue Resource = "epilogue" // its instructions
)

// Resources lists all of them in the order of [Prediction.Parts].
var Resources = []Resource{FMA, Loads, Latency, L2, L3, Memory, Packing, Overhead, Epilogue}

// Part is what a product takes for one resource.
type Part struct {
	Resource Resource
	Seconds  float64
}

// Prediction is how long a product should take.
type Prediction struct {
	Seconds float64
	GFLOPS  float64  // 2*M*N*K / Seconds / 1e9
	Share   float64  // of the ceiling of as many cores as work on it, 0 to 1
	Binding Resource // the part that takes longest
	Parts   []Part   // one for each of [Resources]; their sum is Seconds
}

// Of returns the seconds of one resource.
func (p *Prediction) Of(r Resource) float64 {
	if i := slices.Index(Resources, r); i >= 0 && i < len(p.Parts) {
		return p.Parts[i].Seconds
	}
	return 0
}

// Numbers of the model. Each is a property of the hardware or counted in the
// kernels, none is fitted to a size of product.
const (
	// fmaLatency stands in fixed.go: four cycles on all cores that we know, and what the
	// clock of a [Hardware] is measured by.

	// shownNear is the part of the time of streaming from L2 that multiply-adds do not
	// hide: the loop fetches a line 16 steps ahead, but a fill takes a turn of L1 from
	// the loads. Measured by one panel of 48 columns that fits into L1 and one that does
	// not: 0.05 to 0.1 cycles a line of 64 bytes at one line a cycle.
	shownNear = 0.07
	// shownFar is the same of L3 and memory, from skinny products whose big operand of
	// 4 MB is read once: .3 if the multiply-adds take twice as long as the bytes, .5 if
	// both take as long.
	shownFar = 0.4

	// mapped is how many bytes have their pages in the second TLB: 4096 of 4 KiB on Zen 5
	// (AMD's talk on that core at Hot Chips 2024); many have fewer. Of what is read again
	// after more than that nothing is hidden: skinny products whose big operand has 16 MB
	// take as long as their multiply-adds and a product of one row together, those of 4 MB
	// much less.
	mapped = 16 << 20

	// tileCycles is what a tile takes besides its steps: the jump out of the loop is
	// mispredicted, its stores wait for the last sums. Most is hidden behind the next
	// tile. Measured with k from 4 to 64 in L1.
	tileCycles = 15

	// productCycles is what a call of a product takes in Go: checks, the plan, the first
	// task. Measured with k = 1.
	productCycles = 640
	// smallCycles is the same of what is too small to be planned.
	smallCycles = 35

	// fixedCycles is the same of a kernel for one shape.
	fixedCycles = 30

	// callCycles is a call into assembly and what Go does around it: some 60
	// instructions and an indirect call.
	callCycles = 40

	// transposeCycles is what a register of a transposed copy takes: log2(lanes)
	// shuffles, a load, a store and two instructions for its address.
	transposeCycles = 3.7
	// joinCycles is what it takes to join the partial sums of one element of a dot kernel:
	// for each pair two shuffles and an addition, at two shuffles a cycle.
	joinCycles = 2.0
	// scatterCycles is an element that Go stores on its own.
	scatterCycles = 3.0
	// copyCycles is a register of a straight copy: a load and a store.
	copyCycles = 1.0

	// wake is how long it takes until a second goroutine works.
	wake = 5e-6
)

// Predict says how long the product takes on h if it ran before, so that its
// operands are in the nearest level of memory that holds them.
//
// The time is a sum of parts that do not overlap: copies, calls, what kernels compute,
// and what shows of the bytes they read meanwhile. If reading takes longer than
// computing, it is the computing that hardly shows; so a part is not what a resource is
// busy, but by how much the product would be faster without it.
func (p *Plan) Predict(h Hardware) Prediction {
	return predict(&h, p.cost(&h), 2*float64(p.M)*float64(p.N)*float64(p.K), p.Size, p.Threads)
}

// Predict says how long one call of a kernel for a fixed shape takes on h, whose sums
// have size bytes, with operands in L1: what [Machine.Cycles] says, and a call.
func (c Blocking) Predict(s Shape, size int, h Hardware) Prediction {
	m := Machine{Regs: 32, Lanes: h.Vector / size, Least: 16 / size}
	if h.Vector <= 32 {
		m.Regs, m.SlowMask = 16, true
	}
	fma := c.Bound(s)
	return predict(&h, costs{FMA: fma / h.Clock, Overhead: (max(0, m.Cycles(s, c)-fma) + fixedCycles) / h.Clock},
		2*float64(s.M)*float64(s.N)*float64(s.K), size, 1)
}

func predict(h *Hardware, c costs, flops float64, size, threads int) Prediction {
	out := Prediction{}
	for _, r := range Resources {
		out.Parts = append(out.Parts, Part{r, c[r]})
		out.Seconds += c[r]
	}
	if out.Seconds > 0 {
		out.GFLOPS = flops / out.Seconds / 1e9
		out.Share = flops / out.Seconds / (h.Ceiling(size) * float64(max(1, threads)))
	}
	out.Binding = slices.MaxFunc(out.Parts, func(a, b Part) int { return cmp.Compare(a.Seconds, b.Seconds) }).Resource
	return out
}
