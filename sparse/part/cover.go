package part

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Block says what part From sends part To, so that To has its rows of C. It is a block of A
// off the diagonal, whose rows are in To and whose columns are in From.
//
// An entry (i, j) of the block is multiplied by To if Cols has j. Else Rows has i, and From
// multiplies it: for that it needs the entry, but no row of B that it does not have.
type Block struct {
	To, From int
	Cols     []int32 // rows of B to send, ascending
	Rows     []int32 // rows of C to send, ascending: sums over entries whose column Cols has not
}

// Halo returns the blocks of a that are not empty, by To, then From. Each has the rows of B
// that it needs, which are all of its columns. rows says where the rows of A and C are, cols
// where the rows of B are; see [Owners]. The rows sent are the km1 of the hypergraph if the
// ownership is its.
func Halo[T dtype.Float](a sparse.Matrix[T], rows, cols Partition) ([]Block, error) {
	return blocks("Halo", a, rows, cols, func(b *bipartite) (left, right []int32) {
		return b.left, nil
	})
}

// Cover is Halo with the fewest rows of B and C together for each block. It finds a
// minimum vertex cover of a block's entries (Koenig, 1931), by a matching (Hopcroft and
// Karp, SIAM J. Comput. 2(4), 1973). If the columns alone are as few, no row of C is
// sent.
func Cover[T dtype.Float](a sparse.Matrix[T], rows, cols Partition) ([]Block, error) {
	return blocks("Cover", a, rows, cols, (*bipartite).cover)
}

// Volume returns how many rows the blocks send, of B and of C together.
func Volume(list []Block) int {
	n := 0
	for _, b := range list {
		n += len(b.Cols) + len(b.Rows)
	}
	return n
}

// checkSides wants a partition of the rows of a, and one of its columns.
func checkSides[T dtype.Float](where string, a sparse.Matrix[T], rows, cols Partition) error {
	if rows.k < 1 || rows.Len() != a.Rows() || cols.Len() != a.Cols() || rows.k != cols.k {
		return fail(sparse.ErrLength, where, "partitions of the rows and the columns into as many parts", "%v and %v for a matrix of %d x %d", rows, cols, a.Rows(), a.Cols())
	}
	return nil
}

func blocks[T dtype.Float](where string, a sparse.Matrix[T], rows, cols Partition, choose func(*bipartite) (left, right []int32)) ([]Block, error) {
	if err := checkSides(where, a, rows, cols); err != nil {
		return nil, err
	}
	pointers, indices, _ := a.Canonical().CSR()
	var out []Block
	from := make([][]edge, rows.k) // the entries of each part's columns
	var touched []int32
	b := &bipartite{col: make([]int32, a.Cols())}
	for to, members := range rows.Members() {
		for _, q := range touched {
			from[q] = from[q][:0]
		}
		touched = touched[:0]
		for _, i := range members {
			for _, j := range indices[pointers[i]:pointers[i+1]] {
				q := cols.part[j]
				if int(q) == to {
					continue
				}
				if len(from[q]) == 0 {
					touched = append(touched, q)
				}
				from[q] = append(from[q], edge{i, j})
			}
		}
		slices.Sort(touched)
		for _, q := range touched {
			b.set(from[q])
			left, right := choose(b)
			out = append(out, Block{To: to, From: int(q), Cols: slices.Clone(left), Rows: slices.Clone(right)})
		}
	}
	return out, nil
}
