package format

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// DELL is to ELL as DCSR is to CSR: it stores only rows that have entries. A row takes as
// many consecutive positions of w slots as it needs. So a position is the same work in
// every row, and no row is refused. [rule.Hyb] is a sum of them.
//
//	. a . b      w = 2, i pointers  0 3
//	. . . .             i indices   0 2 2
//	c d e .             j indices   1 3  0 1  2 -1
//	                    slots       a b  c d  e .
func DELL(w int) Format {
	name := fmt.Sprintf("dell%d", w)
	return withPacker(Format{
		Name: name,
		Axes: []Axis{{Name: "i", Variable: true, Sparse: true}, {Name: "j", Size: w, Sparse: true}},
	}, func(s runs.Set) (Arrays, []int32, error) {
		if err := runs.AtLeast1(name, "the width", w); err != nil {
			return Arrays{}, nil, err
		}
		at := s.Offsets(w)
		positions := int(at[len(at)-1])
		total, err := s.Slots(name, positions, w)
		if err != nil {
			return Arrays{}, nil, err
		}
		rows, indices, from := make([]int32, positions), make([]int32, total), make([]int32, total)
		runs.Parallel(len(s.First), runs.Workers(total, 1<<14), func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				i, end, k := int32(s.Row(r)), s.Last[r], s.First[r]
				if k == end {
					continue
				}
				for p := at[r]; p < at[r+1]; p++ {
					rows[p] = i
				}
				x := int(at[r]) * w
				to, org := indices[x:int(at[r+1])*w], from[x:int(at[r+1])*w]
				for c, j := range s.Columns[k:end] {
					to[c], org[c] = j, s.Origin(k+int32(c))
				}
				for c := int(end - k); c < len(to); c++ {
					to[c], org[c] = -1, -1
				}
			}
		})
		return Arrays{Slots: total, Levels: []Level{
			{Pointers: []int32{0, int32(positions)}, Indices: rows},
			{Size: w, Indices: indices},
		}}, from, nil
	})
}
