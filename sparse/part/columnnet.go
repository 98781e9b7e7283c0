package part

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Ownership says where row j of B lies.
type Ownership uint8

const (
	// Conformal: with row j of C. The matrix is square.
	Conformal Ownership = iota
	// Free: with any part that needs it, which [Owners] chooses.
	Free
)

// String returns "conformal" or "free".
func (o Ownership) String() string {
	switch o {
	case Conformal:
		return "conformal"
	case Free:
		return "free"
	}
	return fmt.Sprintf("Ownership(%d)", uint8(o))
}

// Weighing says what a row weighs when parts are balanced.
type Weighing uint8

const (
	// Entries: as many as it has entries, the work of a product. An empty row weighs 0.
	Entries Weighing = iota
	// Rows: 1, the memory for B and C.
	Rows
)

// Model says which hypergraph [ColumnNet] makes of a matrix. The zero Model is for square
// matrices and balances entries.
type Model struct {
	Ownership Ownership
	Weighing  Weighing
	Weights   []int32 // of rows, instead of Weighing; nil: none
	Costs     []int32 // of sending a row of B, one for each column of A; nil: 1 each
}

// ColumnNet returns the column-net hypergraph of a. Vertex i is row i. Net j has the rows with
// an entry in column j, also a stored 0, and row j if ownership is conformal. Duplicate entries
// make one pin, but all count in the weight. Conformal ownership needs a square matrix.
func ColumnNet[T dtype.Float](a sparse.Matrix[T], o Model) (*Hypergraph, error) {
	const where = "ColumnNet"
	rows, cols := a.Dims()
	if o.Ownership > Free {
		return nil, fail(sparse.ErrShape, where, "part.Conformal or part.Free", "%v", o.Ownership)
	}
	if o.Weighing > Rows {
		return nil, fail(sparse.ErrShape, where, "part.Entries or part.Rows", "Weighing(%d)", o.Weighing)
	}
	if o.Ownership == Conformal && rows != cols {
		return nil, fail(sparse.ErrShape, where, "a square matrix, or part.Free", "conformal ownership of a %d x %d matrix", rows, cols)
	}
	weight := o.Weights
	if weight == nil && o.Weighing == Entries {
		weight = make([]int32, rows)
		for i := range weight {
			weight[i] = int32(a.RowNNZ(i))
		}
	}
	weight, err := numbers(where, "weights", "rows", weight, rows)
	if err != nil {
		return nil, err
	}
	cost, err := numbers(where, "costs", "columns", o.Costs, cols)
	if err != nil {
		return nil, err
	}
	h := &Hypergraph{weight: weight, cost: cost, conformal: o.Ownership == Conformal}
	pointers, indices, _ := a.Canonical().CSR()
	if h.conformal {
		if pointers, indices, err = withDiagonal(pointers, indices); err != nil {
			return nil, err
		}
	}
	// A column is a net: what is a row's list of columns here is a vertex's list of nets.
	h.at, h.nets = pointers, indices
	h.first, h.pins = transpose(cols, h.at, h.nets)
	for _, w := range weight {
		h.total += int64(w)
	}
	return h, nil
}

// withDiagonal adds to every row its own column, where it is absent. Rows ascend.
func withDiagonal(pointers, indices []int32) (at, out []int32, err error) {
	rows := len(pointers) - 1
	if len(indices) > math.MaxInt32-rows {
		return nil, nil, fail(sparse.ErrSize, "ColumnNet", fmt.Sprintf("at most %d", math.MaxInt32), "%d entries and %d rows make too many pins", len(indices), rows)
	}
	at, out = make([]int32, 1, rows+1), make([]int32, 0, len(indices)+rows)
	for i := range rows {
		row := indices[pointers[i]:pointers[i+1]]
		k, found := slices.BinarySearch(row, int32(i))
		out = append(out, row[:k]...)
		if !found {
			out = append(out, int32(i))
		}
		out = append(out, row[k:]...)
		at = append(at, int32(len(out)))
	}
	return at, out, nil
}
