package sparse

import "iter"

// DCSR is CSR of the rows that have entries: doubly compressed, for matrices most of
// whose rows are empty. What it takes does not depend on the number of rows.
//
//	. a . b      i pointers  0 2
//	. . . .      i indices   0 2
//	. . c .      j pointers  0 2 3
//	             j indices   1 3 2
//	             slots       a b c
var DCSR = Format{
	Name: "dcsr",
	Axes: []Axis{{Name: "i", Variable: true, Sparse: true}, {Name: "j", Variable: true, Sparse: true}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("dcsr", m, n, in); err != nil {
			return Arrays{}, err
		}
		var rows, pointers []int32
		for k, e := range in {
			if k == 0 || in[k-1].I != e.I {
				rows, pointers = append(rows, int32(e.I)), append(pointers, int32(k))
			}
		}
		return Arrays{Slots: len(in), Levels: []Level{
			{Pointers: []int32{0, int32(len(rows))}, Indices: rows},
			{Pointers: append(pointers, int32(len(in))), Indices: columns(in)},
		}}, nil
	},
	Walk: func(_ int, a Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			j := a.Levels[1]
			for p, i := range a.Levels[0].Indices {
				for k := j.Pointers[p]; k < j.Pointers[p+1]; k++ {
					if !yield(Entry{int(i), int(j.Indices[k]), int(k)}) {
						return
					}
				}
			}
		}
	},
}
