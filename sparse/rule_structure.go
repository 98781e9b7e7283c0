package sparse

import "iter"

// Structure says where the entries of a matrix, or of a part of one, are. It is a list
// of runs of entries, each a piece of one row, in ascending order of rows and columns.
// Rules get one and make others of it, which share its arrays. The zero Structure has
// no entries.
type Structure struct {
	m, n        int
	nnz         int
	rows        []int32 // run r is in row rows[r]; nil: in row r
	first, last []int32 // run r is entries first[r] to last[r]-1 of columns
	columns     []int32
	from        []int32    // entry k is entry from[k] of the matrix; nil: entry k
	of          *undivided // what it is a part of
}

// undivided stands for the matrix that one Decompose takes apart.
type undivided struct{ _ byte }

// structure is that of a canonical matrix; it shares the arrays.
func (s *csr) structure() Structure {
	return Structure{m: s.rows, n: s.cols, nnz: s.NNZ(), first: s.pointers[:s.rows], last: s.pointers[1:], columns: s.indices}
}

// Dims returns the number of rows and columns of the whole matrix.
func (s Structure) Dims() (rows, cols int) { return s.m, s.n }

// NNZ returns the number of entries.
func (s Structure) NNZ() int { return s.nnz }

// All yields the entries, by row and then by column. K is the number of the entry in
// the whole matrix.
func (s Structure) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for r := range s.first {
			i := s.row(r)
			for k := s.first[r]; k < s.last[r]; k++ {
				if !yield(Entry{i, int(s.columns[k]), int(s.origin(k))}) {
					return
				}
			}
		}
	}
}

// row returns the row of run r.
func (s *Structure) row(r int) int {
	if s.rows == nil {
		return r
	}
	return int(s.rows[r])
}

// origin returns which entry of the matrix entry k is.
func (s *Structure) origin(k int32) int32 {
	if s.from == nil {
		return k
	}
	return s.from[k]
}

// Partition returns the entries that keep says, and the others. Keep is called once
// for each entry, in any order, and at the same time from several goroutines.
func (s Structure) Partition(keep func(e Entry) bool) (in, out Structure) {
	return s.partition(func(i int, j int32, k int32) bool {
		return keep(Entry{i, int(j), int(s.origin(k))})
	})
}

// partition is Partition where k counts columns.
func (s Structure) partition(keep func(i int, j, k int32) bool) (in, out Structure) {
	kept := make([]bool, len(s.columns))
	n := len(s.first)
	side := func() Structure {
		return Structure{m: s.m, n: s.n, of: s.of, rows: make([]int32, n), first: make([]int32, n), last: make([]int32, n)}
	}
	in, out = side(), side()
	chunks := workers(s.nnz, 1<<14)
	found := make([]int32, chunks) // kept entries of a chunk
	total := make([]int32, chunks)
	parallel(n, chunks, func(c, lo, hi int) {
		for r := lo; r < hi; r++ {
			i, before := s.row(r), found[c]
			for k := s.first[r]; k < s.last[r]; k++ {
				if keep(i, s.columns[k], k) {
					kept[k] = true
					found[c]++
				}
			}
			l := s.last[r] - s.first[r]
			total[c] += l
			in.rows[r], out.rows[r] = int32(i), int32(i)
			in.last[r] = found[c] - before // a length, until chunks are placed
			out.last[r] = l - in.last[r]
		}
	})
	for _, x := range found {
		in.nnz += int(x)
	}
	out.nnz = s.nnz - in.nnz
	in.columns, in.from = make([]int32, in.nnz), make([]int32, in.nnz)
	out.columns, out.from = make([]int32, out.nnz), make([]int32, out.nnz)
	parallel(n, chunks, func(c, lo, hi int) {
		a, b := int32(0), int32(0)
		for d := range c {
			a, b = a+found[d], b+total[d]-found[d]
		}
		for r := lo; r < hi; r++ {
			in.first[r], out.first[r] = a, b
			for k := s.first[r]; k < s.last[r]; k++ {
				if kept[k] {
					in.columns[a], in.from[a] = s.columns[k], s.origin(k)
					a++
				} else {
					out.columns[b], out.from[b] = s.columns[k], s.origin(k)
					b++
				}
			}
			in.last[r], out.last[r] = a, b
		}
	})
	return in, out
}
