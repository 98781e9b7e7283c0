package dist

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// SparseOptions say how a [Sparse] sends what it sends, and multiplies. They are the
// same on all ranks.
type SparseOptions struct {
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

// A Sparse is a sparse matrix that is spread over ranks, with the plan of which rows
// each rank sends to which: its halo. It cannot be changed. Products with it, [Sparse.SpMM]
// and that of [Sparse.T], take their turns: all ranks call them in the same order, one
// at a time.
type Sparse[T dtype.Float] struct {
	c          *comm.Comm  // a group of its own, so that its messages meet no others
	turn       *sync.Mutex // held during a product
	whole      [2]int64
	rows, cols []int64
	halo       halo
	a          sparse.Matrix[T] // own rows x (own columns + what comes in)
	exports    sparse.Matrix[T] // sums for others: a row each x own columns
	partial    []int32          // the row of a to which what comes in is added as it is, -1 if it is multiplied
	place      spmmPlaces
	tasks      []spmmTask[T]
	opt        SparseOptions
	transposed bool // by T
}

// NewSparse makes the plan of a matrix; every rank has a part. All ranks call it. If the
// parts are not those of one matrix, or options differ, all get an error.
func NewSparse[T dtype.Float](c *comm.Comm, p Part[T], opt SparseOptions) (*Sparse[T], error) {
	if opt.Chunks == 0 {
		opt.Chunks = 1
	}
	err := comm.Agree(c, spmmCheck(c, p, opt),
		comm.NewFact("rows of the matrix", p.Rows), comm.NewFact("columns of the matrix", p.Cols), comm.NewFact("which matrix the parts are of, by its ID", fmt.Sprintf("%#x", p.ID)),
		comm.NewFact("element type", dtype.Of[T]()), comm.NewFact("SparseOptions.Chunks", opt.Chunks), comm.NewFact("SparseOptions.Cover", opt.Cover),
		comm.NewFact("SparseOptions.Format", opt.Format.Name), comm.NewFact("SparseOptions.Advise", opt.Advise))
	if err != nil {
		return nil, fmt.Errorf("dist.NewSparse: %w", err)
	}
	if err := spmmCheckWhole(c, p); err != nil {
		return nil, fmt.Errorf("dist.NewSparse: %w", err)
	}
	w, err := newSpmmWants(p, opt)
	if err := comm.Agree(c, err); err != nil {
		return nil, fmt.Errorf("dist.NewSparse: %w", err)
	}
	if c, err = c.Split(0, c.Rank()); err != nil {
		return nil, fmt.Errorf("dist.NewSparse: %w", err)
	}
	s, err := w.settle(c)
	if err != nil {
		return nil, fmt.Errorf("dist.NewSparse: %w", err)
	}
	if err := comm.Agree(c, s.lay()); err != nil {
		return nil, fmt.Errorf("dist.NewSparse: %w", err)
	}
	return s, nil
}

// spmmCheck is what a rank can see for itself.
func spmmCheck[T dtype.Float](c *comm.Comm, p Part[T], opt SparseOptions) error {
	switch {
	case p.Rank != c.Rank() || p.Ranks != c.Size():
		return fmt.Errorf("rank %d of %d has the part of rank %d of %d; want a part for each rank", c.Rank(), c.Size(), p.Rank, p.Ranks)
	case opt.Chunks < 1 || opt.Chunks > 1<<12:
		return fmt.Errorf("SparseOptions.Chunks is %d; want 1 to 4096", opt.Chunks)
	case opt.Advise != 0 && len(opt.Format.Axes) > 0:
		return errors.New("SparseOptions has a Format and asks Advise for one; set one of them")
	}
	return p.Check()
}

// spmmCheckWhole checks that every row and column is owned once. If the ID is known, it
// checks that the parts are those of the matrix with that ID.
func spmmCheckWhole[T dtype.Float](c *comm.Comm, p Part[T]) error {
	sums := []uint64{uint64(len(p.OwnRows)), uint64(len(p.OwnCols)), 0}
	if p.ID != 0 {
		sums[2] = p.fingerprint()
	}
	sums = append(sums, ownerSums(p.OwnRows, p.OwnCols)...)
	if err := comm.AllReduce(c, sums, comm.Sum[uint64]()); err != nil {
		return err
	}
	rows, cols, sum := int64(sums[0]), int64(sums[1]), sums[2]
	switch {
	case rows != p.Rows || cols != p.Cols:
		return fmt.Errorf("the parts of all ranks have %d rows and %d columns of a matrix that is %d x %d; want each once", rows, cols, p.Rows, p.Cols)
	case !ownedOnce(sums[3:], p.Rows, p.Cols):
		return errors.New("some row or column is owned by several ranks, and another by none; want each once")
	case p.ID != 0 && wholeID(sum, p.Ranks, p.Rows, p.Cols) != p.ID:
		return fmt.Errorf("the parts are not those of the matrix with ID %#x that they name; want parts that were made together", p.ID)
	}
	return nil
}

// Rows returns which row of the whole matrix, and of Y, each row of this rank is. The
// slice must not be changed.
func (s *Sparse[T]) Rows() []int64 { return s.rows }

// Cols returns which row of B each row of this rank's is, likewise. If the rank owns the
// rows of B with the numbers of its rows, the two are the same.
func (s *Sparse[T]) Cols() []int64 { return s.cols }

// Dims returns the size of the whole matrix.
func (s *Sparse[T]) Dims() (rows, cols int64) { return s.whole[0], s.whole[1] }

// Close gives back what the transport holds for the matrix, its transposed one and
// products with them, which cannot be used any more. All ranks call it.
func (s *Sparse[T]) Close() error { return s.c.Close() }

// NNZ returns the entries that this rank multiplies by in a product: its own, and those
// of sums that it forms for others.
func (s *Sparse[T]) NNZ() int {
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
func (s *Sparse[T]) Halo() (rowsSent, rowsReceived, messagesSent, messagesReceived int) {
	messages(s.halo.out, func(*haloPeer, int) { messagesSent++ })
	messages(s.halo.in, func(*haloPeer, int) { messagesReceived++ })
	return s.halo.sent(), s.halo.received(), messagesSent, messagesReceived
}

// Overlapped returns the share of this rank's entries, 0 to 1, that needs no rows of other
// ranks. They can be multiplied while those rows arrive.
func (s *Sparse[T]) Overlapped() float64 {
	work, all := 0, 0
	for _, k := range s.tasks {
		n := k.a.NNZ()
		if all += n; len(k.need) == 0 && k.after < 0 {
			work += n
		}
	}
	return float64(work) / float64(max(all, 1))
}

// spmmWants is what a rank asks of others: rows of B, and sums.
type spmmWants[T dtype.Float] struct {
	p    Part[T]
	opt  SparseOptions
	read []bool // columns of the halo that are asked for
	keep []bool // entries of p.A that are multiplied here; nil: all

	owners []int          // the ranks that own columns of the halo
	sums   [][]spmmSum[T] // of each of them
}

// spmmSum is one row of Y to which another rank sends what its rows of B add.
type spmmSum[T dtype.Float] struct {
	row     int
	columns []int64 // of the whole
	values  []T
}

// newSpmmWants decides which entries are multiplied where.
func newSpmmWants[T dtype.Float](p Part[T], opt SparseOptions) (*spmmWants[T], error) {
	w := &spmmWants[T]{p: p, opt: opt, read: make([]bool, len(p.Halo))}
	for q := range p.Ranks {
		if p.From[q+1] > p.From[q] {
			w.owners = append(w.owners, q)
		}
	}
	w.sums = make([][]spmmSum[T], len(w.owners))
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
