package spmm

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// Options say how a [Matrix] sends what it sends, and multiplies. They are the
// same on all ranks.
type Options struct {
	// Cover sends for each pair of ranks the fewest rows that the receiver can do with.
	// They are rows of B, or sums that the sender forms of several of its rows of B for
	// one row of Y. It is for ordinary sums of products, and adds these sums in other
	// places.
	Cover bool

	// Chunks is the number of messages in which the rows for one rank are sent; 0 is 1. With
	// more than one, rows of Y that read rows of other ranks are computed in steps. The first
	// step adds the rank's own rows of B while nothing has arrived. Each further step adds a
	// chunk while the next is on its way. Each such row takes memory for two more rows of B.
	// Like Cover, it is for ordinary sums of products. It pays where messages take about as
	// long as the product.
	Chunks int

	// Format is what the matrix is multiplied in; the zero Format is compressed rows.
	Format format.Format

	// Advise, if not 0, chooses how to store the rank's matrix. It is the fastest way that
	// [advise.For] knows for so many features, on one thread of this machine. Its
	// choice, and so the order of additions, may differ from machine to machine.
	Advise int
}

// A Matrix is a sparse matrix that is spread over ranks, with the plan of which rows
// each rank sends to which: its halo. It cannot be changed. Products with it, [Matrix.Product]
// and that of [Matrix.T], take their turns: all ranks call them in the same order, one
// at a time.
type Matrix[T dtype.Float] struct {
	c          *comm.Comm  // a group of its own, so that its messages meet no others
	turn       *sync.Mutex // held during a product
	whole      [2]int64
	rows, cols []int64
	halo       halo
	a          sparse.Matrix[T] // own rows x (own columns + what comes in)
	exports    sparse.Matrix[T] // sums for others: a row each x own columns
	partial    []int32          // the row of a to which what comes in is added as it is, -1 if it is multiplied
	place      places
	tasks      []task[T]
	opt        Options
	transposed bool // by T
}

// New makes the plan of a matrix; every rank has a part. All ranks call it. If the
// parts are not those of one matrix, or options differ, all get an error.
func New[T dtype.Float](c *comm.Comm, p parts.Part[T], opt Options) (*Matrix[T], error) {
	if opt.Chunks == 0 {
		opt.Chunks = 1
	}
	const what = "spmm.New"
	err := dist.Agree(c, what, opt.check(), comm.NewFact("Options.Chunks", opt.Chunks), comm.NewFact("Options.Cover", opt.Cover),
		comm.NewFact("Options.Format", opt.Format.Name), comm.NewFact("Options.Advise", opt.Advise))
	if err != nil {
		return nil, err
	}
	if err := p.CheckWhole(c); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	w, err := newWants(p, opt)
	if err := dist.Agree(c, what, err); err != nil {
		return nil, err
	}
	if c, err = c.Split(0, c.Rank()); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	s, err := w.settle(c, what)
	if err != nil {
		return nil, err
	}
	if err := dist.Agree(c, what, s.lay()); err != nil {
		return nil, err
	}
	return s, nil
}

func (o Options) check() error {
	switch {
	case o.Chunks < 1 || o.Chunks > 1<<12:
		return fmt.Errorf("Options.Chunks is %d; want 1 to 4096", o.Chunks)
	case o.Advise != 0 && len(o.Format.Axes) > 0:
		return errors.New("Options has a Format and asks Advise for one; set one of them")
	}
	return nil
}

// Rows returns which row of the whole matrix, and of Y, each row of this rank is. The
// slice must not be changed.
func (s *Matrix[T]) Rows() []int64 { return s.rows }

// Cols returns which row of B each row of this rank's is, likewise. If the rank owns the
// rows of B with the numbers of its rows, the two are the same.
func (s *Matrix[T]) Cols() []int64 { return s.cols }

// Dims returns the size of the whole matrix.
func (s *Matrix[T]) Dims() (rows, cols int64) { return s.whole[0], s.whole[1] }

// Close gives back what the transport holds for the matrix, its transposed one and
// products with them, which cannot be used any more. All ranks call it.
func (s *Matrix[T]) Close() error { return s.c.Close() }

// NNZ returns the entries that this rank multiplies by in a product: its own, and those
// of sums that it forms for others.
func (s *Matrix[T]) NNZ() int {
	n := s.a.NNZ() + s.exports.NNZ()
	for _, row := range s.partial {
		if row >= 0 {
			n-- // its factor of 1 is not an entry of the matrix
		}
	}
	return n
}

// Halo returns how many rows this rank sends and receives in a product with one dense
// matrix, and in how many messages.
func (s *Matrix[T]) Halo() (rowsSent, rowsReceived, messagesSent, messagesReceived int) {
	messages(s.halo.out, func(*peer, int) { messagesSent++ })
	messages(s.halo.in, func(*peer, int) { messagesReceived++ })
	return s.halo.sent(), s.halo.received(), messagesSent, messagesReceived
}

// Overlapped returns the share of this rank's entries, 0 to 1, that needs no rows of other
// ranks. They can be multiplied while those rows arrive.
func (s *Matrix[T]) Overlapped() float64 {
	work, all := 0, 0
	for _, k := range s.tasks {
		n := k.a.NNZ()
		if all += n; len(k.need) == 0 && k.after < 0 {
			work += n
		}
	}
	return float64(work) / float64(max(all, 1))
}

// wants is what a rank asks of others: rows of B, and sums.
type wants[T dtype.Float] struct {
	p    parts.Part[T]
	opt  Options
	read []bool // columns of the halo that are asked for
	keep []bool // entries of p.A that are multiplied here; nil: all

	owners []int      // the ranks that own columns of the halo
	sums   [][]sum[T] // of each of them
}

// sum is one row of Y to which another rank sends what its rows of B add.
type sum[T dtype.Float] struct {
	row     int
	columns []int64 // of the whole
	values  []T
}

// newWants decides which entries are multiplied where.
func newWants[T dtype.Float](p parts.Part[T], opt Options) (*wants[T], error) {
	w := &wants[T]{p: p, opt: opt, read: make([]bool, len(p.Halo))}
	for q := range p.Ranks {
		if p.From[q+1] > p.From[q] {
			w.owners = append(w.owners, q)
		}
	}
	w.sums = make([][]sum[T], len(w.owners))
	if opt.Cover {
		if err := w.cover(); err != nil {
			return nil, err
		}
	}
	for e := range p.A.All() {
		if k := e.J - len(p.OwnCols); k >= 0 && (w.keep == nil || w.keep[e.K]) {
			w.read[k] = true
		}
	}
	return w, nil
}
