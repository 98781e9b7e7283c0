package format

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// SELL is SELL-C-sigma. It cuts the rows into slices of c, pads each slice to its longest
// row, and stores it column by column. A vector of c lanes therefore works on c rows at
// once. Rows are first sorted by length, longest first, within windows of sigma rows.
// sigma must be a multiple of c, or 1, which leaves rows in place. SELL refuses more
// padding than [sparse.MaxSlots] says.
//
//	. a . b      c = 2, sigma = 4
//	. . . .      order       0 3  2 1       rows by length: 2 2 1 0
//	. . c .      p pointers  0 2 3          columns of each slice
//	d . e .      j indices   1 0  3 2  2 -1
//	             slots       a d  b e  c .
//
// Kreutzer et al., SIAM J. Sci. Comput. 36 (2014), C401.
func SELL(c, sigma int) Format {
	name := fmt.Sprintf("sell%d_%d", c, sigma)
	return withPacker(Format{
		Name:    name,
		Axes:    []Axis{{Name: "io"}, {Name: "p", Variable: true}, {Name: "ii", Size: c}, {Name: "j", Size: 1, Sparse: true}},
		Ordered: true,
	}, func(s runs.Set) (Arrays, []int32, error) {
		if err := runs.AtLeast1(name, "c", c); err != nil {
			return Arrays{}, nil, err
		}
		if sigma != 1 && (sigma < c || sigma%c != 0) {
			return Arrays{}, nil, sparse.Errorf(sparse.ErrFormat, name, "it is 1 or a multiple of c", "sigma is %d", sigma)
		}
		slices := runs.CeilDiv(s.M, c)
		if _, err := s.Slots(name, slices, c); err != nil {
			return Arrays{}, nil, err
		}
		s = s.Merged()
		length := func(i int32) int { return int(s.Last[i] - s.First[i]) }
		order := append(runs.LongestFirst(s.M, s.N, sigma, length), padding(slices*c-s.M)...)

		pointers := make([]int32, slices+1)
		for t := range slices {
			width := 0
			for _, i := range order[t*c : t*c+c] {
				if i >= 0 {
					width = max(width, length(i))
				}
			}
			if _, err := s.Slots(name, int(pointers[t])+width, c); err != nil {
				return Arrays{}, nil, err
			}
			pointers[t+1] = pointers[t] + int32(width)
		}
		total := int(pointers[slices]) * c
		indices, from := padding(total), padding(total)
		runs.Parallel(slices, runs.Workers(total, 1<<14), func(_, lo, hi int) {
			for position := lo * c; position < hi*c; position++ {
				i := order[position]
				if i < 0 {
					continue
				}
				slot := int(pointers[position/c])*c + position%c
				for k := s.First[i]; k < s.Last[i]; k++ {
					indices[slot], from[slot] = s.Columns[k], s.Origin(k)
					slot += c
				}
			}
		})
		return Arrays{Slots: total, Order: order,
			Levels: []Level{{Size: slices}, {Pointers: pointers}, {Size: c}, {Size: 1, Indices: indices}}}, from, nil
	})
}
