package sparse

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

// Add returns m + o, canonical. It copies an element that only one of them stores. It
// adds one that both store, and keeps the sum even if it is 0.
func (m Matrix[T]) Add(o Matrix[T]) (Matrix[T], error) {
	return merged("sparse.Matrix.Add", m, o, func(x, y T) T { return x + y }, copied[T], copied[T])
}
