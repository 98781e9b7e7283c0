package format

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
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
	return withPacker(Format{
		Name: name,
		Axes: []Axis{{Name: "io", Variable: true, Sparse: true}, {Name: "jo", Variable: true, Sparse: true}, {Name: "ii", Size: b}, {Name: "ji", Size: b}},
	}, func(s runs.Set) (Arrays, []int32, error) {
		t, err := blocks(name, b, s)
		if err != nil {
			return Arrays{}, nil, err
		}
		rows, pointers := []int32{}, []int32{0}
		for io := range len(t.pointers) - 1 {
			if t.pointers[io+1] > t.pointers[io] {
				rows, pointers = append(rows, int32(io)), append(pointers, t.pointers[io+1])
			}
		}
		return Arrays{Slots: len(t.from), Mask: t.mask, Levels: []Level{
			{Pointers: []int32{0, int32(len(rows))}, Indices: rows},
			{Pointers: pointers, Indices: t.jo},
			{Size: b}, {Size: b},
		}}, t.from, nil
	})
}
