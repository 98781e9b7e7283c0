package sparse

import (
	"fmt"
	"iter"
)

// DBSR is BSR of the block rows that have blocks, as DCSR is to CSR: for
// block-pruned weights, many of whose block rows are empty.
//
//	. . . .      b = 2, io pointers  0 1
//	. . . .             io indices   1
//	. . c .             jo pointers  0 1
//	. . . .             jo indices   1
//	                    mask, slots  1000, c . . .
func DBSR(b int) Format {
	name := fmt.Sprintf("dbsr%d", b)
	return Format{
		Name: name,
		Axes: []Axis{{Name: "io", Variable: true, Sparse: true}, {Name: "jo", Variable: true, Sparse: true}, {Name: "ii", Size: b}, {Name: "ji", Size: b}},
		Build: func(m, n int, in []Entry) (Arrays, error) {
			t, total, mask, err := blocks(name, m, n, b, in)
			if err != nil {
				return Arrays{}, err
			}
			var rows, pointers []int32
			for p, io := range t.io {
				if p == 0 || t.io[p-1] != io {
					rows, pointers = append(rows, io), append(pointers, int32(p))
				}
			}
			return Arrays{Slots: total, Mask: mask, Levels: []Level{
				{Pointers: []int32{0, int32(len(rows))}, Indices: rows},
				{Pointers: append(pointers, int32(len(t.io))), Indices: t.jo},
				{Size: b}, {Size: b},
			}}, nil
		},
		Walk: func(_ int, a Arrays) iter.Seq[Entry] {
			return func(yield func(Entry) bool) {
				jo := a.Levels[1]
				for r, io := range a.Levels[0].Indices {
					for p := jo.Pointers[r]; p < jo.Pointers[r+1]; p++ {
						if !walkBlock(a.Mask, b, int(p), int(io), int(jo.Indices[p]), yield) {
							return
						}
					}
				}
			}
		},
	}
}
