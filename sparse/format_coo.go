package sparse

import "iter"

// COO stores a row and a column with every entry: coordinates. Each position of i
// has one of j, so j needs no pointers.
//
//	. a . b      i pointers  0 3
//	. . . .      i indices   0 0 2
//	. . c .      j indices   1 3 2
//	             slots       a b c
var COO = Format{
	Name: "coo",
	Axes: []Axis{{Name: "i", Variable: true, Sparse: true}, {Name: "j", Size: 1, Sparse: true}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("coo", m, n, in); err != nil {
			return Arrays{}, err
		}
		rows := make([]int32, len(in))
		for k, e := range in {
			rows[k] = int32(e.I)
		}
		return Arrays{Slots: len(in), Levels: []Level{
			{Pointers: []int32{0, int32(len(in))}, Indices: rows},
			{Size: 1, Indices: columns(in)},
		}}, nil
	},
	Walk: func(_ int, a Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			for k, i := range a.Levels[0].Indices {
				if !yield(Entry{int(i), int(a.Levels[1].Indices[k]), k}) {
					return
				}
			}
		}
	},
}
