package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Ragged stores rows of different lengths without gaps: row i has the columns 0 to
// its length - 1, so no index is stored. It refuses other matrices.
//
//	a b .      j pointers  0 2 2 5
//	. . .      slots       a b c d e
//	c d e
var Ragged = Format{Name: "ragged", Axes: axesRagged(), Build: buildRagged, Walk: walkRagged, quick: &quick{packRagged, axesRagged(), buildRagged, walkRagged}}

func axesRagged() []Axis {
	return []Axis{{Name: "i"}, {Name: "j", Variable: true}}
}

func buildRagged(m, n int, in []sparse.Entry) (Arrays, error) {
	return buildBy(packRagged, "ragged", m, n, in)
}

func walkRagged(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesRagged(), m, a) }

func packRagged(s runs.Set) (Arrays, []int32, error) {
	s = s.Merged()
	for i, first := range s.First {
		for k := first; k < s.Last[i]; k++ {
			if next := k - first; s.Columns[k] != next {
				return Arrays{}, nil, sparse.Errorf(sparse.ErrFormat, "ragged", "use csr", "row %d has column %d where column %d is next", i, s.Columns[k], next)
			}
		}
	}
	_, from := s.Flat()
	return Arrays{Slots: s.NNZ, Levels: []Level{{Size: s.M}, {Pointers: s.Pointers()}}}, from, nil
}
