package tiling

import "github.com/tilesmith/tilesmith/tiling/cost"

// Micro is the shape of a micro-kernel's tile: MR rows of NV vectors.
type Micro struct{ MR, NV int }

// Registers chooses the tile for a machine with regs vector registers. It has MR*NV
// accumulators, NV registers for a row of B and one for a broadcast element of A.
//
// A square tile would have the fewest loads per multiply, (MR+NV)/(MR*NV). But a wide
// tile enlarges both the unit in which n is cut and the traffic of B's panel, which
// streams from L2. See docs/rationale/kernels.md, "The tile minimises loads, then
// traffic of B".
func Registers(regs int) Micro {
	var best cost.Best[Micro]
	for nv := 1; nv <= 3; nv++ {
		mr := (regs - nv - 1) / nv
		if mr < 1 || mr > 14 {
			continue
		}
		// Loads per multiply, and the bytes of B per multiply, 1/MR.
		best.Offer(Micro{mr, nv}, float64(mr+nv)/float64(mr*nv)+1/float64(mr))
	}
	if !best.Found {
		return Micro{1, 1}
	}
	return best.Plan
}
