package spmm

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// settle tells every owner what is wanted of it, hears in which order it sends that, and
// makes the plan. Owners send rows in the order in which they have them, so that
// neighbouring rows need not be copied together.
//
// A request is a list of numbers. First comes the number of columns, and each column. Then
// comes the number of sums, and for each the number of its entries and their columns. The
// answer is the positions of the columns in the order in which they come; sums come after
// them, as they are in the request. The rows are cut into chunks evenly.
func (w *wants[T]) settle(c *comm.Comm, what string) (*Matrix[T], error) {
	p := w.p
	ask, values := make([]wire.Parcel[int64], len(w.owners)), make([]wire.Parcel[T], len(w.owners))
	orders := make([]wire.Parcel[int32], len(w.owners))
	for k, q := range w.owners {
		list, v := w.request(k)
		ask[k], values[k], orders[k] = wire.Parcel[int64]{Rank: q, Data: list}, wire.Parcel[T]{Rank: q, Data: v}, wire.Parcel[int32]{Rank: q}
		if len(list) > 0 {
			orders[k].Data = make([]int32, list[0])
		}
	}
	asked, err := wire.Swap(c, ask)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	theirs := make([]wire.Parcel[T], len(asked))
	for i, x := range asked {
		theirs[i] = wire.Parcel[T]{Rank: x.Rank, Data: make([]T, terms(x.Data))}
	}
	if err := wire.Deliver(c, theirs, values); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	s := &Matrix[T]{c: c, turn: new(sync.Mutex), whole: [2]int64{p.Rows, p.Cols}, rows: p.OwnRows, cols: p.OwnCols, opt: w.opt}
	o := owner[T]{place: make(map[int64]int32, len(p.OwnCols))}
	for at, id := range p.OwnCols {
		o.place[id] = int32(at)
	}
	answers := make([]wire.Parcel[int32], len(asked))
	var wrong error
	for i, x := range asked {
		peer, answer, err := o.grant(x.Rank, w.opt.Chunks, x.Data, theirs[i].Data)
		if err != nil && wrong == nil {
			wrong = fmt.Errorf("rank %d asks it for rows of B: %w", x.Rank, err)
		}
		s.halo.out, answers[i] = append(s.halo.out, peer), wire.Parcel[int32]{Rank: x.Rank, Data: answer}
	}
	if wrong == nil {
		s.exports, wrong = o.sums.matrix(len(p.OwnCols))
	}
	if err := dist.Agree(c, what, wrong); err != nil {
		return nil, err
	}
	if err := wire.Deliver(c, orders, answers); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return s, dist.Agree(c, what, w.number(s, orders))
}

// request is what the k-th of the owners is asked for.
func (w *wants[T]) request(k int) (ask []int64, values []T) {
	ask = []int64{0}
	for _, c := range w.columns(k) {
		ask = append(ask, w.p.Halo[c])
		ask[0]++
	}
	if ask[0] == 0 && len(w.sums[k]) == 0 {
		return nil, nil
	}
	ask = append(ask, int64(len(w.sums[k])))
	for _, u := range w.sums[k] {
		ask = append(ask, int64(len(u.columns)))
		ask = append(ask, u.columns...)
		values = append(values, u.values...)
	}
	return ask, values
}

// columns returns the columns of the halo that the k-th of the owners is asked for.
func (w *wants[T]) columns(k int) (list []int) {
	q := w.owners[k]
	for c := w.p.From[q]; c < w.p.From[q+1]; c++ {
		if w.read[c] {
			list = append(list, c)
		}
	}
	return list
}

// terms returns how many values come with a request.
func terms(ask []int64) (n int64) {
	for sums := ask[2+ask[0]:]; len(sums) > 0; sums = sums[1+sums[0]:] {
		n += sums[0]
	}
	return n
}

// owner collects what others want of a rank.
type owner[T dtype.Float] struct {
	place map[int64]int32 // of own columns
	sums  entries[T]      // for others
}

// grant reads a request, which this package made on another rank.
func (o *owner[T]) grant(q, chunks int, ask []int64, values []T) (peer, []int32, error) {
	peer := peer{rank: q}
	n := int(ask[0])
	wanted, sums := ask[1:1+n], ask[2+n:]
	local := make([]int32, n)
	order := make([]int32, n)
	for k, id := range wanted {
		at, ok := o.place[id]
		if !ok {
			return peer, nil, fmt.Errorf("column %d is not owned by it; the ranks disagree on who owns what", id)
		}
		local[k], order[k] = at, int32(k)
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(local[x], local[y]) })
	for _, k := range order {
		peer.rows = append(peer.rows, local[k])
	}
	for len(sums) > 0 {
		n := int(sums[0])
		for k, id := range sums[1 : 1+n] {
			at, ok := o.place[id]
			if !ok {
				return peer, nil, fmt.Errorf("column %d of a sum is not owned by it; the ranks disagree on who owns what", id)
			}
			o.sums.add(at, values[k])
		}
		peer.rows = append(peer.rows, ^o.sums.end())
		sums, values = sums[1+n:], values[n:]
	}
	peer.at = evenly(0, len(peer.rows), chunks)
	return peer, order, nil
}

// evenly cuts rows from to from+n-1 into chunks.
func evenly(from, n, chunks int) []int {
	at := make([]int, chunks+1)
	for k := range at {
		at[k] = from + n/chunks*k + n%chunks*k/chunks
	}
	return at
}

// number assigns places to what comes, after the rank's own rows of B: by rank, columns
// before sums. It makes the matrix that is multiplied here.
func (w *wants[T]) number(s *Matrix[T], orders []wire.Parcel[int32]) error {
	p := w.p
	own := len(p.OwnCols)
	place := make([]int32, len(p.Halo))
	sums := make([][]int32, len(p.OwnRows)) // places of what is added to a row, by rank
	for i, q := range w.owners {
		columns := w.columns(i) // in the order of the request
		if len(columns) == 0 && len(w.sums[i]) == 0 {
			continue
		}
		s.halo.in = append(s.halo.in, peer{rank: q, at: evenly(len(s.partial), len(columns)+len(w.sums[i]), w.opt.Chunks)})
		for _, k := range orders[i].Data {
			place[columns[k]] = int32(own + len(s.partial))
			s.partial = append(s.partial, -1)
		}
		for _, u := range w.sums[i] {
			sums[u.row] = append(sums[u.row], int32(own+len(s.partial)))
			s.partial = append(s.partial, int32(u.row))
		}
	}
	if own+len(s.partial) > sparse.MaxDim {
		return fmt.Errorf("%d own rows of B and %d that come in are more than one rank can hold; use more ranks", own, len(s.partial))
	}
	var e entries[T]
	all := rawEntries(p.A)
	for i := range p.OwnRows {
		for k := all.pointers[i]; k < all.pointers[i+1]; k++ {
			if w.keep != nil && !w.keep[k] {
				continue
			}
			j := all.indices[k]
			if int(j) >= own {
				j = place[int(j)-own]
			}
			e.add(j, all.values[k])
		}
		for _, j := range sums[i] {
			e.add(j, 1)
		}
		e.end()
	}
	var err error
	s.a, err = e.matrix(own + len(s.partial))
	return err
}
