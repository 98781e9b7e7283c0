// Package runs is what formats, rules and advice know of a matrix: where its entries are, without values and without
// a type parameter.
package runs

import (
	"iter"
	"unsafe"

	"github.com/tilesmith/tilesmith/sparse"
)

// Set says where the entries of a matrix, or of a part of one, are. It is a list
// of runs of entries, each a piece of one row, in ascending order of rows and columns.
// Rules get one and make others of it, which share its arrays. The zero Set has
// no entries.
type Set struct {
	M, N        int
	NNZ         int
	Rows        []int32 // run r is in row Rows[r]; nil: in row r
	First, Last []int32 // run r is entries First[r] to Last[r]-1 of Columns
	Columns     []int32
	From        []int32    // entry k is entry From[k] of the matrix; nil: entry k
	Of          *Undivided // what it is a part of
}

// Sealed is a Set whose fields nobody sees who cannot import this package.
type Sealed struct{ set Set }

// Seal returns s, sealed.
func Seal(s Set) Sealed { return Sealed{s} }

// Open returns what was sealed.
func Open(s Sealed) Set { return s.set }

// Undivided stands for the matrix that one Decompose takes apart.
type Undivided struct{ _ byte }

// Of returns the entries of a canonical matrix; it shares the arrays.
func Of(m sparse.Raw) Set {
	pointers, columns, _ := Arrays[struct{}](m)
	return Set{M: m.Rows, N: m.Cols, NNZ: m.NNZ, First: pointers[:m.Rows], Last: pointers[1:], Columns: columns, Of: new(Undivided)}
}

// Arrays returns the arrays of a matrix in compressed rows, which must not be written; a pattern has no values.
func Arrays[T any](m sparse.Raw) (pointers, indices []int32, values []T) {
	if m.Values != nil {
		values = unsafe.Slice((*T)(m.Values), m.NNZ)
	}
	return unsafe.Slice((*int32)(m.Pointers), m.Rows+1), unsafe.Slice((*int32)(m.Indices), m.NNZ), values
}

// All yields the entries, by row and then by column. K is the number of the entry in
// the whole matrix.
func (s Set) All() iter.Seq[sparse.Entry] {
	return func(yield func(sparse.Entry) bool) {
		for r := range s.First {
			i := s.Row(r)
			for k := s.First[r]; k < s.Last[r]; k++ {
				if !yield(sparse.Entry{I: i, J: int(s.Columns[k]), K: int(s.Origin(k))}) {
					return
				}
			}
		}
	}
}

// Row returns the row of run r.
func (s *Set) Row(r int) int {
	if s.Rows == nil {
		return r
	}
	return int(s.Rows[r])
}

// Origin returns which entry of the matrix entry k is.
func (s *Set) Origin(k int32) int32 {
	if s.From == nil {
		return k
	}
	return s.From[k]
}

// Partition returns the entries that keep says, and the others. Keep is called once
// for each entry, in any order, and at the same time from several goroutines; k counts Columns.
func (s Set) Partition(keep func(i int, j, k int32) bool) (in, out Set) {
	kept := make([]bool, len(s.Columns))
	n := len(s.First)
	side := func() Set {
		return Set{M: s.M, N: s.N, Of: s.Of, Rows: make([]int32, n), First: make([]int32, n), Last: make([]int32, n)}
	}
	in, out = side(), side()
	chunks := Workers(s.NNZ, 1<<14)
	found := make([]int32, chunks) // kept entries of a chunk
	total := make([]int32, chunks)
	Parallel(n, chunks, func(c, lo, hi int) {
		for r := lo; r < hi; r++ {
			i, before := s.Row(r), found[c]
			for k := s.First[r]; k < s.Last[r]; k++ {
				if keep(i, s.Columns[k], k) {
					kept[k] = true
					found[c]++
				}
			}
			l := s.Last[r] - s.First[r]
			total[c] += l
			in.Rows[r], out.Rows[r] = int32(i), int32(i)
			in.Last[r] = found[c] - before // a length, until chunks are placed
			out.Last[r] = l - in.Last[r]
		}
	})
	for _, x := range found {
		in.NNZ += int(x)
	}
	out.NNZ = s.NNZ - in.NNZ
	in.Columns, in.From = make([]int32, in.NNZ), make([]int32, in.NNZ)
	out.Columns, out.From = make([]int32, out.NNZ), make([]int32, out.NNZ)
	Parallel(n, chunks, func(c, lo, hi int) {
		a, b := int32(0), int32(0)
		for d := range c {
			a, b = a+found[d], b+total[d]-found[d]
		}
		for r := lo; r < hi; r++ {
			in.First[r], out.First[r] = a, b
			for k := s.First[r]; k < s.Last[r]; k++ {
				if kept[k] {
					in.Columns[a], in.From[a] = s.Columns[k], s.Origin(k)
					a++
				} else {
					out.Columns[b], out.From[b] = s.Columns[k], s.Origin(k)
					b++
				}
			}
			in.Last[r], out.Last[r] = a, b
		}
	})
	return in, out
}
