package advise

import (
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/tiling"
)

// foresight is how many jumps a core may know by heart once it has seen them: branch
// predictors have tables of some ten thousand entries.
const foresight = 1 << 14

// forgotten is the share of so many jumps that a core no longer knows when a product
// comes again. A predictor's table is hashed, so that what makes room is as good as random.
func forgotten(jumps int) float64 { return 1 - tiling.Kept(float64(jumps)/foresight) }

// surprises returns how many ends of loops over rows are mispredicted jumps. A row of n
// entries has a loop over n/u and, if u is more than 1, one over those that are left.
// Predictors look a length up by those of the rows before, as in Yeh and Patt (MICRO 1991).
// If rows are all the rows of a product, those that a core still knows are no surprise.
func surprises(s runs.Set, u, all int) float64 {
	const bits = 13
	table := make([]int32, 1<<bits)
	count, h := 0, uint32(0)
	for r, x := range s.First {
		n := s.Last[r] - x
		at := &table[h*0x9E3779B1>>(32-bits)]
		if u > 1 && *at%int32(u) != n%int32(u) {
			count++
		}
		if *at/int32(u) != n/int32(u) {
			count++
		}
		*at = n
		h = (h<<10 ^ uint32(n)) & (1<<30 - 1) // of the last three rows
	}
	if u > 1 {
		all *= 2
	}
	return float64(count) * forgotten(all)
}
