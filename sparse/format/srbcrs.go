package format

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// SRBCRS cuts the rows into windows of t and keeps the columns of each window that have
// entries, in groups of g. A group is a dense t x g tile, stored row by row, with g column
// indices. The last group of a window has -1 for missing columns. The density is at least
// 1/t, where a block of b x b may have 1/b^2. Slots without an entry are masked.
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
	return withPacker(Format{
		Name: name,
		Axes: []Axis{{Name: "io"}, {Name: "p", Variable: true}, {Name: "ii", Size: t}, {Name: "j", Size: g, Sparse: true, Parent: "p"}},
	}, func(s runs.Set) (Arrays, []int32, error) {
		if err := runs.AtLeast1(name, "t", t); err != nil {
			return Arrays{}, nil, err
		}
		if err := runs.AtLeast1(name, "g", g); err != nil {
			return Arrays{}, nil, err
		}
		s = s.Merged()
		windows := runs.CeilDiv(s.M, t)
		pointers := make([]int32, windows+1)
		chunks := runs.Workers(s.NNZ, 1<<14)
		refused := make([]error, chunks)
		runs.Parallel(windows, chunks, func(c, lo, hi int) {
			row, total := newTileRow(s, t, 1), 0
			for io := lo; io < hi; io++ {
				columns := 0
				for row.start(io); row.next(); columns++ {
					total++
					if _, refused[c] = s.Slots(name, total, t); refused[c] != nil {
						return // before it takes long
					}
					for row.row() {
					}
				}
				pointers[io+1] = int32(runs.CeilDiv(columns, g))
			}
		})
		for _, err := range refused {
			if err != nil {
				return Arrays{}, nil, err
			}
		}
		for io := range windows {
			pointers[io+1] += pointers[io] // at most the entries
		}
		groups := int(pointers[windows])
		total, err := s.Slots(name, groups, t, g)
		if err != nil {
			return Arrays{}, nil, err
		}
		indices, from := padding(groups*g), padding(total)
		runs.Parallel(windows, chunks, func(_, lo, hi int) {
			row := newTileRow(s, t, 1)
			for io := lo; io < hi; io++ {
				at := int(pointers[io]) * g // the next position for a column
				for row.start(io); row.next(); at++ {
					indices[at] = int32(row.jo)
					for row.row() {
						from[(at/g*t+row.ii)*g+at%g] = s.Origin(row.first)
					}
				}
			}
		})
		return Arrays{Slots: total, Mask: maskOf(from, s.NNZ),
			Levels: []Level{{Size: windows}, {Pointers: pointers}, {Size: t}, {Size: g, Indices: indices}}}, from, nil
	})
}
