package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// CSR stores the columns of each row in turn: compressed sparse rows.
//
//	. a . b      j pointers  0 2 2 3
//	. . . .      j indices   1 3 2
//	. . c .      slots       a b c
var CSR = Format{Name: "csr", Axes: axesCSR(), Build: buildCSR, Walk: walkCSR, quick: &quick{packCSR, axesCSR(), buildCSR, walkCSR}}

func axesCSR() []Axis {
	return []Axis{{Name: "i"}, {Name: "j", Variable: true, Sparse: true}}
}

func buildCSR(m, n int, in []sparse.Entry) (Arrays, error) { return buildBy(packCSR, "csr", m, n, in) }

func walkCSR(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesCSR(), m, a) }

func packCSR(s runs.Set) (Arrays, []int32, error) {
	columns, from := s.Flat()
	return Arrays{Slots: s.NNZ, Levels: []Level{
		{Size: s.M},
		{Pointers: s.Pointers(), Indices: columns},
	}}, from, nil
}
