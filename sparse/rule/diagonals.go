package rule

import (
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Diagonals takes, as [format.DIA], the diagonals of whose m slots, one a row, at least
// minFill are entries. At most 1-minFill of that part is padding. The other entries are
// the rest.
func Diagonals(minFill float64) Rule {
	name := ruleName("diagonals", minFill)
	return ruleOf(name, func(s runs.Set) ([]Group, runs.Set, error) {
		if err := checkFill(name, minFill); err != nil {
			return nil, runs.Set{}, err
		}
		count := runs.NewTally(s.M+s.N, s.NNZ)
		for r, first := range s.First {
			d := s.M - s.Row(r)
			for _, j := range s.Columns[first:s.Last[r]] {
				count.Add(d + int(j))
			}
		}
		marked := make([]bool, len(s.Columns))
		runs.Parallel(len(s.First), runs.Workers(s.NNZ, 1<<14), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				d := s.M - s.Row(r)
				for k := s.First[r]; k < s.Last[r]; k++ {
					marked[k] = enough(count.Of(d+int(s.Columns[k])), s.M, minFill)
				}
			}
		})
		return take(s, marked, format.DIA)
	})
}
