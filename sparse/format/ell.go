package format

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// ELL pads every row to w slots: no pointers, one index a slot, -1 where nothing is
// stored. It refuses a matrix with a longer row, and more padding than [sparse.MaxSlots] says.
//
//	. a . b      w = 2, j indices  1 3  -1 -1  2 -1
//	. . . .             slots      a b   . .   c .
//	. . c .
func ELL(w int) Format {
	name := fmt.Sprintf("ell%d", w)
	return withPacker(Format{
		Name: name,
		Axes: []Axis{{Name: "i"}, {Name: "j", Size: w, Sparse: true}},
	}, func(s runs.Set) (Arrays, []int32, error) {
		if err := runs.AtLeast1(name, "the width", w); err != nil {
			return Arrays{}, nil, err
		}
		s = s.Merged()
		for i, x := range s.First {
			if l := s.Last[i] - x; int(l) > w {
				return Arrays{}, nil, sparse.Errorf(sparse.ErrFormat, name, "use hyb, sell or csr", "row %d has %d entries", i, l)
			}
		}
		total, err := s.Slots(name, s.M, w)
		if err != nil {
			return Arrays{}, nil, err
		}
		indices, from := padding(total), padding(total)
		runs.Parallel(s.M, runs.Workers(total, 1<<14), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				at := i * w
				for k := s.First[i]; k < s.Last[i]; k++ {
					indices[at], from[at] = s.Columns[k], s.Origin(k)
					at++
				}
			}
		})
		return Arrays{Slots: total, Levels: []Level{{Size: s.M}, {Size: w, Indices: indices}}}, from, nil
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
