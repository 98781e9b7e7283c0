package dist

import (
	"slices"

	"github.com/tilesmith/tilesmith/sparse/part"
)

// cover asks of every other rank the fewest rows: of B, or sums of several of them for a
// row of Y. An entry whose column is asked for is multiplied here; any other is part of a
// sum of the owner of its column.
func (w *spmmWants[T]) cover() error {
	p := w.p
	own := len(p.OwnCols)
	owner := slices.Repeat([]int32{int32(p.Rank)}, own)
	for q := range p.Ranks {
		owner = append(owner, slices.Repeat([]int32{int32(q)}, p.From[q+1]-p.From[q])...)
	}
	rows, err := part.New(p.Ranks, slices.Repeat([]int32{int32(p.Rank)}, len(p.OwnRows)))
	if err != nil {
		return err
	}
	cols, err := part.New(p.Ranks, owner)
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
		sums := &w.sums[owner[e.J]]
		if n := len(*sums); n == 0 || (*sums)[n-1].row != e.I {
			*sums = append(*sums, spmmSum[T]{row: e.I})
		}
		u := &(*sums)[len(*sums)-1]
		u.columns, u.values = append(u.columns, p.Halo[e.J-own]), append(u.values, v)
	}
	return nil
}
