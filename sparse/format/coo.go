package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

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

func buildCOO(m, n int, in []sparse.Entry) (Arrays, error) { return buildBy(packCOO, "coo", m, n, in) }

func walkCOO(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesCOO(), m, a) }

func packCOO(s runs.Set) (Arrays, []int32, error) {
	columns, from := s.Flat()
	rows := make([]int32, 0, s.NNZ)
	for r, x := range s.First {
		for i := int32(s.Row(r)); x < s.Last[r]; x++ {
			rows = append(rows, i)
		}
	}
	return Arrays{Slots: s.NNZ, Levels: []Level{
		{Pointers: []int32{0, int32(s.NNZ)}, Indices: rows},
		{Size: 1, Indices: columns},
	}}, from, nil
}
