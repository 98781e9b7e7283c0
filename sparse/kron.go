package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Kron returns the Kronecker product of a and b, taken as canonical: a block for each
// element of a, which is that element times b.
func Kron[T dtype.Value](a, b Matrix[T]) (Matrix[T], error) {
	const where = "sparse.Kron"
	a, b = a.Canonical(), b.Canonical()
	if n := int64(a.NNZ()) * int64(b.NNZ()); n > MaxSlots {
		return Matrix[T]{}, fail(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "%d x %d entries are %d", a.NNZ(), b.NNZ(), n)
	}
	rows, cols := int64(a.rows)*int64(b.rows), int64(a.cols)*int64(b.cols)
	if rows > MaxDim || cols > MaxDim {
		return Matrix[T]{}, fail(ErrSize, where, fmt.Sprintf("sizes are from 0 to %d", MaxDim), "size %d x %d", rows, cols)
	}
	g := grow[T](where, int(rows), int(cols), a.NNZ()*b.NNZ())
	for i := range a.rows {
		x, xs := a.entries(i)
		for p := range b.rows {
			y, ys := b.entries(p)
			for k, j := range x {
				for l, q := range y {
					g.put(j*int32(b.cols)+q, xs[k]*ys[l])
				}
			}
			g.endRow()
		}
	}
	return asMatrix(g.matrix())
}
