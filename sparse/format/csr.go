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

func walkCSR(m int, a Arrays) iter.Seq[sparse.Entry] {
	return func(yield func(sparse.Entry) bool) {
		j := a.Levels[1]
		for i := range m {
			for k := j.Pointers[i]; k < j.Pointers[i+1]; k++ {
				if !yield(sparse.Entry{I: i, J: int(j.Indices[k]), K: int(k)}) {
					return
				}
			}
		}
	}
}

func packCSR(s runs.Set) (Arrays, []int32, error) {
	columns, from := s.Flat()
	return Arrays{Slots: s.NNZ, Levels: []Level{
		{Size: s.M},
		{Pointers: s.Pointers(), Indices: columns},
	}}, from, nil
}
