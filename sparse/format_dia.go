package sparse

import "iter"

// DIA stores diagonals of m slots each, one for every row, whether the diagonal
// crosses the row or not: a slot outside the matrix or without an entry is masked.
//
//	a b . .      d indices  -1 0 1       column minus row
//	c d e .      mask       011 110 110
//	. f . .      slots      . c f  a d .  b e .
//
// It suits bands. A matrix with many diagonals is refused when its slots become too
// many.
var DIA = Format{
	Name: "dia",
	Axes: []Axis{{Name: "d", Sparse: true}, {Name: "i"}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("dia", m, n, in); err != nil {
			return Arrays{}, err
		}
		diagonal := func(k int32) int { return in[k].J - in[k].I + m - 1 }
		order := sortBy(sequence(len(in)), max(m+n-1, 0), diagonal)
		offsets := []int32{}
		for at, k := range order {
			if at == 0 || diagonal(order[at-1]) != diagonal(k) {
				offsets = append(offsets, int32(in[k].J-in[k].I))
			}
		}
		total, err := slots("dia", len(offsets), m)
		if err != nil {
			return Arrays{}, err
		}
		mask := newMask(total, len(in))
		if mask != nil {
			d := -1
			for at, k := range order {
				if at == 0 || diagonal(order[at-1]) != diagonal(k) {
					d++
				}
				set(mask, d*m+in[k].I)
			}
		}
		return Arrays{Slots: total, Levels: []Level{{Size: len(offsets), Indices: offsets}, {Size: m}}, Mask: mask}, nil
	},
	Walk: func(m int, a Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			for d, offset := range a.Levels[0].Indices {
				for i := range m {
					if k := d*m + i; has(a.Mask, k) && !yield(Entry{i, i + int(offset), k}) {
						return
					}
				}
			}
		}
	},
}
