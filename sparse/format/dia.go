package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// DIA stores diagonals of m slots each, one for every row, whether the diagonal
// crosses the row or not. A slot outside the matrix or without an entry is masked.
//
//	a b . .      d indices  -1 0 1       column minus row
//	c d e .      mask       011 110 110
//	. f . .      slots      . c f  a d .  b e .
//
// It suits bands. A matrix with many diagonals is refused when its slots become too
// many.
var DIA = Format{Name: "dia", Axes: axesDIA(), Build: buildDIA, Walk: walkDIA, quick: &quick{packDIA, axesDIA(), buildDIA, walkDIA}}

func axesDIA() []Axis {
	return []Axis{{Name: "d", Sparse: true}, {Name: "i"}}
}

func buildDIA(m, n int, in []sparse.Entry) (Arrays, error) { return buildBy(packDIA, "dia", m, n, in) }

func walkDIA(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesDIA(), m, a) }

func packDIA(s runs.Set) (Arrays, []int32, error) {
	// Position of diagonal j-i+m, first whether it has entries.
	position := runs.NewTally(s.M+s.N+1, s.NNZ)
	for r, first := range s.First {
		for d := s.M - s.Row(r); first < s.Last[r]; first++ {
			position.Set(d+int(s.Columns[first]), 1)
		}
	}
	offsets := []int32{}
	for d := range position.Keys() {
		position.Set(d, int32(len(offsets)))
		offsets = append(offsets, int32(d-s.M))
	}
	total, err := runs.Slots("dia", len(offsets), s.M)
	if err != nil {
		return Arrays{}, nil, err
	}
	from := padding(total)
	runs.Parallel(len(s.First), runs.Workers(s.NNZ, 1<<14), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			i := s.Row(r)
			for k := s.First[r]; k < s.Last[r]; k++ {
				from[position.Of(s.M-i+int(s.Columns[k]))*s.M+i] = s.Origin(k)
			}
		}
	})
	return Arrays{Slots: total, Levels: []Level{{Size: len(offsets), Indices: offsets}, {Size: s.M}}, Mask: maskOf(from, s.NNZ)}, from, nil
}
