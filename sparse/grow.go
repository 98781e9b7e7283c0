package sparse

import "fmt"

// grower makes a canonical matrix row by row.
type grower[T any] struct {
	where string
	m     csr[T]
	row   int
	err   error
}

// grow returns a grower of a rows x cols matrix with about so many entries.
func grow[T any](where string, rows, cols, entries int) *grower[T] {
	g := &grower[T]{where: where, err: checkSize(where, rows, cols)}
	if g.err == nil {
		g.m = csr[T]{rows: rows, cols: cols, pointers: make([]int32, rows+1), indices: make([]int32, 0, entries), values: make([]T, 0, entries)}
	}
	return g
}

// put adds an entry to the row; columns come in order.
func (g *grower[T]) put(j int32, v T) {
	g.m.indices, g.m.values = append(g.m.indices, j), append(g.m.values, v)
}

// endRow ends the row, and reports whether there is room for more.
func (g *grower[T]) endRow() bool {
	if len(g.m.values) > MaxSlots {
		g.err = fail(ErrSize, g.where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries by row %d", len(g.m.values), g.row)
		return false
	}
	g.row++
	g.m.pointers[g.row] = int32(len(g.m.values))
	return true
}

// matrix returns what was put.
func (g *grower[T]) matrix() (csr[T], error) {
	if g.err != nil {
		return csr[T]{}, g.err
	}
	return g.m, nil
}

// sameShape refuses two matrices of different sizes.
func sameShape[T any](where string, a, b csr[T]) error {
	if a.rows != b.rows || a.cols != b.cols {
		return fail(ErrShape, where, "they are the same", "%d x %d and %d x %d", a.rows, a.cols, b.rows, b.cols)
	}
	return nil
}
