package sample

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// edges is a set of elements, in the order in which they were added.
type edges struct {
	i, j  []int32
	table []uint64 // open addressing; 0 is free, else 1 + i<<32 + j
}

func newEdges(n int) *edges {
	return &edges{i: make([]int32, 0, n), j: make([]int32, 0, n), table: make([]uint64, 1<<bits.Len(uint(2*n)))}
}

// add adds (i, j), and reports false if it is there already.
func (e *edges) add(i, j int) bool {
	key := uint64(i)<<32 + uint64(j) + 1
	mask := uint64(len(e.table) - 1)
	at := key * 0x9E3779B97F4A7C15 >> 17 // Fibonacci hashing: the upper bits are the random ones
	for ; e.table[at&mask] != 0; at++ {
		if e.table[at&mask] == key {
			return false
		}
	}
	e.table[at&mask] = key
	e.i, e.j = append(e.i, int32(i)), append(e.j, int32(j))
	return true
}

// draw calls next until there are n edges. A shape so skewed that new ones hardly
// ever come is an error.
func (e *edges) draw(where string, n int, next func() (i, j int, ok bool)) error {
	for tries := 0; len(e.i) < n; tries++ {
		if tries > 100*n+1000 {
			return fail(sparse.ErrSize, where, "ask for fewer, or for less skew", "%d of %d entries after %d draws", len(e.i), n, tries)
		}
		if i, j, ok := next(); ok {
			e.add(i, j)
		}
	}
	return nil
}

func matrix[T dtype.Float](rows, cols int, e *edges) (sparse.Matrix[T], error) {
	return sparse.FromCOO(rows, cols, e.i, e.j, one[T](len(e.i)))
}
