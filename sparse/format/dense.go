package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Dense stores every element, row by row. A mask says which are entries, so that a
// matrix with holes comes back as it was; a matrix without holes has none.
//
//	. a . b      mask   0101 0000 0010
//	. . . .      slots  . a . b . . . . . . c .
//	. . c .
var Dense = Format{Name: "dense", Axes: axesDense(), Build: buildDense, Walk: walkDense, quick: &quick{packDense, axesDense(), buildDense, walkDense}}

func axesDense() []Axis {
	return []Axis{{Name: "i"}, {Name: "j"}}
}

func buildDense(m, n int, in []sparse.Entry) (Arrays, error) {
	return buildBy(packDense, "dense", m, n, in)
}

func walkDense(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesDense(), m, a) }

func packDense(s runs.Set) (Arrays, []int32, error) {
	total, err := runs.Slots("dense", s.M, s.N)
	if err != nil {
		return Arrays{}, nil, err
	}
	from := padding(total)
	for r, first := range s.First {
		for at := s.Row(r) * s.N; first < s.Last[r]; first++ {
			from[at+int(s.Columns[first])] = s.Origin(first)
		}
	}
	return Arrays{Slots: total, Levels: []Level{{Size: s.M}, {Size: s.N}}, Mask: maskOf(from, s.NNZ)}, from, nil
}
