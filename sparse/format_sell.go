package sparse

import (
	"fmt"
	"iter"
)

// SELL is SELL-C-sigma. It cuts the rows into slices of c, pads each slice to its longest
// row, and stores it column by column. A vector of c lanes therefore works on c rows at
// once. Rows are first sorted by length, longest first, within windows of sigma rows.
// sigma must be a multiple of c, or 1, which leaves rows in place. SELL refuses more
// padding than [MaxSlots] says.
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
		Walk: func(_ int, a Arrays) iter.Seq[Entry] {
			return func(yield func(Entry) bool) {
				pointers, indices := a.Levels[1].Pointers, a.Levels[3].Indices
				for s := range a.Levels[0].Size {
					for k := int(pointers[s]) * c; k < int(pointers[s+1])*c; k++ {
						if indices[k] >= 0 && !yield(Entry{int(a.Order[s*c+k%c]), int(indices[k]), k}) {
							return
						}
					}
				}
			}
		},
	}, func(s Structure) (Arrays, []int32, error) {
		if err := atLeast1(name, "c", c); err != nil {
			return Arrays{}, nil, err
		}
		if sigma != 1 && (sigma < c || sigma%c != 0) {
			return Arrays{}, nil, fail(ErrFormat, name, "it is 1 or a multiple of c", "sigma is %d", sigma)
		}
		slices := ceilDiv(s.m, c)
		if _, err := s.slots(name, slices, c); err != nil {
			return Arrays{}, nil, err
		}
		s = s.merged()
		length := func(i int32) int { return int(s.last[i] - s.first[i]) }
		order := append(longestFirst(s.m, s.n, sigma, length), padding(slices*c-s.m)...)

		pointers := make([]int32, slices+1)
		for t := range slices {
			width := 0
			for _, i := range order[t*c : t*c+c] {
				if i >= 0 {
					width = max(width, length(i))
				}
			}
			if _, err := s.slots(name, int(pointers[t])+width, c); err != nil {
				return Arrays{}, nil, err
			}
			pointers[t+1] = pointers[t] + int32(width)
		}
		total := int(pointers[slices]) * c
		indices, from := padding(total), padding(total)
		parallel(slices, workers(total, 1<<14), func(_, lo, hi int) {
			for position := lo * c; position < hi*c; position++ {
				i := order[position]
				if i < 0 {
					continue
				}
				slot := int(pointers[position/c])*c + position%c
				for k := s.first[i]; k < s.last[i]; k++ {
					indices[slot], from[slot] = s.columns[k], s.origin(k)
					slot += c
				}
			}
		})
		return Arrays{Slots: total, Order: order,
			Levels: []Level{{Size: slices}, {Pointers: pointers}, {Size: c}, {Size: 1, Indices: indices}}}, from, nil
	})
}

// longestFirst returns the rows in windows of sigma, in each the longest first, and
// equally long ones in their order. length is at most n.
func longestFirst(m, n, sigma int, length func(i int32) int) []int32 {
	order := sequence(m)
	if sigma == 1 {
		return order
	}
	order = sortBy(order, n+1, func(i int32) int { return n - length(i) })
	return sortBy(order, ceilDiv(m, sigma), func(i int32) int { return int(i) / sigma })
}
