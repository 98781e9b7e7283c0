package sparse

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Identity returns the n x n matrix with ones on the diagonal. It is an error if n is
// below 0 or beyond [MaxDim].
func Identity[T dtype.Value](n int) (Matrix[T], error) {
	g := grow("sparse.Identity", n, n, max(0, min(n, MaxDim)))
	for i := 0; i < n && g.err == nil; i++ {
		g.put(int32(i))
		g.endRow()
	}
	return grown(g, ones[T](len(g.s.indices)))
}

// ones returns n of them.
func ones[T dtype.Value](n int) []T { return slices.Repeat([]T{1}, n) }

// FromDiagonal returns the smallest square matrix with the values, zeros included,
// stored on diagonal k, which is j = i + k. It has n + |k| rows and columns for n
// values.
func FromDiagonal[T dtype.Value](values []T, k int) (Matrix[T], error) {
	const where = "sparse.FromDiagonal"
	if k < -MaxDim || k > MaxDim || len(values) > MaxDim {
		return Matrix[T]{}, Errorf(ErrSize, where, "", "%d values on diagonal %d make a matrix of more than %d rows", len(values), k, MaxDim)
	}
	down, right := max(-k, 0), max(k, 0)
	n := len(values) + down + right
	g := grow(where, n, n, len(values))
	for i := 0; i < n && g.err == nil; i++ {
		if at := i - down; at >= 0 && at < len(values) {
			g.put(int32(at + right))
		}
		g.endRow()
	}
	return grown(g, clone(values))
}
