package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Kron returns the Kronecker product of a and b, taken as canonical: a block for each
// element of a, which is that element times b.
func Kron[T dtype.Value](a, b Matrix[T]) (Matrix[T], error) {
	a, b = a.Canonical(), b.Canonical()
	s, x, y, err := a.s.kron("sparse.Kron", b.s)
	if err != nil {
		return Matrix[T]{}, err
	}
	values := make([]T, len(x))
	for k := range values {
		values[k] = a.values[x[k]] * b.values[y[k]]
	}
	return Matrix[T]{shape{s}, values}, nil
}

// kron returns also which entry of s and which of o each is the product of.
func (s *csr) kron(where string, o *csr) (t *csr, x, y []int32, err error) {
	entries := int64(len(s.indices)) * int64(len(o.indices))
	rows, cols := int64(s.rows)*int64(o.rows), int64(s.cols)*int64(o.cols)
	if err := checkTotal(where, rows, cols, entries); err != nil {
		return nil, nil, nil, err
	}
	g := grow(where, int(rows), int(cols), int(entries))
	x, y = make([]int32, 0, entries), make([]int32, 0, entries)
	for i := range s.rows {
		for p := range o.rows {
			for k := s.pointers[i]; k < s.pointers[i+1]; k++ {
				for l := o.pointers[p]; l < o.pointers[p+1]; l++ {
					g.put(s.indices[k]*int32(o.cols) + o.indices[l])
					x, y = append(x, k), append(y, l)
				}
			}
			g.endRow()
		}
	}
	t, err = g.done()
	return t, x, y, err
}

// checkTotal refuses sizes that are a sum or a product, if they are too large.
func checkTotal(where string, rows, cols, entries int64) error {
	if entries > MaxSlots {
		return Errorf(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries", entries)
	}
	if rows > MaxDim || cols > MaxDim {
		return Errorf(ErrSize, where, fmt.Sprintf("sizes are from 0 to %d", MaxDim), "size %d x %d", rows, cols)
	}
	return nil
}
