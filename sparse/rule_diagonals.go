package sparse

// Diagonals takes, as [DIA], the diagonals of whose m slots, one a row, at least
// minFill are entries. At most 1-minFill of that part is padding. The other entries are
// the rest.
func Diagonals(minFill float64) Rule {
	name := ruleName("diagonals", minFill)
	return Rule{Name: name, Split: func(s Structure) ([]Group, Structure, error) {
		if err := checkFill(name, minFill); err != nil {
			return nil, Structure{}, err
		}
		count := newTally(s.m+s.n, s.nnz)
		for r, first := range s.first {
			d := s.m - s.row(r)
			for _, j := range s.columns[first:s.last[r]] {
				count.add(d + int(j))
			}
		}
		marked := make([]bool, len(s.columns))
		parallel(len(s.first), workers(s.nnz, 1<<14), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				d := s.m - s.row(r)
				for k := s.first[r]; k < s.last[r]; k++ {
					marked[k] = enough(count.of(d+int(s.columns[k])), s.m, minFill)
				}
			}
		})
		return s.take(marked, DIA)
	}}
}
