package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// DCSR is CSR of the rows that have entries: doubly compressed, for matrices most of
// whose rows are empty. Its memory does not depend on the number of rows. Rules may
// give a long row several positions, one after the other; Build does not.
//
//	. a . b      i pointers  0 2
//	. . . .      i indices   0 2
//	. . c .      j pointers  0 2 3
//	             j indices   1 3 2
//	             slots       a b c
var DCSR = Format{Name: "dcsr", Axes: axesDCSR(), Build: buildDCSR, Walk: walkDCSR, quick: &quick{packDCSR, axesDCSR(), buildDCSR, walkDCSR}}

func axesDCSR() []Axis {
	return []Axis{{Name: "i", Variable: true, Sparse: true}, {Name: "j", Variable: true, Sparse: true}}
}

func buildDCSR(m, n int, in []sparse.Entry) (Arrays, error) {
	return buildBy(packDCSR, "dcsr", m, n, in)
}

func walkDCSR(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesDCSR(), m, a) }

func packDCSR(s runs.Set) (Arrays, []int32, error) {
	columns, from := s.Flat()
	rows, pointers := make([]int32, 0, len(s.First)), make([]int32, 1, len(s.First)+1)
	for r, x := range s.First {
		if l := s.Last[r] - x; l > 0 {
			rows, pointers = append(rows, int32(s.Row(r))), append(pointers, pointers[len(rows)]+l)
		}
	}
	return Arrays{Slots: s.NNZ, Levels: []Level{
		{Pointers: []int32{0, int32(len(rows))}, Indices: rows},
		{Pointers: pointers, Indices: columns},
	}}, from, nil
}
