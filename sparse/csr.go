package sparse

import (
	"fmt"
	"slices"
	"sort"

	"github.com/tilesmith/tilesmith/layout"
)

// csr is a matrix in compressed rows without its values: what a [Pattern] is, and what matrices share that
// differ in their values only. It has no type parameter. So it is compiled once, and not again in each
// package that has a matrix, for each type of values. What computes nothing with values belongs here: it
// says where each entry comes from, and pick moves the values. Methods that are not exported want a receiver
// that is not nil, and but for transpose a canonical one.
type csr struct {
	rows, cols int
	pointers   []int32 // row i is pointers[i] to pointers[i+1]-1
	indices    []int32
	unsorted   bool // the columns of some row do not ascend
	duplicates bool // some row has a column twice
}

// zeroSize is what a nil csr stands for, that of a zero Matrix. It is static: a program without sparse matrices
// does not link it.
var zeroSize = csr{pointers: []int32{0}}

func (s *csr) some() *csr {
	if s == nil {
		return &zeroSize
	}
	return s
}

// clone copies to a slice of its own with no room to spare; nil stays nil.
func clone[E any](s []E) []E {
	if s == nil {
		return nil
	}
	c := make([]E, len(s))
	copy(c, s)
	return c
}

// pick returns the values of entries that come from elsewhere.
func pick[T any](values []T, from []int32) []T {
	out := make([]T, len(from))
	for k, x := range from {
		out[k] = values[x]
	}
	return out
}

// shape is the part of a csr that everybody sees. What embeds it has these methods, and no others of csr: the
// compiler makes a wrapper of each for each type of values.
type shape struct {
	s *csr // nil: 0 x 0
}

// Dims returns the number of rows and columns.
func (m shape) Dims() (rows, cols int) { return m.s.some().rows, m.s.some().cols }

// Rows returns the number of rows.
func (m shape) Rows() int { return m.s.some().rows }

// Cols returns the number of columns.
func (m shape) Cols() int { return m.s.some().cols }

// NNZ returns the number of entries: stored zeros and duplicates count.
func (m shape) NNZ() int { return len(m.s.some().indices) }

// RowNNZ returns the number of entries of row i, such as the degree of a node, and panics as Row does.
func (m shape) RowNNZ(i int) int { return len(m.s.row("Matrix.RowNNZ", i)) }

// row returns the columns of row i. It panics if there is no such row.
func (s *csr) row(method string, i int) []int32 {
	s = s.some()
	if uint(i) >= uint(s.rows) {
		panic(layout.ShapeError{What: "sparse." + method, Why: fmt.Sprintf("row %d of a %d x %d matrix", i, s.rows, s.cols)})
	}
	return s.columns(i)
}

// check panics if element (i, j) is outside.
func (s *csr) check(method string, i, j int) {
	if s = s.some(); uint(i) >= uint(s.rows) || uint(j) >= uint(s.cols) {
		panic(layout.ShapeError{What: "sparse." + method, Why: fmt.Sprintf("index (%d, %d) outside %d x %d", i, j, s.rows, s.cols)})
	}
}

// columns returns those of row i.
func (s *csr) columns(i int) []int32 { return s.indices[s.pointers[i]:s.pointers[i+1]] }

// has reports whether element (i, j), which is inside, is stored.
func (s *csr) has(i, j int) bool {
	_, ok := slices.BinarySearch(s.columns(i), int32(j))
	return ok
}

// transpose returns the transposed matrix, sorted, duplicates in their order. It leaves in from, if not nil, where each
// value comes from.
func (s *csr) transpose(from []int32) *csr {
	s = s.some()
	t := &csr{rows: s.cols, cols: s.rows, pointers: make([]int32, s.cols+1), indices: make([]int32, len(s.indices))}
	for _, j := range s.indices {
		t.pointers[j+1]++
	}
	addUp(t.pointers)
	next := clone(t.pointers)
	for i := range s.rows {
		for k := s.pointers[i]; k < s.pointers[i+1]; k++ {
			j := s.indices[k]
			to := next[j]
			next[j]++
			t.indices[to] = int32(i)
			if from != nil {
				from[to] = k
			}
			if to > t.pointers[j] && t.indices[to-1] == int32(i) {
				t.duplicates = true
			}
		}
	}
	return t
}

// transposeFrom is transpose that returns where values come from, too.
func (s *csr) transposeFrom() (t *csr, from []int32) {
	from = make([]int32, len(s.some().indices))
	return s.transpose(from), from
}

// addUp makes pointers of counts, which stand one behind their rows.
func addUp(counts []int32) {
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
}

// spans returns where in each row the columns from lo to hi-1 begin, which differ from row to row. It
// also returns the pointers of a matrix that has only them.
func (s *csr) spans(span func(i int) (lo, hi int)) (first, pointers []int32) {
	first, pointers = make([]int32, s.rows), make([]int32, s.rows+1)
	at := func(columns []int32, j int) int32 {
		return int32(sort.Search(len(columns), func(k int) bool { return int(columns[k]) >= j }))
	}
	for i := range s.rows {
		columns := s.columns(i)
		lo, hi := span(i)
		from := at(columns, lo)
		first[i] = s.pointers[i] + from
		pointers[i+1] = pointers[i] + max(at(columns, hi)-from, 0)
	}
	return first, pointers
}

// diagonals returns the spans of diagonals lo to hi, the columns i + lo to i + hi of row i.
func (s *csr) diagonals(lo, hi int) (first, pointers []int32) {
	clamp := func(k int) int { return max(min(k, s.cols), -s.rows) } // beyond them nothing is stored, and sums may overflow
	lo, hi = clamp(lo), clamp(hi)
	return s.spans(func(i int) (int, int) { return i + lo, i + hi + 1 })
}

// parts returns the matrix with those pointers, whose entries of row i lie from first[i] on.
func (s *csr) parts(first, pointers []int32) *csr {
	return &csr{rows: s.rows, cols: s.cols, pointers: pointers, indices: runs(s.indices, first, pointers)}
}

// runs returns the values of such a matrix, or its indices.
func runs[T any](all []T, first, pointers []int32) []T {
	out := make([]T, pointers[len(first)])
	for i, from := range first {
		copy(out[pointers[i]:pointers[i+1]], all[from:])
	}
	return out
}

// selected returns the entries that keep says yes to, and where they come from. keep is told the number of an
// entry, its row and its column.
func (s *csr) selected(keep func(k int32, i, j int) bool) (t *csr, from []int32) {
	t = &csr{rows: s.rows, cols: s.cols, pointers: make([]int32, s.rows+1)}
	for i := range s.rows {
		for k := s.pointers[i]; k < s.pointers[i+1]; k++ {
			if keep(k, i, int(s.indices[k])) {
				t.indices, from = append(t.indices, s.indices[k]), append(from, k)
			}
		}
		t.pointers[i+1] = int32(len(from))
	}
	return t, from
}

// equal reports whether both have the same size and entries.
func (s *csr) equal(o *csr) bool {
	return s.rows == o.rows && s.cols == o.cols && slices.Equal(s.pointers, o.pointers) && slices.Equal(s.indices, o.indices)
}
