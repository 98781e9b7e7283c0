package sparse

import (
	"fmt"
	"iter"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Pattern says which elements of a matrix are stored, and holds no values. Use it for the edges
// of a graph without weights, a mask, or the structure of a [Matrix]. It takes 4 bytes an entry
// and 4 a row. In products of package cpu each entry stands for 1. It is canonical, so an element
// is stored once or not, and it cannot be changed. The zero Pattern is 0 x 0. Pass it by value,
// as a slice.
type Pattern csr[struct{}]

// Pattern returns which elements of m are stored, also where they are 0. It shares pointers and columns with m if m is
// canonical; m.DropZeros() comes first where zeros do not count.
func (m Matrix[T]) Pattern() Pattern {
	c := m.Canonical()
	return Pattern{rows: c.rows, cols: c.cols, pointers: c.pointers, indices: c.indices, values: make([]struct{}, c.NNZ())}
}

// Ones returns the matrix of type T that is 1 where p is stored. It shares pointers and columns with p.
func Ones[T dtype.Value](p Pattern) Matrix[T] {
	values := make([]T, p.NNZ())
	for k := range values {
		values[k] = 1
	}
	return Matrix[T]{rows: p.rows, cols: p.cols, pointers: p.pointers, indices: p.indices, values: values}
}

// WithValues returns the matrix with values[k] at the entry that p.All yields with K = k. It shares pointers and columns
// with p; the values are copied. It is an error if there are not as many.
func WithValues[T dtype.Value](p Pattern, values []T) (Matrix[T], error) {
	if len(values) != p.NNZ() {
		return Matrix[T]{}, fail(ErrLength, "sparse.WithValues", "one an entry", "%d values for %d entries", len(values), p.NNZ())
	}
	return Matrix[T]{rows: p.rows, cols: p.cols, pointers: p.pointers, indices: p.indices, values: clone(values)}, nil
}

// PatternFromCOO returns the pattern of the elements at rows i[k] and columns j[k], such as the edges of
// a graph, in any order. It stores an element that is there several times once. The slices are only
// read.
func PatternFromCOO[I Index](rows, cols int, i, j []I) (Pattern, error) {
	const where = "sparse.PatternFromCOO"
	if len(i) != len(j) {
		return Pattern{}, fail(ErrLength, where, "as many of each", "%d rows and %d columns", len(i), len(j))
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
	m := seal(rows, cols, p, x, make([]struct{}, len(x)))
	if m.unsorted || m.duplicates {
		m = gather(rows, cols, m.rowIndices(), m.indices, m.values, joined)
	}
	return Pattern(m), nil
}

// joined makes one entry of two.
func joined(*struct{}, struct{}) {}

// pattern returns which places there are.
func (b *pairList) pattern() (Pattern, error) {
	if b.err != nil {
		return Pattern{}, b.err
	}
	return Pattern(gather(b.rows, b.cols, b.i, b.j, make([]struct{}, len(b.i)), joined)), nil
}

// Pattern returns p, as that of a matrix.
func (p Pattern) Pattern() Pattern { return p }

// Dims returns the number of rows and columns.
func (p Pattern) Dims() (rows, cols int) { return p.rows, p.cols }

// Rows returns the number of rows.
func (p Pattern) Rows() int { return p.rows }

// Cols returns the number of columns.
func (p Pattern) Cols() int { return p.cols }

// NNZ returns the number of entries.
func (p Pattern) NNZ() int { return len(p.indices) }

// String says what the pattern is, not what is in it.
func (p Pattern) String() string {
	return fmt.Sprintf("%d x %d with %d entries without values", p.rows, p.cols, p.NNZ())
}

// All yields every entry, row by row with ascending columns; K counts from 0.
func (p Pattern) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range p.rows {
			for k := p.pointers[i]; k < p.pointers[i+1]; k++ {
				if !yield(Entry{i, int(p.indices[k]), int(k)}) {
					return
				}
			}
		}
	}
}

// Row yields the columns of row i in ascending order. It panics with a [layout.ShapeError] if there is no
// such row.
func (p Pattern) Row(i int) iter.Seq[int] {
	p.check("sparse.Pattern.Row", i, 0)
	return func(yield func(int) bool) {
		columns, _ := csr[struct{}](p).entries(i)
		for _, j := range columns {
			if !yield(int(j)) {
				return
			}
		}
	}
}

// RowNNZ returns the number of entries of row i, such as the degree of a node, and panics as Row does.
func (p Pattern) RowNNZ(i int) int {
	p.check("sparse.Pattern.RowNNZ", i, 0)
	return int(p.pointers[i+1] - p.pointers[i])
}

// Has reports whether element (i, j) is stored. It panics with a [layout.ShapeError] if the indices are out
// of range.
func (p Pattern) Has(i, j int) bool {
	p.check("sparse.Pattern.Has", i, j)
	return j < p.cols && csr[struct{}](p).has(i, j)
}

// check panics if there is no row i or no column j. Column 0 is always there, for rows alone.
func (p Pattern) check(where string, i, j int) {
	if uint(i) >= uint(p.rows) || uint(j) >= uint(max(p.cols, 1)) {
		panic(layout.ShapeError{What: where, Why: fmt.Sprintf("row %d, column %d of a %d x %d pattern", i, j, p.rows, p.cols)})
	}
}

// RowCounts returns the number of entries of each row: of a graph, how many edges begin at each node.
func (p Pattern) RowCounts() []int {
	n := make([]int, p.rows)
	for i := range n {
		n[i] = int(p.pointers[i+1] - p.pointers[i])
	}
	return n
}

// ColCounts returns the number of entries of each column: how many edges end at each node.
func (p Pattern) ColCounts() []int {
	n := make([]int, p.cols)
	for _, j := range p.indices {
		n[j]++
	}
	return n
}

// CSR returns copies of the arrays: the columns of row i are pointers[i] to pointers[i+1]-1 of indices.
func (p Pattern) CSR() (pointers, indices []int32) {
	pointers = clone(p.pointers)
	if pointers == nil {
		pointers = []int32{0}
	}
	return pointers, clone(p.indices)
}
