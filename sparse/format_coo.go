package sparse

import "iter"

// COO stores a row and a column with every entry: coordinates. Each position of i
// has one of j, so j needs no pointers.
//
//	. a . b      i pointers  0 3
//	. . . .      i indices   0 0 2
//	. . c .      j indices   1 3 2
//	             slots       a b c
var COO = Format{Name: "coo", Axes: axesCOO(), Build: buildCOO, Walk: walkCOO, quick: &quick{packCOO, axesCOO(), buildCOO, walkCOO}}

func axesCOO() []Axis {
	return []Axis{{Name: "i", Variable: true, Sparse: true}, {Name: "j", Size: 1, Sparse: true}}
}

func buildCOO(m, n int, in []Entry) (Arrays, error) { return buildBy(packCOO, "coo", m, n, in) }

func walkCOO(_ int, a Arrays) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for k, i := range a.Levels[0].Indices {
			if !yield(Entry{int(i), int(a.Levels[1].Indices[k]), k}) {
				return
			}
		}
	}
}

func packCOO(s Structure) (Arrays, []int32, error) {
	columns, from := s.flat()
	rows := make([]int32, 0, s.nnz)
	for r, x := range s.first {
		for i := int32(s.row(r)); x < s.last[r]; x++ {
			rows = append(rows, i)
		}
	}
	return Arrays{Slots: s.nnz, Levels: []Level{
		{Pointers: []int32{0, int32(s.nnz)}, Indices: rows},
		{Size: 1, Indices: columns},
	}}, from, nil
}
