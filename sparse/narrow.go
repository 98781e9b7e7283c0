package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// Narrow is a matrix in compressed rows whose values are stored in half of the bytes of float32: 6 bytes an
// entry instead of 8. cpu.SpMMOf multiplies by it, with sums of float32 or float64; all else is
// done with [Matrix], and [NarrowOf] afterwards. It is canonical and cannot be changed. The zero Narrow is 0 x 0.
type Narrow[V dtype.F16 | dtype.BF16] struct {
	shape
	values []V
}

// NarrowOf returns m, taken as canonical, with its values rounded to the nearest V, ties to even. A value
// that is too large becomes infinite. One that is too small becomes 0 and stays an entry. Pointers and
// columns are shared.
func NarrowOf[V dtype.F16 | dtype.BF16, T dtype.Float](m Matrix[T]) Narrow[V] {
	c := m.Canonical()
	n := Narrow[V]{shape{c.s}, make([]V, c.NNZ())}
	switch to := any(n.values).(type) {
	case []dtype.BF16:
		narrowTo(to, c.values, dtype.ToBF16[T])
	case []dtype.F16:
		narrowTo(to, c.values, dtype.ToF16[T])
	}
	return n
}

func narrowTo[V, T any](to []V, from []T, round func(T) V) {
	for k, v := range from {
		to[k] = round(v)
	}
}

// Matrix returns the matrix with values of float32, which are the same numbers. It shares pointers and columns.
func (n Narrow[V]) Matrix() Matrix[float32] {
	m := Matrix[float32]{shape{n.s}, make([]float32, len(n.values))}
	for k, v := range n.values {
		m.values[k] = any(v).(interface{ Float32() float32 }).Float32()
	}
	return m
}

// Transpose returns the transposed matrix.
func (n Narrow[V]) Transpose() Narrow[V] {
	t, from := n.s.transposeFrom()
	return Narrow[V]{shape{t}, pick(n.values, from)}
}

// String says what the matrix is, not what is in it.
func (n Narrow[V]) String() string { return n.s.describe(dtype.Of[V]().String()) }

// Raw returns where the arrays lie, the values as V. It copies nothing.
func (n Narrow[V]) Raw() Raw {
	r := n.s.raw()
	r.Values = data(n.values)
	return r
}
