package sparse

import "iter"

// CSC stores the rows of each column in turn: compressed sparse columns, which is
// CSR of the transposed matrix.
//
//	. a . b      i pointers  0 0 1 2 3
//	. . . .      i indices   0 2 0
//	. . c .      slots       a c b
var CSC = Format{
	Name: "csc",
	Axes: []Axis{{Name: "j"}, {Name: "i", Variable: true, Sparse: true}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("csc", m, n, in); err != nil {
			return Arrays{}, err
		}
		order := sortBy(sequence(len(in)), n, func(k int32) int { return in[k].J })
		for at, k := range order {
			order[at] = int32(in[k].I)
		}
		return Arrays{Slots: len(in), Levels: []Level{
			{Size: n},
			{Pointers: starts(n, in, colOf), Indices: order},
		}}, nil
	},
	Walk: func(_ int, a Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			i := a.Levels[1]
			for j := range a.Levels[0].Size {
				for k := i.Pointers[j]; k < i.Pointers[j+1]; k++ {
					if !yield(Entry{int(i.Indices[k]), j, int(k)}) {
						return
					}
				}
			}
		}
	},
}
