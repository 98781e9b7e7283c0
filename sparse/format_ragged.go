package sparse

import "iter"

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

func buildRagged(m, n int, in []Entry) (Arrays, error) {
	return buildBy(packRagged, "ragged", m, n, in)
}

func walkRagged(m int, a Arrays) iter.Seq[Entry] {
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
}

func packRagged(s Structure) (Arrays, []int32, error) {
	s = s.merged()
	for i, first := range s.first {
		for k := first; k < s.last[i]; k++ {
			if next := k - first; s.columns[k] != next {
				return Arrays{}, nil, fail(ErrFormat, "ragged", "use csr", "row %d has column %d where column %d is next", i, s.columns[k], next)
			}
		}
	}
	_, from := s.flat()
	return Arrays{Slots: s.nnz, Levels: []Level{{Size: s.m}, {Pointers: s.pointers()}}}, from, nil
}
