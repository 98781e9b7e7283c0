package layer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Placement says which rank has a row of a table, and which of that rank's rows it is.
type Placement func(id int64) (rank, row int)

// BlockPlacement gives n rows to p ranks in order: rank r has rows r*n/p to (r+1)*n/p-1.
// Owned says how many that are.
func BlockPlacement(n int64, p int) Placement {
	return func(id int64) (rank, row int) {
		// The last rank whose first row is id or before it; shares differ by at most one.
		share, more := n/int64(p), n%int64(p)
		first := func(r int64) int64 { return r*share + r*more/int64(p) }
		r := int64(p - 1)
		if share > 0 {
			r = min(id/share, r)
		}
		for first(r) > id {
			r--
		}
		return int(r), int(id - first(r))
	}
}

// CyclicPlacement deals rows to p ranks one after another: row i is row i/p of rank i%p.
func CyclicPlacement(p int) Placement {
	return func(id int64) (rank, row int) { return int(id % int64(p)), int(id / int64(p)) }
}

// Owned returns how many of n rows a placement gives to rank; it asks it n times.
func (at Placement) Owned(n int64, rank int) (rows int) {
	for id := range n {
		if r, _ := at(id); r == rank {
			rows++
		}
	}
	return rows
}

// A Lookup is an embedding layer over a table that is spread over ranks. It fetches rows by
// their numbers, and adds gradients to them.
type Lookup[T dtype.Float] struct {
	c        *comm.Comm // a group of its own
	turn     sync.Mutex
	rows     int64
	own      int
	features int
	at       Placement
	made     int // batches
}

// NewLookup returns the lookup in a table of rows rows with features columns; this rank owns
// own rows. All ranks call it for the same table. All ranks get an error if sizes differ, if
// the rows of the ranks are not all rows, or if placements differ in one of 4096 sampled
// rows. If placements differ only elsewhere, Batch returns an error when it asks a rank for a
// row that this rank does not own. Nobody checks which of its rows an owner sends.
func NewLookup[T dtype.Float](c *comm.Comm, rows int64, own, features int, at Placement) (*Lookup[T], error) {
	var err error
	switch {
	case rows < 0 || own < 0 || features < 0 || features > 1<<30:
		err = fmt.Errorf("a table of %d x %d, of which it has %d rows", rows, features, own)
	case at == nil && rows > 0:
		err = errors.New("no placement; want one that says where rows are, as BlockPlacement does")
	}
	facts := []comm.Fact{comm.NewFact("rows of the table", rows), comm.NewFact("features", features), comm.NewFact("element type", dtype.Of[T]())}
	if err == nil {
		facts = append(facts, comm.NewFact("the placement", at.describe(rows)))
	}
	if err := dist.Agree(c, "layer.NewLookup", err, facts...); err != nil {
		return nil, err
	}
	have := []int64{int64(own)}
	if err := comm.AllReduce(c, have, comm.Sum[int64]()); err != nil {
		return nil, fmt.Errorf("layer.NewLookup: %w", err)
	}
	if have[0] != rows {
		return nil, fmt.Errorf("layer.NewLookup: ranks have %d rows of a table of %d; want each row once", have[0], rows)
	}
	group, err := c.Split(0, c.Rank())
	if err != nil {
		return nil, fmt.Errorf("layer.NewLookup: %w", err)
	}
	return &Lookup[T]{c: group, rows: rows, own: own, features: features, at: at}, nil
}

// Close gives back what the transport holds for the table and for its batches. All ranks
// call it.
func (l *Lookup[T]) Close() error { return l.c.Close() }

// Tags of the messages of batches: two for each of so many.
const (
	tagBatch = 4
	batches  = 1000
)

// A Batch is some rows of the table, by their numbers, and who sends which of them. It
// serves any number of times, while the numbers are the same.
type Batch[T dtype.Float] struct {
	l *Lookup[T]
	// index says where the row of each number is: row i of this rank, or, as ^i, row i
	// of those that come in.
	index    []int32
	in       wire.Exchange[T] // of rows that are fetched
	back     wire.Exchange[T] // of what is added to them
	halo     []T              // rows that come in, or what is added to them
	given    []T              // what others add
	places   []int32          // the rows of this rank to which they do, by rank
	takers   []int            // those ranks, ascending
	from     []int            // those of takers[k] are places[from[k]:from[k+1]]
	received int
}

// Batch tells the owners of the rows ids which rows this rank wants. ids may have a row
// several times, and rows of any rank. Each row of another rank is asked for once. All
// ranks call it, each with its own numbers, or none.
func (l *Lookup[T]) Batch(ids []int64) (*Batch[T], error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	b := &Batch[T]{l: l, index: make([]int32, len(ids))}
	p, rank := l.c.Size(), l.c.Rank()
	type want struct {
		rank int
		id   int64
		k    int
	}
	var wants []want
	var err error
	for k, id := range ids {
		if id < 0 || id >= l.rows {
			err = fmt.Errorf("number %d is row %d of a table that has %d", k, id, l.rows)
			break
		}
		q, row := l.at(id)
		if q < 0 || q >= p || row < 0 || q == rank && row >= l.own || row > 1<<30 {
			err = fmt.Errorf("the placement says that row %d is row %d of rank %d, of %d", id, row, q, p)
			break
		}
		if q == rank {
			b.index[k] = int32(row)
			continue
		}
		wants = append(wants, want{q, id, k})
	}
	// By rank and number, so that each is asked for once. The owner is told the number, and
	// not which of its rows it is, so that it finds out if the ranks' placements differ.
	slices.SortFunc(wants, func(x, y want) int { return cmp.Or(x.rank-y.rank, cmp.Compare(x.id, y.id), x.k-y.k) })
	var ask []wire.Parcel[int64]
	distinct := 0
	for i, w := range wants {
		if i == 0 || w.rank != wants[i-1].rank {
			ask = append(ask, wire.Parcel[int64]{Rank: w.rank})
		}
		if i == 0 || w.rank != wants[i-1].rank || w.id != wants[i-1].id {
			to := &ask[len(ask)-1]
			to.Data = append(to.Data, w.id)
			distinct++
		}
		b.index[w.k] = ^int32(distinct - 1)
	}
	if err := dist.Agree(l.c, "layer.Lookup.Batch", err); err != nil {
		return nil, err
	}
	asked, err := wire.Swap(l.c, ask)
	if err != nil {
		return nil, fmt.Errorf("layer.Lookup.Batch: %w", err)
	}
	for _, x := range asked {
		b.from = append(b.from, len(b.places))
		b.takers = append(b.takers, x.Rank)
		for _, id := range x.Data {
			owner, row := l.at(id)
			switch {
			case err != nil:
			case owner != rank:
				err = fmt.Errorf("the ranks' placements differ: by that of rank %d row %d of the table is on this one, by that of this one on rank %d", x.Rank, id, owner)
			case row < 0 || row >= l.own || row > 1<<30:
				err = fmt.Errorf("its placement says that row %d of the table is its row %d; it has %d", id, row, l.own)
			}
			b.places = append(b.places, int32(row))
		}
	}
	b.from = append(b.from, len(b.places))
	if n := int64(len(b.places) + distinct); err == nil && n > min(1<<44, math.MaxInt/16)/int64(l.features+1) {
		err = fmt.Errorf("%d rows of %d features to send and receive take more memory than there is", n, l.features)
	}
	if err := dist.Agree(l.c, "layer.Lookup.Batch", err); err != nil {
		return nil, err
	}
	b.messages(ask, distinct)
	return b, nil
}

// messages prepares what is sent: rows to those who asked for them, and back.
func (b *Batch[T]) messages(ask []wire.Parcel[int64], distinct int) {
	f, rank := b.l.features, b.l.c.Rank()
	b.received = distinct
	b.halo, b.given = make([]T, distinct*f), make([]T, len(b.places)*f)
	// Tags of their own, so that ranks which take different batches, or do different things
	// with one, get nothing that was meant for another.
	tag := tagBatch + 2*(b.l.made%batches)
	b.l.made++
	b.in, b.back = wire.Exchange[T]{Tag: tag, Width: f}, wire.Exchange[T]{Tag: tag + 1, Width: f}
	if f == 0 {
		return
	}
	first := 0
	for _, x := range ask {
		rows := b.halo[first*f : (first+len(x.Data))*f]
		first += len(x.Data)
		b.in.In = append(b.in.In, wire.Message[T]{Rank: x.Rank, Data: rows})
		b.back.Out = append(b.back.Out, wire.Message[T]{Rank: x.Rank, Data: rows})
	}
	for k, q := range b.takers {
		rows := b.given[b.from[k]*f : b.from[k+1]*f]
		b.in.Out = append(b.in.Out, wire.Message[T]{Rank: q, Data: rows, Rows: b.places[b.from[k]:b.from[k+1]]})
		b.back.In = append(b.back.In, wire.Message[T]{Rank: q, Data: rows})
	}
	wire.Rotate(b.in.Out, rank)
	wire.Rotate(b.back.Out, rank)
}

// Received returns how many rows this rank receives: the numbers of other ranks' rows that
// differ. Sent returns how many it sends.
func (b *Batch[T]) Received() int { return b.received }

// Sent is described with Received.
func (b *Batch[T]) Sent() int { return len(b.places) }

// Gather copies the rows into out: row k is that with number ids[k]. table is this rank's
// rows. All ranks call it. Each sends one message to every rank that wants rows of it.
func (b *Batch[T]) Gather(out, table layout.Matrix[T]) error {
	return b.run(&b.in, table, out, func(table []T) error {
		f := b.l.features
		for i := range b.in.Out {
			if err := b.in.Send(i, table, nil); err != nil {
				return err
			}
		}
		for k, i := range b.index {
			if i >= 0 {
				copyRow(out, k, table[int(i)*f:int(i+1)*f])
			}
		}
		if err := b.in.Finish(); err != nil {
			return err
		}
		for k, i := range b.index {
			if i < 0 {
				copyRow(out, k, b.halo[int(^i)*f:int(^i+1)*f])
			}
		}
		return nil
	})
}

// Add adds row k of grad to the row with number ids[k], for all k. If grad is the gradient of
// what Gather returned, the table's gradient adds up in table, this rank's rows. All ranks call
// it. The rank that has rows with the same number first adds them up in their order. The sums
// of ranks are then added to the row in the order of ranks.
func (b *Batch[T]) Add(table, grad layout.Matrix[T]) error {
	return b.run(&b.back, table, grad, func(rows []T) error {
		f := b.l.features
		clear(b.halo)
		for k, i := range b.index {
			if i < 0 {
				addRow(b.halo[int(^i)*f:int(^i+1)*f], grad, k)
			}
		}
		for i := range b.back.Out {
			if err := b.back.Send(i, nil, nil); err != nil {
				return err
			}
		}
		own := map[int32][]T{} // this rank's sums, each of which is one term of its row's
		var order []int32
		for k, i := range b.index {
			if i < 0 {
				continue
			}
			if own[i] == nil {
				own[i] = make([]T, f)
				order = append(order, i)
			}
			addRow(own[i], grad, k)
		}
		if err := b.back.Finish(); err != nil {
			return err
		}
		mine, _ := slices.BinarySearch(b.takers, b.l.c.Rank()) // of the takers those before it have lower numbers
		for k := range len(b.takers) + 1 {
			if k == mine {
				for _, i := range order {
					addTo(rows[int(i)*f:int(i+1)*f], own[i])
				}
			}
			if k == len(b.takers) {
				break
			}
			for at := b.from[k]; at < b.from[k+1]; at++ {
				i := int(b.places[at])
				addTo(rows[i*f:(i+1)*f], b.given[at*f:(at+1)*f])
			}
		}
		return nil
	})
}

var errContiguous = errors.New("the rows of table are not contiguous, one after another; want a row-major matrix")

// run checks what Gather and Add take, and does one of them. If a call cannot be done,
// ranks that need its messages get an error as well.
func (b *Batch[T]) run(t *wire.Exchange[T], table, rows layout.Matrix[T], do func(table []T) error) (err error) {
	l := b.l
	if !l.turn.TryLock() {
		return fmt.Errorf("rank %d: layer.Lookup: another call with this table is under way; make a Lookup for each goroutine", l.c.Rank())
	}
	defer l.turn.Unlock()
	switch {
	case table.Rows != l.own || table.Cols != l.features:
		err = fmt.Errorf("the table is %d x %d; want this rank's %d rows of %d", table.Rows, table.Cols, l.own, l.features)
	case rows.Rows != len(b.index) || rows.Cols != l.features:
		err = fmt.Errorf("the rows are %d x %d; want %d numbers and %d features", rows.Rows, rows.Cols, len(b.index), l.features)
	default:
		if err = table.CheckOut("table"); err == nil {
			err = rows.Check("rows")
		}
		if err == nil && table.Rows > 0 && table.Cols > 0 && (table.ColStride != 1 && table.Cols > 1 || table.RowStride != table.Cols && table.Rows > 1) {
			err = errContiguous
		}
	}
	if err == nil && t == &b.in {
		err = rows.CheckOut("out")
	}
	if err != nil {
		t.Refuse(l.c)
		return fmt.Errorf("rank %d: layer.Lookup: %w", l.c.Rank(), err)
	}
	if err := t.Start(l.c); err != nil {
		return err
	}
	return do(table.Data)
}

func copyRow[T dtype.Float](out layout.Matrix[T], k int, row []T) {
	if out.ColStride == 1 && len(row) > 0 { // without elements out may be so too
		copy(out.Data[k*out.RowStride:], row)
		return
	}
	for j, x := range row {
		out.Data[k*out.RowStride+j*out.ColStride] = x
	}
}

func addRow[T dtype.Float](sum []T, m layout.Matrix[T], k int) {
	for j := range sum {
		sum[j] += m.Data[k*m.RowStride+j*m.ColStride]
	}
}

func addTo[T dtype.Float](sum, x []T) {
	for j, v := range x {
		sum[j] += v
	}
}
