package sparse

import "fmt"

// Scale returns s*m: every stored value times s. The structure stays and is shared,
// also if s is 0.
func (m Matrix[T]) Scale(s T) Matrix[T] {
	values := make([]T, m.NNZ())
	for k, v := range m.values {
		values[k] = s * v
	}
	m.values = values
	return m
}

// Add returns m + o, canonical: an element that only one of them stores is copied,
// one that both store is their sum, kept also if it is 0.
func (m Matrix[T]) Add(o Matrix[T]) (Matrix[T], error) {
	const where = "sparse.Matrix.Add"
	if m.rows != o.rows || m.cols != o.cols {
		return Matrix[T]{}, fail(ErrShape, where, "they are the same", "%d x %d and %d x %d", m.rows, m.cols, o.rows, o.cols)
	}
	a, b := m.Canonical(), o.Canonical()
	s := Matrix[T]{rows: a.rows, cols: a.cols, pointers: make([]int32, a.rows+1)}
	put := func(j int32, v T) { s.indices, s.values = append(s.indices, j), append(s.values, v) }
	for i := range a.rows {
		x, xEnd, y, yEnd := a.pointers[i], a.pointers[i+1], b.pointers[i], b.pointers[i+1]
		for x < xEnd || y < yEnd {
			switch {
			case y == yEnd || x < xEnd && a.indices[x] < b.indices[y]:
				put(a.indices[x], a.values[x])
				x++
			case x == xEnd || b.indices[y] < a.indices[x]:
				put(b.indices[y], b.values[y])
				y++
			default:
				put(a.indices[x], a.values[x]+b.values[y])
				x, y = x+1, y+1
			}
		}
		if len(s.values) > MaxSlots {
			return Matrix[T]{}, fail(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "too many entries by row %d", i)
		}
		s.pointers[i+1] = int32(len(s.values))
	}
	return s, nil
}
