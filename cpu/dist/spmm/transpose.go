package spmm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
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
	var e entries[T]
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
			e.addRow(all.row(own + slot))
			out.rows = append(out.rows, ^e.end())
		}
		t.halo.out = append(t.halo.out, out)
	}
	var err error
	if t.exports, err = e.matrix(len(s.rows)); err != nil {
		return nil, err
	}

	// What went out comes in: sums for the rows of B that were sent, and for each sum that
	// was sent the row of dY that it is part of.
	sums := rawEntries(s.exports)
	added := make([]entries[T], own)
	for i := range s.halo.out {
		out := &s.halo.out[i]
		in := peer{rank: out.rank, at: make([]int, len(out.at))}
		for k := range out.at {
			in.at[k] = len(t.partial) + out.at[k]
		}
		for _, r := range out.rows {
			slot := int32(len(s.rows) + len(t.partial))
			if r >= 0 {
				added[r].add(slot, 1)
				t.partial = append(t.partial, r)
				continue
			}
			columns, values := sums.row(int(^r))
			for k, j := range columns {
				added[j].add(slot, values[k])
			}
			t.partial = append(t.partial, -1)
		}
		t.halo.in = append(t.halo.in, in)
	}
	if n := len(s.rows) + len(t.partial); n > sparse.MaxDim {
		return nil, fmt.Errorf("%d own rows and what comes in are more than one rank can hold; use more ranks", n)
	}
	e = entries[T]{}
	for j := range own {
		e.addRow(all.row(j))
		e.addRow(added[j].indices, added[j].values)
		e.end()
	}
	if t.a, err = e.matrix(len(s.rows) + len(t.partial)); err != nil {
		return nil, err
	}
	return t, t.lay()
}
