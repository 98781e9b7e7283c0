package format

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// BSR is CSR of blocks of b x b slots, each stored row by row: block sparse rows.
// Slots of a block without an entry are masked, also those beyond the matrix's edge
// when b does not divide its size. If there are no such slots, there is no mask.
//
//	. a . b      b = 2, jo pointers  0 2 3
//	. . . .             jo indices   0 1 1
//	. . c .             mask         0100 0100 1000
//	. . . .             slots        . a . .  . b . .  c . . .
func BSR(b int) Format {
	name := fmt.Sprintf("bsr%d", b)
	return withPacker(Format{
		Name: name,
		Axes: []Axis{{Name: "io"}, {Name: "jo", Variable: true, Sparse: true}, {Name: "ii", Size: b}, {Name: "ji", Size: b}},
	}, func(s runs.Set) (Arrays, []int32, error) {
		t, err := blocks(name, b, s)
		if err != nil {
			return Arrays{}, nil, err
		}
		return Arrays{Slots: len(t.from), Mask: t.mask, Levels: []Level{
			{Size: runs.CeilDiv(s.M, b)},
			{Pointers: t.pointers, Indices: t.jo},
			{Size: b}, {Size: b},
		}}, t.from, nil
	})
}

// blocked is what BSR and DBSR share.
type blocked struct {
	pointers []int32 // block row io has the blocks pointers[io] to pointers[io+1]-1
	jo       []int32 // the block column of each
	mask     []uint64
	from     []int32
}

func blocks(name string, b int, s runs.Set) (t blocked, err error) {
	if err = runs.AtLeast1(name, "the block size", b); err != nil {
		return
	}
	s = s.Merged()
	n := runs.CeilDiv(s.M, b)
	t.pointers = make([]int32, n+1)
	chunks := runs.Workers(s.NNZ, 1<<14)
	refused := make([]error, chunks)
	runs.Parallel(n, chunks, func(c, lo, hi int) {
		row := newTileRow(s, b, b)
		count := 0
		for io := lo; io < hi; io++ {
			before := count
			for row.start(io); row.next(); count++ {
				if _, refused[c] = s.Slots(name, count+1, b, b); refused[c] != nil {
					return
				}
				for row.row() {
				}
			}
			t.pointers[io+1] = int32(count - before)
		}
	})
	for _, err := range refused {
		if err != nil {
			return t, err
		}
	}
	total := 0
	for io := range n {
		total += int(t.pointers[io+1])
		if _, err = s.Slots(name, total, b, b); err != nil {
			return
		}
		t.pointers[io+1] = int32(total)
	}
	t.jo, t.from = make([]int32, total), padding(total*b*b)
	runs.Parallel(n, chunks, func(_, lo, hi int) {
		row := newTileRow(s, b, b)
		for io := lo; io < hi; io++ {
			p := int(t.pointers[io])
			for row.start(io); row.next(); p++ {
				t.jo[p] = int32(row.jo)
				for row.row() {
					at := (p*b+row.ii)*b - row.jo*b
					for k := row.first; k < row.last; k++ {
						t.from[at+int(s.Columns[k])] = s.Origin(k)
					}
				}
			}
		}
	})
	t.mask = maskOf(t.from, s.NNZ)
	return t, nil
}
