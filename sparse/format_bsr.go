package sparse

import (
	"fmt"
	"iter"
)

// BSR is CSR of blocks of b x b slots, each stored row by row: block sparse rows.
// Slots of a block without an entry are masked, also those beyond the matrix's edge
// when b does not divide its size; if there are none, there is no mask.
//
//	. a . b      b = 2, jo pointers  0 2 3
//	. . . .             jo indices   0 1 1
//	. . c .             mask         0100 0100 1000
//	. . . .             slots        . a . .  . b . .  c . . .
func BSR(b int) Format {
	name := fmt.Sprintf("bsr%d", b)
	return Format{
		Name: name,
		Axes: []Axis{{Name: "io"}, {Name: "jo", Variable: true, Sparse: true}, {Name: "ii", Size: b}, {Name: "ji", Size: b}},
		Build: func(m, n int, in []Entry) (Arrays, error) {
			t, total, mask, err := blocks(name, m, n, b, in)
			if err != nil {
				return Arrays{}, err
			}
			pointers := make([]int32, ceilDiv(m, b)+1)
			for _, io := range t.io {
				pointers[io+1]++
			}
			for i := range len(pointers) - 1 {
				pointers[i+1] += pointers[i]
			}
			return Arrays{Slots: total, Mask: mask, Levels: []Level{
				{Size: ceilDiv(m, b)},
				{Pointers: pointers, Indices: t.jo},
				{Size: b}, {Size: b},
			}}, nil
		},
		Walk: func(_ int, a Arrays) iter.Seq[Entry] {
			return func(yield func(Entry) bool) {
				jo := a.Levels[1]
				for io := range a.Levels[0].Size {
					for p := jo.Pointers[io]; p < jo.Pointers[io+1]; p++ {
						if !walkBlock(a.Mask, b, int(p), io, int(jo.Indices[p]), yield) {
							return
						}
					}
				}
			}
		},
	}
}

// blocks is what BSR and DBSR share: the tiles, the number of slots, the mask.
func blocks(name string, m, n, b int, in []Entry) (t tiles, total int, mask []uint64, err error) {
	if err = ordered(name, m, n, in); err != nil {
		return
	}
	if err = atLeast1(name, "the block size", b); err != nil {
		return
	}
	t = tilesOf(m, n, b, b, in)
	if total, err = slots(name, len(t.io), b, b); err != nil {
		return
	}
	mask = t.mask(total, in, func(tile int, e Entry) int { return (tile*b+e.I%b)*b + e.J%b })
	return
}

// walkBlock yields the entries of block p, which is block (io, jo).
func walkBlock(mask []uint64, b, p, io, jo int, yield func(Entry) bool) bool {
	for ii := range b {
		for ji := range b {
			if k := (p*b+ii)*b + ji; has(mask, k) && !yield(Entry{io*b + ii, jo*b + ji, k}) {
				return false
			}
		}
	}
	return true
}
