package layer

import (
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling"
)

// spread brings the rows of a batch to a rank and returns all of them: x, or with Sequence what
// it gathers into a matrix. It calls use for rows that are there, all at once or some at a time.
func (l *Layer[T]) spread(into *layout.Matrix[T], x layout.Matrix[T], batch int, use func(all layout.Matrix[T], lo, hi int)) (all layout.Matrix[T], err error) {
	if !l.opt.Sequence {
		use(x, 0, batch)
		return x, nil
	}
	room(into, batch, x.Cols)
	return *into, l.gather(*into, x, func(lo, hi int) { use(*into, lo, hi) })
}

// join leaves in out the sum over ranks of what multiply returns for rows of a batch, of all or
// with Sequence of this rank's. An element takes so many multiplications. meanwhile, if not nil,
// is called while the last sums are on their way. finish, if not nil, is done without Sequence
// to each part of the sum where it was added up, with the element of out at which it begins.
func (l *Layer[T]) join(out layout.Matrix[T], batch, depth int, multiply func(out layout.Matrix[T], lo, hi int), finish func(own []T, at int), meanwhile func()) (err error) {
	to := out
	if !compact(out) {
		to = l.temp(2, out.Rows, out.Cols)
	}
	if l.opt.Sequence {
		err = l.scatter(to, batch, multiply, meanwhile)
	} else {
		err = l.reduce(to, depth*to.Cols, func(lo, hi int) { multiply(to.Slice(lo, hi, 0, to.Cols), lo, hi) }, finish, meanwhile)
	}
	if err == nil && !compact(out) {
		local.Copy(out, to)
	}
	return err
}

// poll is about how many multiplications are done before messages are looked after
// again, if there are any: some tenths of a millisecond.
const poll = 16 << 20

// chunks is into how many parts a sum of so many rows and columns is cut. Products of more
// rows than the skinny ones, and of more columns, add in an order that the depth alone
// decides. A part of their rows therefore has the bits of the whole.
func (l *Layer[T]) chunks(rows, cols int) int {
	if cols <= tiling.SkinnyMost {
		return 1
	}
	return max(1, min(l.opt.Chunks, rows/(tiling.SkinnyMost+1)))
}

// reduce is join without Sequence into sum, which is row-major without gaps. compute does rows
// lo to hi at a time, each of so many multiplications.
func (l *Layer[T]) reduce(sum layout.Matrix[T], perRow int, compute func(lo, hi int), finish func(own []T, at int), meanwhile func()) error {
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
		if err := sums.start(sum.Data[first:part.Hi*sum.Cols], f); err != nil {
			return err
		}
	}
	if meanwhile != nil {
		meanwhile()
	}
	return sums.wait()
}

// scatter is join with Sequence into mine, which has no gaps. The rows of the next rank come
// first and its own last, so that all are sent while others are computed.
func (l *Layer[T]) scatter(mine layout.Matrix[T], batch int, compute func(out layout.Matrix[T], lo, hi int), meanwhile func()) error {
	me, p := l.c.Rank(), l.c.Size()
	f := wire.Flight[T]{C: l.c}
	parts := make([][]T, p)
	for d := 1; d < p; d++ {
		r := (me + p - d) % p
		parts[r] = make([]T, mine.Rows*mine.Cols)
		if err := f.Receive(r, r, tagRows, parts[r]); err != nil {
			return err
		}
	}
	room := l.temp(1, batch, mine.Cols)
	for d := 1; d < p; d++ {
		r := (me + d) % p
		rows := l.rows(batch, r)
		out := room.Slice(rows.Lo, rows.Hi, 0, room.Cols)
		compute(out, rows.Lo, rows.Hi)
		if err := f.Send(-1, r, tagRows, out.Data[:out.Rows*out.Cols]); err != nil {
			return err
		}
		if _, err := f.Poll(false); err != nil {
			return err
		}
	}
	rows := l.rows(batch, me)
	compute(mine, rows.Lo, rows.Hi)
	if meanwhile != nil {
		meanwhile()
	}
	if err := f.Wait(); err != nil {
		return err
	}
	parts[me] = mine.Data[:mine.Rows*mine.Cols]
	addAll(parts[me], parts)
	return nil
}

// gather brings the rows of all ranks into all; mine are this rank's. It calls use for
// the rows of each rank when they are there, its own first. all has no gaps.
func (l *Layer[T]) gather(all, mine layout.Matrix[T], use func(lo, hi int)) error {
	me, p := l.c.Rank(), l.c.Size()
	data := func(r int) []T {
		rows := l.rows(all.Rows, r)
		return all.Data[rows.Lo*all.Cols : rows.Hi*all.Cols]
	}
	own := l.rows(all.Rows, me)
	local.Copy(all.Slice(own.Lo, own.Hi, 0, all.Cols), mine)
	f := wire.Flight[T]{C: l.c}
	for d := 1; d < p; d++ {
		r := (me + p - d) % p
		if err := f.Receive(r, r, tagRows, data(r)); err != nil {
			return err
		}
	}
	for d := 1; d < p; d++ {
		if err := f.Send(-1, (me+d)%p, tagRows, data(me)); err != nil {
			return err
		}
	}
	if all.Cols == 0 { // nothing comes, and sums over no columns are wanted of all rows
		use(0, all.Rows)
		return nil
	}
	use(own.Lo, own.Hi)
	for f.Len() > 0 {
		came, err := f.Poll(true)
		if err != nil {
			f.Drain()
			return err
		}
		for _, r := range came {
			if r >= 0 {
				rows := l.rows(all.Rows, r)
				use(rows.Lo, rows.Hi)
			}
		}
	}
	return nil
}
