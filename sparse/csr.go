package sparse

import (
	"slices"
	"sort"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// csr is what a matrix in compressed rows is made of, whatever an entry holds. That is a number
// in a [Matrix], and nothing in a [Pattern], whose slice takes no memory. Here is what moves
// entries and computes nothing with them; but for transpose it is for canonical ones.
type csr[T any] struct {
	rows, cols int
	pointers   []int32 // row i is pointers[i] to pointers[i+1]-1; nil only in the zero value
	indices    []int32
	values     []T
	unsorted   bool // the columns of some row do not ascend
	duplicates bool // some row has a column twice
}

// asMatrix is a Matrix of what may have failed.
func asMatrix[T dtype.Value](m csr[T], err error) (Matrix[T], error) { return Matrix[T](m), err }

// entries returns columns and values of row i, where they are stored.
func (m csr[T]) entries(i int) ([]int32, []T) {
	from, to := m.pointers[i], m.pointers[i+1]
	return m.indices[from:to], m.values[from:to]
}

// has reports whether element (i, j), which is inside, is stored.
func (m csr[T]) has(i, j int) bool {
	columns, _ := m.entries(i)
	_, ok := slices.BinarySearch(columns, int32(j))
	return ok
}

// transpose returns the transposed matrix, sorted, duplicates in their order. Unless from is nil it
// gets where each value comes from.
func (m csr[T]) transpose(from []int32) csr[T] {
	t := csr[T]{rows: m.cols, cols: m.rows,
		pointers: make([]int32, m.cols+1), indices: make([]int32, len(m.indices)), values: make([]T, len(m.indices))}
	for _, j := range m.indices {
		t.pointers[j+1]++
	}
	for j := range t.rows {
		t.pointers[j+1] += t.pointers[j]
	}
	next := clone(t.pointers)
	for i := range m.rows {
		for k := m.pointers[i]; k < m.pointers[i+1]; k++ {
			j := m.indices[k]
			to := next[j]
			next[j]++
			t.indices[to], t.values[to] = int32(i), m.values[k]
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

// spans returns where in each row the columns from lo to hi-1 begin, which differ from row to row. It
// also returns the pointers of a matrix that has only them.
func (m csr[T]) spans(span func(i int) (lo, hi int)) (first, pointers []int32) {
	first, pointers = make([]int32, m.rows), make([]int32, m.rows+1)
	at := func(columns []int32, j int) int32 {
		return int32(sort.Search(len(columns), func(k int) bool { return int(columns[k]) >= j }))
	}
	for i := range m.rows {
		columns, _ := m.entries(i)
		lo, hi := span(i)
		from := at(columns, lo)
		first[i] = m.pointers[i] + from
		pointers[i+1] = pointers[i] + max(at(columns, hi)-from, 0)
	}
	return first, pointers
}

// diagonals returns the columns of row i that are on diagonals lo to hi, j = i + lo to i + hi.
func (m csr[T]) diagonals(lo, hi int) func(i int) (lo, hi int) {
	clamp := func(k int) int { return max(min(k, m.cols), -m.rows) } // beyond them nothing is stored, and sums may overflow
	lo, hi = clamp(lo), clamp(hi)
	return func(i int) (int, int) { return i + lo, i + hi + 1 }
}

// between returns the entries that spans finds.
func (m csr[T]) between(span func(i int) (lo, hi int)) csr[T] {
	first, pointers := m.spans(span)
	return m.parts(first, pointers)
}

// parts returns a matrix with those pointers, whose entries of row i lie from first[i] on.
func (m csr[T]) parts(first, pointers []int32) csr[T] {
	n := pointers[m.rows]
	out := csr[T]{rows: m.rows, cols: m.cols, pointers: pointers, indices: make([]int32, n), values: make([]T, n)}
	for i, from := range first {
		to := pointers[i]
		n := pointers[i+1] - to
		copy(out.indices[to:to+n], m.indices[from:])
		copy(out.values[to:to+n], m.values[from:])
	}
	return out
}

// selected returns the entries that keep says yes to.
func (m csr[T]) selected(where string, keep func(i, j int, v T) bool) csr[T] {
	g := grow[T](where, m.rows, m.cols, 0)
	for i := range m.rows {
		columns, values := m.entries(i)
		for k, j := range columns {
			if keep(i, int(j), values[k]) {
				g.put(j, values[k])
			}
		}
		g.endRow()
	}
	return g.m
}
