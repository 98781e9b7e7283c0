package layer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling"
)

// poll is about how many multiplications are done before messages are looked after
// again, if there are any: some tenths of a millisecond.
const poll = 16 << 20

// reduce leaves in sum, which is row-major without gaps, the sum over ranks of what compute
// puts into it. compute does rows lo to hi at a time, each of so many multiplications.
// meanwhile, if not nil, is called when the last of the sums has begun. finish is that of
// chunkSum, with the element of sum at which its part begins.
func (l *split[T]) reduce(sum layout.Matrix[T], perRow int, compute func(lo, hi int), finish func(own []T, at int), meanwhile func()) error {
	sums := &l.sums
	sums.begin(l.c, tagSum)
	chunks := l.chunks(sum.Rows, sum.Cols)
	rows := max(tiling.SkinnyMost+1, poll/max(1, perRow))
	for i := range chunks {
		part := dist.Upto(sum.Rows).Part(i, chunks)
		pieces := 1
		if i > 0 { // before there is nothing to look after
			pieces = max(1, part.Len()/rows)
		}
		for k := range pieces {
			piece := part.Part(k, pieces)
			compute(piece.Lo, piece.Hi)
			if err := sums.progress(false); err != nil {
				return err
			}
		}
		first := part.Lo * sum.Cols
		var f func([]T, int)
		if finish != nil {
			f = func(own []T, at int) { finish(own, first+at) }
		}
		if err := sums.start(sum.Data[first:part.Hi*sum.Cols], f, nil); err != nil {
			return err
		}
	}
	if meanwhile != nil {
		meanwhile()
	}
	return sums.wait()
}

// scatter leaves in mine, this rank's rows of a batch, the sum over ranks of what compute
// returns for these rows. The rows of the next rank come first and its own last, so that
// all are sent while others are computed. meanwhile, if not nil, is called when all are
// sent. mine has no gaps.
func (l *split[T]) scatter(mine layout.Matrix[T], batch int, compute func(out layout.Matrix[T], lo, hi int), meanwhile func()) error {
	me, p := l.c.Rank(), l.c.Size()
	parts := make([][]T, p)
	var requests []comm.Request
	if n := mine.Rows * mine.Cols; n > 0 {
		for d := 1; d < p; d++ {
			r := (me + p - d) % p
			parts[r] = make([]T, n)
			q, err := comm.Irecv(l.c, r, tagRows, parts[r])
			if err != nil {
				return err
			}
			requests = append(requests, q)
		}
	}
	room := l.temp(1, batch, mine.Cols)
	var done []int
	for d := 1; d < p; d++ {
		r := (me + d) % p
		rows := l.rows(batch, r)
		out := room.Slice(rows.Lo, rows.Hi, 0, room.Cols)
		compute(out, rows.Lo, rows.Hi)
		if out.Rows*out.Cols == 0 {
			continue
		}
		q, err := comm.Isend(l.c, r, tagRows, out.Data[:out.Rows*out.Cols])
		if err != nil {
			return err
		}
		requests = append(requests, q)
		if done, err = l.c.Some(requests, false, done[:0]); err != nil {
			return err
		}
	}
	rows := l.rows(batch, me)
	compute(mine, rows.Lo, rows.Hi)
	if meanwhile != nil {
		meanwhile()
	}
	if err := l.c.Wait(requests...); err != nil {
		return err
	}
	if n := mine.Rows * mine.Cols; n > 0 {
		parts[me] = mine.Data[:n]
		addAll(parts[me], parts)
	}
	return nil
}

// gather brings the rows of all ranks into all; mine are this rank's. It calls use for
// the rows of each rank when they are there, its own first. all has no gaps.
func (l *split[T]) gather(all, mine layout.Matrix[T], use func(lo, hi int)) error {
	me, p := l.c.Rank(), l.c.Size()
	own := l.rows(all.Rows, me)
	local.Copy(all.Slice(own.Lo, own.Hi, 0, all.Cols), mine)
	var requests []comm.Request
	var from []int
	for d := 1; d < p; d++ {
		r := (me + p - d) % p
		rows := l.rows(all.Rows, r)
		if rows.Len()*all.Cols == 0 {
			continue
		}
		q, err := comm.Irecv(l.c, r, tagRows, all.Data[rows.Lo*all.Cols:rows.Hi*all.Cols])
		if err != nil {
			return err
		}
		requests, from = append(requests, q), append(from, r)
	}
	if own.Len()*all.Cols > 0 {
		for d := 1; d < p; d++ {
			q, err := comm.Isend(l.c, (me+d)%p, tagRows, all.Data[own.Lo*all.Cols:own.Hi*all.Cols])
			if err != nil {
				return err
			}
			requests = append(requests, q)
		}
	}
	if all.Cols == 0 { // nothing comes, and sums over no columns are wanted of all rows
		use(0, all.Rows)
		return nil
	}
	use(own.Lo, own.Hi)
	var done []int
	for left := len(requests); left > 0; {
		var err error
		if done, err = l.c.Some(requests, true, done[:0]); err != nil {
			return err
		}
		for _, i := range done {
			left--
			if _, err := requests[i].Status(); err != nil {
				return fmt.Errorf("rows of a batch: %w", err)
			}
			if i < len(from) {
				rows := l.rows(all.Rows, from[i])
				use(rows.Lo, rows.Hi)
			}
		}
	}
	return nil
}
