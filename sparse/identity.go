package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// Identity returns the n x n matrix with ones on the diagonal. It is an error if n is
// below 0 or beyond [MaxDim].
func Identity[T dtype.Value](n int) (Matrix[T], error) {
	g := grow[T]("sparse.Identity", n, n, max(0, min(n, MaxDim)))
	for i := 0; i < n && g.err == nil; i++ {
		g.put(int32(i), 1)
		g.endRow()
	}
	return asMatrix(g.matrix())
}

// FromDiagonal returns the smallest square matrix with the values, zeros included,
// stored on diagonal k, which is j = i + k. It has n + |k| rows and columns for n
// values.
func FromDiagonal[T dtype.Value](values []T, k int) (Matrix[T], error) {
	const where = "sparse.FromDiagonal"
	if k < -MaxDim || k > MaxDim || len(values) > MaxDim {
		return Matrix[T]{}, fail(ErrSize, where, "", "%d values on diagonal %d make a matrix of more than %d rows", len(values), k, MaxDim)
	}
	down, right := max(-k, 0), max(k, 0)
	n := len(values) + down + right
	g := grow[T](where, n, n, len(values))
	for i := 0; i < n && g.err == nil; i++ {
		if at := i - down; at >= 0 && at < len(values) {
			g.put(int32(at+right), values[at])
		}
		g.endRow()
	}
	return asMatrix(g.matrix())
}

// DiagonalAt returns the elements (i, i+k), as At does, of a matrix of any shape: none if
// the diagonal lies outside.
func (m Matrix[T]) DiagonalAt(k int) []T {
	down, right := max(-max(k, -m.rows), 0), max(min(k, m.cols), 0)
	d := make([]T, max(0, min(m.rows-down, m.cols-right)))
	for i := range d {
		d[i] = m.At(i+down, i+right)
	}
	return d
}
