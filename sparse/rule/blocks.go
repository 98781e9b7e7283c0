package rule

import (
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Blocks takes the blocks of b x b slots with at least minFill entries, as [format.DBSR]. At
// most 1-minFill of that part is padding, and the dense micro-kernel can multiply it.
// Blocks at the edge that reach beyond the matrix count whole. The other entries are
// the rest.
func Blocks(b int, minFill float64) Rule {
	name := ruleName("blocks", b, minFill)
	return ruleOf(name, func(s runs.Set) ([]Group, runs.Set, error) {
		if err := checkFill(name, minFill); err != nil {
			return nil, runs.Set{}, err
		}
		if err := runs.AtLeast1(name, "the block size", b); err != nil {
			return nil, runs.Set{}, err
		}
		s = s.Merged()
		marked := make([]bool, len(s.Columns))
		least := minFill * float64(b) * float64(b)
		chunks := runs.Workers(s.NNZ, 1<<14)
		runs.Parallel(runs.CeilDiv(s.M, b), chunks, func(_, lo, hi int) {
			count := runs.NewTally(runs.CeilDiv(s.N, b), s.NNZ/chunks) // of a block row, by block
			width := uint32(min(b, sparse.MaxDim))
			for io := lo; io < hi; io++ {
				i0 := io * b
				i1 := min(s.M, i0+min(b, s.M))
				all := s.Columns[s.First[i0]:s.Last[i1-1]] // rows follow each other in a merged structure
				for _, j := range all {
					count.Add(int(uint32(j) / width))
				}
				for k, j := range all {
					marked[int(s.First[i0])+k] = float64(count.Of(int(uint32(j)/width))) >= least
				}
				for _, j := range all {
					count.Set(int(uint32(j)/width), 0)
				}
			}
		})
		return take(s, marked, format.DBSR(b))
	})
}
