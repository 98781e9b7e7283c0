package sparse

import (
	"fmt"
	"iter"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Pattern says which elements of a matrix are stored, and holds no values. Use it for the edges
// of a graph without weights, a mask, or the structure of a [Matrix]. It takes 4 bytes an entry
// and 4 a row. In products of package cpu each entry stands for 1. It is canonical, so an element
// is stored once or not, and it cannot be changed. The zero Pattern is 0 x 0. Pass it by value,
// as a slice.
type Pattern struct{ shape }

// Pattern returns which elements of m are stored, also where they are 0. It shares pointers and columns with m if m is
// canonical; m.DropZeros() comes first where zeros do not count.
func (m Matrix[T]) Pattern() Pattern { return m.s.some().pattern() }

// pattern returns the pattern of what need not be canonical.
func (s *csr) pattern() Pattern {
	if s.unsorted || s.duplicates {
		s, _ = gather(s.rows, s.cols, s.rowIndices(), s.indices)
	}
	return Pattern{shape{s}}
}

// Ones returns the matrix of type T that is 1 where p is stored. It shares pointers and columns with p.
func Ones[T dtype.Value](p Pattern) Matrix[T] { return Matrix[T]{shape{p.s}, ones[T](p.NNZ())} }

// PatternFromCOO returns the pattern of the elements at rows i[k] and columns j[k], such as the edges of
// a graph, in any order. It stores an element that is there several times once. The slices are only
// read.
func PatternFromCOO[I Index](rows, cols int, i, j []I) (Pattern, error) {
	const where = "sparse.PatternFromCOO"
	if len(i) != len(j) {
		return Pattern{}, Errorf(ErrLength, where, "as many of each", "%d rows and %d columns", len(i), len(j))
	}
	b := pairsOf(where, rows, cols, i, j)
	return b.pattern()
}

// PatternFromCSR returns the pattern whose row i has the columns pointers[i] to pointers[i+1]-1 of indices,
// in any order. It stores an element that is there several times once. The slices are copied.
func PatternFromCSR[I Index](rows, cols int, pointers, indices []I) (Pattern, error) {
	p, x, err := compressed("sparse.PatternFromCSR", rows, cols, rows, cols, pointers, indices, len(indices))
	if err != nil {
		return Pattern{}, err
	}
	return seal(rows, cols, p, x).pattern(), nil
}

// pattern returns which places there are.
func (b *pairList) pattern() (Pattern, error) {
	if b.err != nil {
		return Pattern{}, b.err
	}
	s, _ := gather(b.rows, b.cols, b.i, b.j)
	return Pattern{shape{s}}, nil
}

// Pattern returns p, as that of a matrix.
func (p Pattern) Pattern() Pattern { return p }

// String says what the pattern is, not what is in it.
func (p Pattern) String() string {
	return fmt.Sprintf("%d x %d with %d entries without values", p.Rows(), p.Cols(), p.NNZ())
}

// All yields every entry, row by row with ascending columns; K counts from 0.
func (p Pattern) All() iter.Seq[Entry] { return p.s.places() }

// Row yields the columns of row i in ascending order. It panics with a [layout.ShapeError] if there is no
// such row.
func (p Pattern) Row(i int) iter.Seq[int] {
	columns := p.s.row("Pattern.Row", i)
	return func(yield func(int) bool) {
		for _, j := range columns {
			if !yield(int(j)) {
				return
			}
		}
	}
}

// Has reports whether element (i, j) is stored. It panics with a [layout.ShapeError] if the indices are out
// of range.
func (p Pattern) Has(i, j int) bool {
	p.s.check("Pattern.Has", i, j)
	return p.s.has(i, j)
}

// RowCounts returns the number of entries of each row: of a graph, how many edges begin at each node.
func (p Pattern) RowCounts() []int {
	n := make([]int, p.Rows())
	for i := range n {
		n[i] = len(p.s.columns(i))
	}
	return n
}

// ColCounts returns the number of entries of each column: how many edges end at each node.
func (p Pattern) ColCounts() []int {
	n := make([]int, p.Cols())
	for _, j := range p.s.some().indices {
		n[j]++
	}
	return n
}

// CSR returns copies of the arrays: the columns of row i are pointers[i] to pointers[i+1]-1 of indices.
func (p Pattern) CSR() (pointers, indices []int32) {
	return clone(p.s.some().pointers), clone(p.s.some().indices)
}
