package sparse

import "iter"

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

func buildDense(m, n int, in []Entry) (Arrays, error) { return buildBy(packDense, "dense", m, n, in) }

func walkDense(m int, a Arrays) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		n := a.Levels[1].Size
		for i := range m {
			for j := range n {
				if k := i*n + j; has(a.Mask, k) && !yield(Entry{i, j, k}) {
					return
				}
			}
		}
	}
}

func packDense(s Structure) (Arrays, []int32, error) {
	total, err := slots("dense", s.m, s.n)
	if err != nil {
		return Arrays{}, nil, err
	}
	from := padding(total)
	for r, first := range s.first {
		for at := s.row(r) * s.n; first < s.last[r]; first++ {
			from[at+int(s.columns[first])] = s.origin(first)
		}
	}
	return Arrays{Slots: total, Levels: []Level{{Size: s.m}, {Size: s.n}}, Mask: maskOf(from, s.nnz)}, from, nil
}
