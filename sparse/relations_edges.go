package sparse

import "iter"

// Edge is an entry of [Relations]: element (I, J) of relation R. Its value is number K of
// what [Relations.WithValues] takes.
type Edge struct{ R, I, J, K int }

// Edges yields every entry with its value, in the order in which they are stored; entries of one element
// come as they were given.
func (m Relations[T]) Edges() iter.Seq2[Edge, T] {
	return func(yield func(Edge, T) bool) {
		for t := range m.Tiles() {
			for r := range m.count {
				for p := m.starts[t*m.count+r]; p < m.starts[t*m.count+r+1]; p++ {
					for k := m.pointers[p]; k < m.pointers[p+1]; k++ {
						if !yield(Edge{r, int(m.pairRows[p]), int(m.indices[k]), int(k)}, m.values[k]) {
							return
						}
					}
				}
			}
		}
	}
}

// WithValues returns relations of the same structure, which they share, with other values.
// Value k belongs to the entry that Edges yields with K = k. The values are copied.
func (m Relations[T]) WithValues(values []T) (Relations[T], error) {
	if len(values) != m.NNZ() {
		return Relations[T]{}, Errorf(ErrLength, "sparse.Relations.WithValues", "one an entry", "%d values for %d entries", len(values), m.NNZ())
	}
	m.values = clone(values)
	return m, nil
}
