package sample

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Uniform returns a matrix whose rows have degree entries each, anywhere.
func Uniform[T dtype.Float](rows, cols, degree int, seed uint64) (sparse.Matrix[T], error) {
	return rowsOf[T]("Uniform", rows, cols, degree, seed, func(p *pattern, c *chooser, i int) { c.choose(p, degree) })
}

// DenseRow is [Uniform] with a full row in the middle. It has a third of all entries if
// cols is half of what the other rows have together.
func DenseRow[T dtype.Float](rows, cols, degree int, seed uint64) (sparse.Matrix[T], error) {
	return rowsOf[T]("DenseRow", rows, cols, degree, seed, func(p *pattern, c *chooser, i int) {
		if i == rows/2 {
			degree := cols
			c.choose(p, degree)
			return
		}
		c.choose(p, degree)
	})
}

// DenseColumn is [Uniform] with a full column in the middle.
func DenseColumn[T dtype.Float](rows, cols, degree int, seed uint64) (sparse.Matrix[T], error) {
	return rowsOf[T]("DenseColumn", rows, cols, degree, seed, func(p *pattern, c *chooser, i int) {
		from := len(p.indices)
		c.choose(p, degree)
		for _, j := range p.indices[from:] {
			if int(j) == cols/2 {
				return
			}
		}
		if cols > 0 {
			p.add(cols / 2)
		}
	})
}

// EmptyRows is [Uniform] with half of the rows, here and there, empty.
func EmptyRows[T dtype.Float](rows, cols, degree int, seed uint64) (sparse.Matrix[T], error) {
	left, empty := rows, rows/2
	return rowsOf[T]("EmptyRows", rows, cols, degree, seed, func(p *pattern, c *chooser, i int) {
		if c.r.IntN(left) < empty {
			empty--
		} else {
			c.choose(p, degree)
		}
		left--
	})
}

func rowsOf[T dtype.Float](where string, rows, cols, degree int, seed uint64, row func(p *pattern, c *chooser, i int)) (sparse.Matrix[T], error) {
	if err := check(where, rows, cols, 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if degree < 0 || degree > cols || int64(rows)*int64(degree+1)+int64(cols) > sparse.MaxSlots {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, where, fmt.Sprintf("from 0 to %d, and at most %d in all", cols, sparse.MaxSlots), "%d entries in each of %d rows of %d columns", degree, rows, cols)
	}
	p := newPattern(rows, cols, rows*degree)
	c := &chooser{r: source(where, seed), in: make([]int32, cols)}
	for i := range rows {
		row(p, c, i)
		p.endRow()
	}
	return ones[T](p)
}

// chooser draws sets of columns.
type chooser struct {
	r     *rand.Rand
	in    []int32 // column j was drawn in this round
	round int32
}

// choose adds k different columns to p: it draws those that are, or if they are many
// those that are not.
func (c *chooser) choose(p *pattern, k int) {
	c.round++
	n := len(c.in)
	few := min(k, n-k)
	for left := few; left > 0; {
		j := c.r.IntN(n)
		if c.in[j] == c.round {
			continue
		}
		c.in[j] = c.round
		left--
		if few == k {
			p.add(j)
		}
	}
	if few < k {
		for j := range n {
			if c.in[j] != c.round {
				p.add(j)
			}
		}
	}
}

// Pruned returns a matrix of weights after pruning: of all elements a share of
// sparsity is gone, the others are anywhere.
func Pruned[T dtype.Float](rows, cols int, sparsity float64, seed uint64) (sparse.Matrix[T], error) {
	if err := share("Pruned", "sparsity", sparsity); err != nil {
		return sparse.Matrix[T]{}, err
	}
	return Blocks[T](rows, cols, 1, 1-sparsity, seed)
}

// Blocks returns a matrix of b x b blocks. A share of density of them, anywhere, is
// full; the others are empty. Those at the edges end there.
func Blocks[T dtype.Float](rows, cols, b int, density float64, seed uint64) (sparse.Matrix[T], error) {
	if err := check("Blocks", rows, cols, 0); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if err := share("Blocks", "density", density); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if b < 1 || b > sparse.MaxDim {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Blocks", fmt.Sprintf("from 1 to %d", sparse.MaxDim), "blocks of %d", b)
	}
	h, w := ceilDiv(rows, b), ceilDiv(cols, b)
	left := int64(h) * int64(w)
	full := int64(math.Round(density * float64(left)))
	if full*int64(b) > sparse.MaxSlots/int64(b) || left > 1<<36 {
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, "Blocks", mostFit, "%d blocks of %d x %d in %d x %d", full, b, b, rows, cols)
	}
	r := source("blocks", seed)
	p := newPattern(rows, cols, int(full)*b*b)
	var row []int32 // columns of the blocks of a block row
	for io := range h {
		row = row[:0]
		for jo := range w {
			// Each of the blocks that are left is full with the same probability
			// (Knuth, Seminumerical Algorithms, 3.4.2, algorithm S).
			if r.Int64N(left) < full {
				full--
				for j := jo * b; j < min(cols, jo*b+b); j++ {
					row = append(row, int32(j))
				}
			}
			left--
		}
		for range min(rows, io*b+b) - io*b {
			p.indices = append(p.indices, row...)
			p.endRow()
		}
	}
	return ones[T](p)
}
