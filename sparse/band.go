package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Band is a view of the entries of a matrix on some diagonals, such as those of a triangle. It shares the
// matrix's columns and values and takes 8 bytes a row; [Matrix.Tril] builds a matrix with the same entries.
// cpu.SpMM and SpMV multiply by it. Use a Band to save memory, or for few products. Many products are faster
// with the result of Tril.
//
// The transpose of a band is the band of the transpose on the diagonals -hi to -lo. So for out = m.Lower(k)*b
// the gradient by b is m.Transpose().Upper(-k) times that of out. The zero Band is 0 x 0.
type Band[T dtype.Value] struct {
	m               Matrix[T]
	first, pointers []int32 // of each row: where its entries begin in m, and how many there are before it
}

// Band returns the entries of m, taken as canonical, on diagonals lo to hi: columns i + lo to i + hi of row i.
func (m Matrix[T]) Band(lo, hi int) Band[T] {
	c := m.Canonical()
	first, pointers := c.s.diagonals(lo, hi)
	return Band[T]{c, first, pointers}
}

// Lower returns the entries on and below diagonal k, which is j = i + k: what [Matrix.Tril] returns, where they
// are. A diagonal of ones besides, as of a unit triangle, is m.Lower(-1) times b added to b.
func (m Matrix[T]) Lower(k int) Band[T] { return m.Band(-m.Rows(), k) }

// Upper returns the entries on and above diagonal k, as Lower does.
func (m Matrix[T]) Upper(k int) Band[T] { return m.Band(k, m.Cols()) }

// Dims returns the number of rows and columns.
func (b Band[T]) Dims() (rows, cols int) { return b.m.Dims() }

// NNZ returns the number of entries.
func (b Band[T]) NNZ() int {
	if len(b.pointers) == 0 {
		return 0
	}
	return int(b.pointers[b.m.Rows()])
}

// Matrix returns a matrix of the entries, which are copied.
func (b Band[T]) Matrix() Matrix[T] {
	if b.pointers == nil {
		return Matrix[T]{}
	}
	return Matrix[T]{shape{b.m.s.parts(b.first, b.pointers)}, runs(b.m.values, b.first, b.pointers)}
}

// String says what the band is, not what is in it.
func (b Band[T]) String() string {
	return fmt.Sprintf("%d x %d with %d of %d entries of %v", b.m.Rows(), b.m.Cols(), b.NNZ(), b.m.NNZ(), dtype.Name[T]())
}

// Of returns the canonical matrix whose entries they are.
func (b Band[T]) Of() Matrix[T] { return b.m }

// First returns where the entries of each row begin among those of b.Of, for kernels. It must not be written.
func (b Band[T]) First() []int32 { return b.first }

// Raw returns the size and the pointers that a matrix of the entries alone would have, and no more of its arrays.
func (b Band[T]) Raw() Raw {
	r := b.m.s.raw()
	r.NNZ, r.Indices = b.NNZ(), nil
	if b.pointers != nil {
		r.Pointers = data(b.pointers)
	}
	return r
}
