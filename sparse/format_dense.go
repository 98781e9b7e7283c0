package sparse

import "iter"

// Dense stores every element, row by row. A mask says which are entries, so that a
// matrix with holes comes back as it was; a matrix without holes has none.
//
//	. a . b      mask   0101 0000 0010
//	. . . .      slots  . a . b . . . . . . c .
//	. . c .
var Dense = Format{
	Name: "dense",
	Axes: []Axis{{Name: "i"}, {Name: "j"}},
	Build: func(m, n int, in []Entry) (Arrays, error) {
		if err := ordered("dense", m, n, in); err != nil {
			return Arrays{}, err
		}
		total, err := slots("dense", m, n)
		if err != nil {
			return Arrays{}, err
		}
		mask := newMask(total, len(in))
		if mask != nil {
			for _, e := range in {
				set(mask, e.I*n+e.J)
			}
		}
		return Arrays{Slots: total, Levels: []Level{{Size: m}, {Size: n}}, Mask: mask}, nil
	},
	Walk: func(m int, a Arrays) iter.Seq[Entry] {
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
	},
}
