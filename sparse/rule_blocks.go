package sparse

// Blocks takes the blocks of b x b slots with at least minFill entries, as [DBSR]. At
// most 1-minFill of that part is padding, and the dense micro-kernel can multiply it.
// Blocks at the edge that reach beyond the matrix count whole. The other entries are
// the rest.
func Blocks(b int, minFill float64) Rule {
	name := ruleName("blocks", b, minFill)
	return Rule{Name: name, Split: func(s Structure) ([]Group, Structure, error) {
		if err := checkFill(name, minFill); err != nil {
			return nil, Structure{}, err
		}
		if err := atLeast1(name, "the block size", b); err != nil {
			return nil, Structure{}, err
		}
		s = s.merged()
		marked := make([]bool, len(s.columns))
		least := minFill * float64(b) * float64(b)
		chunks := workers(s.nnz, 1<<14)
		parallel(ceilDiv(s.m, b), chunks, func(_, lo, hi int) {
			count := newTally(ceilDiv(s.n, b), s.nnz/chunks) // of a block row, by block
			width := uint32(min(b, MaxDim))
			for io := lo; io < hi; io++ {
				i0 := io * b
				i1 := min(s.m, i0+min(b, s.m))
				all := s.columns[s.first[i0]:s.last[i1-1]] // rows follow each other in a merged structure
				for _, j := range all {
					count.add(int(uint32(j) / width))
				}
				for k, j := range all {
					marked[int(s.first[i0])+k] = float64(count.of(int(uint32(j)/width))) >= least
				}
				for _, j := range all {
					count.set(int(uint32(j)/width), 0)
				}
			}
		})
		return s.take(marked, DBSR(b))
	}}
}
