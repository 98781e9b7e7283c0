package sparse

import (
	"fmt"
	"iter"
)

// ELL pads every row to w slots: no pointers, one index a slot, -1 where nothing is
// stored. It refuses a matrix with a longer row.
//
//	. a . b      w = 2, j indices  1 3  -1 -1  2 -1
//	. . . .             slots      a b   . .   c .
//	. . c .
func ELL(w int) Format {
	name := fmt.Sprintf("ell%d", w)
	return Format{
		Name: name,
		Axes: []Axis{{Name: "i"}, {Name: "j", Size: w, Sparse: true}},
		Build: func(m, n int, in []Entry) (Arrays, error) {
			if err := ordered(name, m, n, in); err != nil {
				return Arrays{}, err
			}
			if err := atLeast1(name, "the width", w); err != nil {
				return Arrays{}, err
			}
			pointers := starts(m, in, rowOf)
			for i := range m {
				if l := pointers[i+1] - pointers[i]; int(l) > w {
					return Arrays{}, fail(ErrFormat, name, "use sell or csr", "row %d has %d entries", i, l)
				}
			}
			total, err := slots(name, m, w)
			if err != nil {
				return Arrays{}, err
			}
			indices := padding(total)
			for k, e := range in {
				indices[e.I*w+k-int(pointers[e.I])] = int32(e.J)
			}
			return Arrays{Slots: total, Levels: []Level{{Size: m}, {Size: w, Indices: indices}}}, nil
		},
		Walk: func(m int, a Arrays) iter.Seq[Entry] {
			return func(yield func(Entry) bool) {
				for k, j := range a.Levels[1].Indices {
					if j >= 0 && !yield(Entry{k / w, int(j), k}) {
						return
					}
				}
			}
		},
	}
}

// padding returns n indices of nothing.
func padding(n int) []int32 {
	s := make([]int32, n)
	for k := range s {
		s[k] = -1
	}
	return s
}
