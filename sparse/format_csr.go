package sparse

import "iter"

// CSR stores the columns of each row in turn: compressed sparse rows.
//
//	. a . b      j pointers  0 2 2 3
//	. . . .      j indices   1 3 2
//	. . c .      slots       a b c
var CSR = Format{
	Name: "csr",
	Axes: []Axis{{Name: "i"}, {Name: "j", Variable: true, Sparse: true}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("csr", m, n, in); err != nil {
			return Arrays{}, err
		}
		return Arrays{Slots: len(in), Levels: []Level{
			{Size: m},
			{Pointers: starts(m, in, rowOf), Indices: columns(in)},
		}}, nil
	},
	Walk: func(m int, a Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			j := a.Levels[1]
			for i := range m {
				for k := j.Pointers[i]; k < j.Pointers[i+1]; k++ {
					if !yield(Entry{i, int(j.Indices[k]), int(k)}) {
						return
					}
				}
			}
		}
	},
}
