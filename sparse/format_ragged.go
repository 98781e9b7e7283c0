package sparse

import "iter"

// Ragged stores rows of different lengths without gaps: row i has the columns 0 to
// its length - 1, so no index is stored. It refuses other matrices.
//
//	a b .      j pointers  0 2 2 5
//	. . .      slots       a b c d e
//	c d e
var Ragged = Format{
	Name: "ragged",
	Axes: []Axis{{Name: "i"}, {Name: "j", Variable: true}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("ragged", m, n, in); err != nil {
			return Arrays{}, err
		}
		pointers := starts(m, in, rowOf)
		for k, e := range in {
			if next := k - int(pointers[e.I]); e.J != next {
				return Arrays{}, fail(ErrFormat, "ragged", "use csr", "row %d has column %d where column %d is next", e.I, e.J, next)
			}
		}
		return Arrays{Slots: len(in), Levels: []Level{{Size: m}, {Pointers: pointers}}}, nil
	},
	Walk: func(m int, a Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			pointers := a.Levels[1].Pointers
			for i := range m {
				for k := pointers[i]; k < pointers[i+1]; k++ {
					if !yield(Entry{i, int(k - pointers[i]), int(k)}) {
						return
					}
				}
			}
		}
	},
}
