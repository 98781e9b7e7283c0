package rule

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Structure says where the entries of a matrix, or of a part of one, are.
// Rules get one and make others of it, which share its arrays. The zero Structure has
// no entries.
type Structure struct{ set runs.Set }

// Dims returns the number of rows and columns of the whole matrix.
func (s Structure) Dims() (rows, cols int) { return s.set.M, s.set.N }

// NNZ returns the number of entries.
func (s Structure) NNZ() int { return s.set.NNZ }

// All yields the entries, by row and then by column. K is the number of the entry in
// the whole matrix.
func (s Structure) All() iter.Seq[sparse.Entry] { return s.set.All() }

// Partition returns the entries that keep says, and the others. Keep is called once
// for each entry, in any order, and at the same time from several goroutines.
func (s Structure) Partition(keep func(e sparse.Entry) bool) (in, out Structure) {
	in.set, out.set = s.set.Partition(func(i int, j, k int32) bool {
		return keep(sparse.Entry{I: i, J: int(j), K: int(s.set.Origin(k))})
	})
	return in, out
}

// Sealed is s for package advise.
func (s Structure) Sealed() runs.Sealed { return runs.Seal(s.set) }
