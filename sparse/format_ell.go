package sparse

import (
	"fmt"
	"iter"
)

// ELL pads every row to w slots: no pointers, one index a slot, -1 where nothing is
// stored. It refuses a matrix with a longer row, and more padding than [MaxSlots] says.
//
//	. a . b      w = 2, j indices  1 3  -1 -1  2 -1
//	. . . .             slots      a b   . .   c .
//	. . c .
func ELL(w int) Format {
	name := fmt.Sprintf("ell%d", w)
	return withPacker(Format{
		Name: name,
		Axes: []Axis{{Name: "i"}, {Name: "j", Size: w, Sparse: true}},
		Walk: func(m int, a Arrays) iter.Seq[Entry] {
			return func(yield func(Entry) bool) {
				for k, j := range a.Levels[1].Indices {
					if j >= 0 && !yield(Entry{k / w, int(j), k}) {
						return
					}
				}
			}
		},
	}, func(s Structure) (Arrays, []int32, error) {
		if err := atLeast1(name, "the width", w); err != nil {
			return Arrays{}, nil, err
		}
		s = s.merged()
		for i, x := range s.first {
			if l := s.last[i] - x; int(l) > w {
				return Arrays{}, nil, fail(ErrFormat, name, "use hyb, sell or csr", "row %d has %d entries", i, l)
			}
		}
		total, err := s.slots(name, s.m, w)
		if err != nil {
			return Arrays{}, nil, err
		}
		indices, from := padding(total), padding(total)
		parallel(s.m, workers(total, 1<<14), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				at := i * w
				for k := s.first[i]; k < s.last[i]; k++ {
					indices[at], from[at] = s.columns[k], s.origin(k)
					at++
				}
			}
		})
		return Arrays{Slots: total, Levels: []Level{{Size: s.m}, {Size: w, Indices: indices}}}, from, nil
	})
}

// padding returns n indices of nothing.
func padding(n int) []int32 {
	s := make([]int32, n)
	for k := range s {
		s[k] = -1
	}
	return s
}
