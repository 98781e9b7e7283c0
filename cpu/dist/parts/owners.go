package parts

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// CheckWhole returns nil on all ranks if their parts are those of one matrix: every row and
// column is owned once, and entries and owners are those of the ID, if that is known. All
// ranks call it.
func (p *Part[T]) CheckWhole(c *comm.Comm) error {
	err := p.Check()
	if p.Rank != c.Rank() || p.Ranks != c.Size() {
		err = fmt.Errorf("rank %d of %d has the part of rank %d of %d; want a part for each rank", c.Rank(), c.Size(), p.Rank, p.Ranks)
	}
	err = dist.Agree(c, "parts.Part.CheckWhole", err,
		comm.NewFact("rows of the matrix", p.Rows), comm.NewFact("columns of the matrix", p.Cols),
		comm.NewFact("which matrix the parts are of, by its ID", fmt.Sprintf("%#x", p.ID)), comm.NewFact("element type", dtype.Of[T]()))
	if err != nil {
		return err
	}
	sums := append([]uint64{uint64(len(p.OwnRows)), uint64(len(p.OwnCols)), 0}, ownerSums(p.OwnRows, p.OwnCols)...)
	if p.ID != 0 {
		sums[2] = p.fingerprint()
	}
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

// ownerSums are sums of numbers of rows and of columns and of their squares, modulo 2^64.
// If n numbers below n are not all different, their sums differ from those of all
// numbers, except by coincidence.
func ownerSums(rows, cols []int64) []uint64 {
	sums := make([]uint64, 4)
	for k, list := range [][]int64{rows, cols} {
		for _, id := range list {
			sums[2*k] += uint64(id)
			sums[2*k+1] += uint64(id) * uint64(id)
		}
	}
	return sums
}

// ownedOnce reports whether sums, added up over all ranks, are those of all rows and columns.
func ownedOnce(sums []uint64, rows, cols int64) bool {
	for k, n := range []int64{rows, cols} {
		first, squares := wholeSums(n)
		if sums[2*k] != first || sums[2*k+1] != squares {
			return false
		}
	}
	return true
}

// wholeSums are n(n-1)/2 and n(n-1)(2n-1)/6, modulo 2^64.
func wholeSums(n int64) (first, squares uint64) {
	x, m, d := big.NewInt(n), big.NewInt(n-1), new(big.Int)
	x.Mul(x, m)
	d.Rsh(x, 1)
	word := new(big.Int).SetUint64(^uint64(0))
	first = d.And(d, word).Uint64()
	m.Add(m, big.NewInt(n)) // 2n-1
	x.Mul(x, m).Div(x, big.NewInt(6))
	return first, x.And(x, word).Uint64()
}
