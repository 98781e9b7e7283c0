package spmm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// T returns the transposed matrix, spread in the same way. This rank owns its rows of B as
// rows, and its rows of Y as what they are multiplied with. If dY is the gradient of Y,
// that of B is the product of T with it. All ranks call it.
//
// Its plan is that of s turned round, so nothing of it is sent. What a rank received it
// now sends: a sum for each row of B, and a row of dY for each sum. It receives as many
// messages and bytes as it sent. Sums are added to a row in the order of ranks.
func (s *Matrix[T]) T() (*Matrix[T], error) {
	t, err := s.transpose()
	if err := dist.Agree(s.c, "spmm.Matrix.T", err, comm.NewFact("transposed", s.transposed)); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *Matrix[T]) transpose() (*Matrix[T], error) {
	t := &Matrix[T]{c: s.c, turn: s.turn, whole: [2]int64{s.whole[1], s.whole[0]}, rows: s.cols, cols: s.rows, opt: s.opt, transposed: !s.transposed}
	own := len(s.cols)

	// What came in the forward product goes out. A row of B that was multiplied becomes a
	// sum over the rows that it was multiplied into: row number exports of those for
	// others.
	all := rawEntries(s.a.Transpose())
	e := entries[T]{pointers: []int32{0}}
	for i := range s.halo.in {
		in := &s.halo.in[i]
		out := peer{rank: in.rank, at: make([]int, len(in.at))}
		for k := range in.at {
			out.at[k] = in.at[k] - in.at[0]
		}
		for slot := in.at[0]; slot < in.at[len(in.at)-1]; slot++ {
			if row := s.partial[slot]; row >= 0 {
				out.rows = append(out.rows, row)
				continue
			}
			from, to := all.pointers[own+slot], all.pointers[own+slot+1]
			e.indices, e.values = append(e.indices, all.indices[from:to]...), append(e.values, all.values[from:to]...)
			out.rows = append(out.rows, ^int32(len(e.pointers)-1))
			e.pointers = append(e.pointers, int32(len(e.indices)))
		}
		t.halo.out = append(t.halo.out, out)
	}
	var err error
	if t.exports, err = sparse.FromCSR(len(e.pointers)-1, len(s.rows), e.pointers, e.indices, e.values); err != nil {
		return nil, err
	}

	// What went out comes in: sums for the rows of B that were sent, and for each sum that
	// was sent the row of dY that it is part of.
	sums := rawEntries(s.exports)
	added := make([][]entry[T], own)
	for i := range s.halo.out {
		out := &s.halo.out[i]
		in := peer{rank: out.rank, at: make([]int, len(out.at))}
		for k := range out.at {
			in.at[k] = len(t.partial) + out.at[k]
		}
		for _, r := range out.rows {
			slot := int32(len(s.rows) + len(t.partial))
			if r >= 0 {
				added[r] = append(added[r], entry[T]{slot, 1})
				t.partial = append(t.partial, r)
				continue
			}
			for k := sums.pointers[^r]; k < sums.pointers[^r+1]; k++ {
				j := sums.indices[k]
				added[j] = append(added[j], entry[T]{slot, sums.values[k]})
			}
			t.partial = append(t.partial, -1)
		}
		t.halo.in = append(t.halo.in, in)
	}
	if n := len(s.rows) + len(t.partial); n > sparse.MaxDim {
		return nil, fmt.Errorf("%d own rows and what comes in are more than one rank can hold; use more ranks", n)
	}
	e = entries[T]{pointers: []int32{0}}
	for j := range own {
		from, to := all.pointers[j], all.pointers[j+1]
		e.indices, e.values = append(e.indices, all.indices[from:to]...), append(e.values, all.values[from:to]...)
		for _, x := range added[j] {
			e.indices, e.values = append(e.indices, x.column), append(e.values, x.value)
		}
		e.pointers = append(e.pointers, int32(len(e.indices)))
	}
	if t.a, err = sparse.FromCSR(own, len(s.rows)+len(t.partial), e.pointers, e.indices, e.values); err != nil {
		return nil, err
	}
	return t, t.lay()
}

type entry[T dtype.Float] struct {
	column int32
	value  T
}
