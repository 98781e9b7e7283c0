// Package parts cuts sparse matrices by rows into what each rank has, in memory and in files.
package parts

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A Part is what one rank has of a sparse matrix A that is cut by rows. It has the
// rank's rows, and whose rows of B they read. Numbers of rows and columns of the whole
// are int64, so that it may be larger than any one rank could hold. A Part has the
// limits of a [sparse.Matrix].
//
//	            own columns      halo of rank 0   halo of rank 2 ...
//	          .--------------.------------------------------------.
//	interior  |  x  x    x   |                                    |   A of rank 1
//	          |    x   x     |                                    |
//	boundary  |  x     x     |   x       x            x           |
//	          '--------------'------------------------------------'
//
// [Divide], [Rows.Part] and [Read] make Parts in which the interior rows, whose
// columns are all the rank's own, come first.
type Part[T dtype.Float] struct {
	Rank, Ranks int
	Rows, Cols  int64 // of the whole matrix

	// ID is a fingerprint of the whole: entries and who owns what. Parts with different
	// ones do not belong together. 0 is not known.
	ID uint64

	OwnRows []int64 // the row of the whole that each row of A is
	OwnCols []int64 // the rows of B that this rank owns, which are the first columns of A
	// Halo is the columns of the whole that the other columns of A are. Those that rank q
	// owns are Halo[From[q]:From[q+1]].
	Halo []int64
	From []int

	// A is len(OwnRows) x (len(OwnCols) + len(Halo)). The entries of a row are in the
	// order of the columns of the whole.
	A sparse.Matrix[T]
}

// Conformal reports whether the rank owns the rows of B with the numbers of its rows
// of A, in the same order.
func (p *Part[T]) Conformal() bool { return slices.Equal(p.OwnRows, p.OwnCols) }

// Check returns nil, or says what is wrong with p: sizes that do not agree, numbers
// outside the whole, numbers that are there twice, or the rank's own numbers in its
// halo.
func (p *Part[T]) Check() error {
	m, n := p.A.Dims()
	switch {
	case p.Ranks < 1 || p.Rank < 0 || p.Rank >= p.Ranks:
		return fmt.Errorf("rank %d of %d", p.Rank, p.Ranks)
	case p.Rows < 0 || p.Cols < 0:
		return fmt.Errorf("the whole matrix is %d x %d", p.Rows, p.Cols)
	case m != len(p.OwnRows) || n != len(p.OwnCols)+len(p.Halo):
		return fmt.Errorf("A is %d x %d for %d own rows, %d own columns and %d of the halo", m, n, len(p.OwnRows), len(p.OwnCols), len(p.Halo))
	case len(p.From) != p.Ranks+1 || p.From[0] != 0 || p.From[p.Ranks] != len(p.Halo) || !slices.IsSorted(p.From):
		return fmt.Errorf("From does not cut the halo of %d columns into those of %d ranks: it wants %d numbers from 0, ascending", len(p.Halo), p.Ranks, p.Ranks+1)
	case p.From[p.Rank] != p.From[p.Rank+1]:
		return fmt.Errorf("rank %d has a halo of its own columns", p.Rank)
	}
	if err := distinctIDs("row", p.Rows, p.OwnRows); err != nil {
		return err
	}
	if p.Conformal() && p.Rows == p.Cols && len(p.Halo) == 0 {
		return nil
	}
	return distinctIDs("column", p.Cols, p.OwnCols, p.Halo)
}

// distinctIDs returns an error if a number is not below n or is there twice.
func distinctIDs(what string, n int64, lists ...[]int64) error {
	all := slices.Concat(lists...)
	slices.Sort(all)
	for k, id := range all {
		if id < 0 || id >= n {
			return fmt.Errorf("%s %d of a matrix that has %d", what, id, n)
		}
		if k > 0 && all[k-1] == id {
			return fmt.Errorf("%s %d is there twice", what, id)
		}
	}
	return nil
}

// fingerprint is what p adds to the ID of the whole. The ID is a sum, so it does not
// depend on the order in which parts and entries are met.
func (p *Part[T]) fingerprint() uint64 {
	sum := ownerPrint(1, p.OwnRows, p.Rank) + ownerPrint(2, p.OwnCols, p.Rank)
	own := len(p.OwnCols)
	for e, v := range p.A.All() {
		j := e.J
		if j < own {
			sum += entryPrint(p.OwnRows[e.I], p.OwnCols[j], float64(v))
		} else {
			sum += entryPrint(p.OwnRows[e.I], p.Halo[j-own], float64(v))
		}
	}
	return sum
}

func ownerPrint(kind uint64, ids []int64, rank int) (sum uint64) {
	for _, id := range ids {
		sum += mix64(mix64(kind, uint64(id)), uint64(rank))
	}
	return sum
}

func entryPrint(i, j int64, v float64) uint64 {
	return mix64(mix64(uint64(i)+1<<40, uint64(j)), math.Float64bits(v))
}

// wholeID makes the ID out of the sum of what all parts add to it.
func wholeID(sum uint64, ranks int, rows, cols int64) uint64 {
	return max(mix64(mix64(sum, uint64(ranks)), mix64(uint64(rows), uint64(cols))), 1)
}

// mix64 is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) over two
// words.
func mix64(x, y uint64) uint64 {
	z := x*0x9e3779b97f4a7c15 + y + 0x7f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
