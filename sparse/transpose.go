package sparse

// Transpose returns the transposed matrix. It is sorted, whatever m is; duplicates
// stay, in their order. CSC of m is CSR of it.
func (m Matrix[T]) Transpose() Matrix[T] {
	t, _ := m.TransposeFrom()
	return t
}

// TransposeFrom returns also where each value comes from: value k of the transposed
// matrix is value from[k] of m. With it, values that change while the structure does
// not are moved without another Transpose; see WithValues.
func (m Matrix[T]) TransposeFrom() (t Matrix[T], from []int32) {
	t = Matrix[T]{rows: m.cols, cols: m.rows,
		pointers: make([]int32, m.cols+1), indices: make([]int32, m.NNZ()), values: make([]T, m.NNZ())}
	for _, j := range m.indices {
		t.pointers[j+1]++
	}
	for j := range t.rows {
		t.pointers[j+1] += t.pointers[j]
	}
	from = make([]int32, m.NNZ())
	next := clone(t.pointers)
	for e, v := range m.All() {
		k := next[e.J]
		next[e.J]++
		t.indices[k], t.values[k], from[k] = int32(e.I), v, int32(e.K)
		if k > t.pointers[e.J] && t.indices[k-1] == int32(e.I) {
			t.duplicates = true
		}
	}
	return t, from
}
