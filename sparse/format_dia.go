package sparse

import "iter"

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

func buildDIA(m, n int, in []Entry) (Arrays, error) { return buildBy(packDIA, "dia", m, n, in) }

func walkDIA(m int, a Arrays) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for d, offset := range a.Levels[0].Indices {
			for i := range m {
				if k := d*m + i; has(a.Mask, k) && !yield(Entry{i, i + int(offset), k}) {
					return
				}
			}
		}
	}
}

func packDIA(s Structure) (Arrays, []int32, error) {
	// Position of diagonal j-i+m, first whether it has entries.
	position := newTally(s.m+s.n+1, s.nnz)
	for r, first := range s.first {
		for d := s.m - s.row(r); first < s.last[r]; first++ {
			position.set(d+int(s.columns[first]), 1)
		}
	}
	offsets := []int32{}
	for d := range position.keys() {
		position.set(d, int32(len(offsets)))
		offsets = append(offsets, int32(d-s.m))
	}
	total, err := slots("dia", len(offsets), s.m)
	if err != nil {
		return Arrays{}, nil, err
	}
	from := padding(total)
	parallel(len(s.first), workers(s.nnz, 1<<14), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			i := s.row(r)
			for k := s.first[r]; k < s.last[r]; k++ {
				from[position.of(s.m-i+int(s.columns[k]))*s.m+i] = s.origin(k)
			}
		}
	})
	return Arrays{Slots: total, Levels: []Level{{Size: len(offsets), Indices: offsets}, {Size: s.m}}, Mask: maskOf(from, s.nnz)}, from, nil
}
