package sample

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Banded returns an n x n matrix whose entries are at most w from the diagonal. It is
// the mask of attention within a window, or the matrix of a difference equation.
func Banded[T dtype.Float](n, w int) (sparse.Matrix[T], error) {
	if w < 0 || w > sparse.MaxDim {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Banded", fmt.Sprintf("from 0 to %d", sparse.MaxDim), "a half width of %d", w)
	}
	if err := check("Banded", n, n, 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if int64(n)*int64(min(n, 2*w+1)) > sparse.MaxSlots {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Banded", mostFit, "%d rows of %d entries", n, min(n, 2*w+1))
	}
	p := newPattern(n, n, n*min(n, 2*w+1))
	for i := range n {
		for j := max(0, i-w); j <= min(n-1, i+w); j++ {
			p.add(j)
		}
		p.endRow()
	}
	return ones[T](p)
}

// Diagonals returns a matrix with the diagonals of these offsets, column minus row.
func Diagonals[T dtype.Float](rows, cols int, offsets ...int) (sparse.Matrix[T], error) {
	if err := check("Diagonals", rows, cols, 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	d := slices.Clone(offsets)
	slices.Sort(d)
	d = slices.Compact(d)
	if len(d) > 0 && (d[0] <= -rows || d[len(d)-1] >= cols) {
		return sparse.Matrix[T]{}, fail(sparse.ErrIndex, "Diagonals", fmt.Sprintf("from %d to %d", 1-rows, cols-1), "diagonals %d to %d of %d x %d", d[0], d[len(d)-1], rows, cols)
	}
	if int64(rows)*int64(len(d)) > sparse.MaxSlots {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Diagonals", mostFit, "%d diagonals of %d rows", len(d), rows)
	}
	p := newPattern(rows, cols, rows*len(d))
	for i := range rows {
		for _, o := range d {
			if j := i + o; j >= 0 && j < cols {
				p.add(j)
			}
		}
		p.endRow()
	}
	return ones[T](p)
}

// Butterfly returns an n x n matrix of full b x b blocks: those on the diagonal, and
// each whose column differs from its row in one bit, as a fast Fourier transform
// exchanges them. n is b times a power of two.
//
// Dao et al., Pixelated Butterfly, ICLR 2022.
func Butterfly[T dtype.Float](n, b int) (sparse.Matrix[T], error) {
	if err := check("Butterfly", n, n, 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if b < 1 || n%b != 0 || bits.OnesCount(uint(n/b)) != 1 {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Butterfly", "a power of two of them are needed", "blocks of %d in %d rows", b, n)
	}
	levels := bits.Len(uint(n/b)) - 1
	if int64(n)*int64(levels+1) > sparse.MaxSlots/int64(b) {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Butterfly", mostFit, "%d rows of %d blocks of %d", n, levels+1, b)
	}
	p := newPattern(n, n, n*(levels+1)*b)
	blocks := make([]int, 0, levels+1)
	for i := range n {
		blocks = append(blocks[:0], i/b)
		for l := range levels {
			blocks = append(blocks, i/b^1<<l)
		}
		slices.Sort(blocks)
		for _, jo := range blocks {
			for j := range b {
				p.add(jo*b + j)
			}
		}
		p.endRow()
	}
	return ones[T](p)
}
