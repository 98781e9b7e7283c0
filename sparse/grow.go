package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// grower makes a canonical matrix row by row.
type grower struct {
	where string
	s     csr
	row   int
	err   error
}

// grow returns a grower of a rows x cols matrix with about so many entries.
func grow(where string, rows, cols, entries int) *grower {
	g := &grower{where: where, err: CheckSize(where, rows, cols)}
	if g.err == nil {
		g.s = csr{rows: rows, cols: cols, pointers: make([]int32, rows+1), indices: make([]int32, 0, entries)}
	}
	return g
}

// put adds an entry to the row; columns come in order.
func (g *grower) put(j int32) { g.s.indices = append(g.s.indices, j) }

// endRow ends the row, and reports whether there is room for more.
func (g *grower) endRow() bool {
	if n := len(g.s.indices); n > MaxSlots {
		g.err = Errorf(ErrSize, g.where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries by row %d", n, g.row)
	}
	if g.err != nil {
		return false
	}
	g.row++
	g.s.pointers[g.row] = int32(len(g.s.indices))
	return true
}

// done returns what was put.
func (g *grower) done() (*csr, error) {
	if g.err != nil {
		return nil, g.err
	}
	return &g.s, nil
}

// grown returns what was put, with its values.
func grown[T dtype.Value](g *grower, values []T) (Matrix[T], error) {
	if g.err != nil {
		return Matrix[T]{}, g.err
	}
	return Matrix[T]{shape{&g.s}, values}, nil
}
