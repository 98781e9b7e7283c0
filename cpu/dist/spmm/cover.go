package spmm

import (
	"slices"

	"github.com/tilesmith/tilesmith/sparse/part"
)

// cover asks of every other rank the fewest rows: of B, or sums of several of them for a
// row of Y. An entry whose column is asked for is multiplied here; any other is part of a
// sum of the owner of its column.
func (w *wants[T]) cover() error {
	p := w.p
	own := len(p.OwnCols)
	// Parts are this rank, 0, and the owners of its halo.
	owner := make([]int32, own, own+len(p.Halo))
	for k, q := range w.owners {
		owner = append(owner, slices.Repeat([]int32{int32(k + 1)}, p.From[q+1]-p.From[q])...)
	}
	rows, err := part.New(1+len(w.owners), make([]int32, len(p.OwnRows)))
	if err != nil {
		return err
	}
	cols, err := part.New(1+len(w.owners), owner)
	if err != nil {
		return err
	}
	blocks, err := part.Cover(p.A, rows, cols)
	if err != nil {
		return err
	}
	asked := make([]bool, own+len(p.Halo))
	for _, b := range blocks {
		for _, j := range b.Cols {
			asked[j] = true
		}
	}
	w.keep = make([]bool, p.A.NNZ())
	for e, v := range p.A.All() {
		if e.J < own || asked[e.J] {
			w.keep[e.K] = true
			continue
		}
		sums := &w.sums[owner[e.J]-1]
		if n := len(*sums); n == 0 || (*sums)[n-1].row != e.I {
			*sums = append(*sums, sum[T]{row: e.I})
		}
		u := &(*sums)[len(*sums)-1]
		u.columns, u.values = append(u.columns, p.Halo[e.J-own]), append(u.values, v)
	}
	return nil
}
