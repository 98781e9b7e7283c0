package sparse

import "fmt"

// LongRows takes the rows of more than limit entries, as a DCSR in which such a row
// takes several positions of at most limit entries. One row with a third of a matrix is
// then no more work at a time than the others. The other rows are the rest.
func LongRows(limit int) Rule {
	name := fmt.Sprintf("longrows(%d)", limit)
	return Rule{Name: name, Split: func(s Structure) ([]Group, Structure, error) {
		if err := atLeast1(name, "the limit", limit); err != nil {
			return nil, Structure{}, err
		}
		const long, short = 0, 1
		parts := s.deal(2, func(r int, d *dealer) {
			first, last := s.first[r], s.last[r]
			if int(last-first) <= limit {
				d.put(short, first, last)
				return
			}
			for ; int(last-first) > limit; first += int32(limit) {
				d.put(long, first, first+int32(limit))
			}
			d.put(long, first, last)
		})
		return []Group{{Into: DCSR, Structure: parts[long]}}, parts[short], nil
	}}
}
