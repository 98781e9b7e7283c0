package rule

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// LongRows takes the rows of more than limit entries, as a DCSR in which such a row
// takes several positions of at most limit entries. One row with a third of a matrix is
// then no more work at a time than the others. The other rows are the rest.
func LongRows(limit int) Rule {
	name := fmt.Sprintf("longrows(%d)", limit)
	return ruleOf(name, func(s runs.Set) ([]Group, runs.Set, error) {
		if err := runs.AtLeast1(name, "the limit", limit); err != nil {
			return nil, runs.Set{}, err
		}
		const long, short = 0, 1
		parts := s.Deal(2, func(r int, d *runs.Dealer) {
			first, last := s.First[r], s.Last[r]
			if int(last-first) <= limit {
				d.Put(short, first, last)
				return
			}
			for ; int(last-first) > limit; first += int32(limit) {
				d.Put(long, first, first+int32(limit))
			}
			d.Put(long, first, last)
		})
		return []Group{{Into: format.DCSR, Structure: Structure{parts[long]}}}, parts[short], nil
	})
}
