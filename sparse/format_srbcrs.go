package sparse

import (
	"fmt"
	"iter"
)

// SRBCRS cuts the rows into windows of t and keeps, of each window, the columns that
// have entries, in groups of g: a group is a dense t x g tile, stored row by row,
// with g column indices, of which the last group of a window has -1 for those it
// lacks. Its density is at least 1/t, where that of a block of b x b is 1/b^2. Slots
// without an entry are masked.
//
//	. a . b      t = 2, g = 2
//	. . c .      p pointers  0 2           groups of each window
//	             j indices   1 2   3 -1
//	             mask        1001  1000
//	             slots       a . . c  b . . .
//
// An index belongs to a group, not to a row of it, so j divides p although the rows
// ii are stored in between. Magicube (SC'22) and SparseTIR (ASPLOS'23) call it
// SR-BCRS(t, g).
func SRBCRS(t, g int) Format {
	name := fmt.Sprintf("srbcrs%d_%d", t, g)
	return Format{
		Name: name,
		Axes: []Axis{{Name: "io"}, {Name: "p", Variable: true}, {Name: "ii", Size: t}, {Name: "j", Size: g, Sparse: true, Parent: "p"}},
		Build: func(m, n int, in []Entry) (Arrays, error) {
			if err := ordered(name, m, n, in); err != nil {
				return Arrays{}, err
			}
			if err := atLeast1(name, "t", t); err != nil {
				return Arrays{}, err
			}
			if err := atLeast1(name, "g", g); err != nil {
				return Arrays{}, err
			}
			columns := tilesOf(m, n, t, 1, in)
			pointers := make([]int32, ceilDiv(m, t)+1)
			for _, io := range columns.io {
				pointers[io+1]++
			}
			first := make([]int, len(pointers)) // tiles before each window
			for io := range len(pointers) - 1 {
				first[io+1] = first[io] + int(pointers[io+1])
				pointers[io+1] = pointers[io] + int32(ceilDiv(int(pointers[io+1]), g))
			}
			groups := int(pointers[len(pointers)-1])
			total, err := slots(name, groups, t, g)
			if err != nil {
				return Arrays{}, err
			}
			// place is that of a tile in the indices: its group and where in it.
			place := func(tile int) int {
				io := columns.io[tile]
				return int(pointers[io])*g + tile - first[io]
			}
			indices := padding(groups * g)
			for tile, j := range columns.jo {
				indices[place(tile)] = j
			}
			mask := columns.mask(total, in, func(tile int, e Entry) int {
				at := place(tile)
				return (at/g*t+e.I%t)*g + at%g
			})
			return Arrays{Slots: total, Mask: mask,
				Levels: []Level{{Size: len(pointers) - 1}, {Pointers: pointers}, {Size: t}, {Size: g, Indices: indices}}}, nil
		},
		Walk: func(_ int, a Arrays) iter.Seq[Entry] {
			return func(yield func(Entry) bool) {
				pointers, indices := a.Levels[1].Pointers, a.Levels[3].Indices
				for io := range a.Levels[0].Size {
					for k := int(pointers[io]) * t * g; k < int(pointers[io+1])*t*g; k++ {
						if p, ii, ji := k/(t*g), k/g%t, k%g; has(a.Mask, k) && !yield(Entry{io*t + ii, int(indices[p*g+ji]), k}) {
							return
						}
					}
				}
			}
		},
	}
}
