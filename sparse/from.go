package sparse

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Index is what pointers and indices may be when they come in.
type Index interface{ int | int32 | int64 }

// FromCSR returns the matrix whose row i has the entries pointers[i] to
// pointers[i+1]-1 of indices, their columns, and values. The slices are copied.
// Rows may be unsorted and have duplicates; the matrix keeps them.
func FromCSR[T dtype.Value, I Index](rows, cols int, pointers, indices []I, values []T) (Matrix[T], error) {
	p, x, err := compressed("sparse.FromCSR", rows, cols, rows, cols, pointers, indices, len(values))
	if err != nil {
		return Matrix[T]{}, err
	}
	return Matrix[T]{shape{seal(rows, cols, p, x)}, clone(values)}, nil
}

// FromCSC returns the matrix whose column j has the entries pointers[j] to
// pointers[j+1]-1 of indices, their rows, and values. The result is sorted;
// duplicates stay, in their order.
func FromCSC[T dtype.Value, I Index](rows, cols int, pointers, indices []I, values []T) (Matrix[T], error) {
	p, x, err := compressed("sparse.FromCSC", rows, cols, cols, rows, pointers, indices, len(values))
	if err != nil {
		return Matrix[T]{}, err
	}
	t := Matrix[T]{shape{&csr{rows: cols, cols: rows, pointers: p, indices: x}}, values} // lives until Transpose has copied
	return t.Transpose(), nil
}

// compressed checks and copies the arrays of either orientation: major pointers,
// indices below minor.
func compressed[I Index](where string, rows, cols, major, minor int, pointers, indices []I, values int) (p, x []int32, err error) {
	if err := CheckSize(where, rows, cols); err != nil {
		return nil, nil, err
	}
	switch {
	case len(pointers) != major+1:
		return nil, nil, Errorf(ErrLength, where, "one more than rows, or columns of a CSC", "%d pointers for %d x %d", len(pointers), rows, cols)
	case len(indices) != values:
		return nil, nil, Errorf(ErrLength, where, "as many of each", "%d indices and %d values", len(indices), values)
	case len(indices) > MaxSlots:
		return nil, nil, Errorf(ErrSize, where, "", "%d entries, more than %d", len(indices), MaxSlots)
	case pointers[0] != 0:
		return nil, nil, Errorf(ErrPointers, where, "the first is 0", "pointers[0] is %d", pointers[0])
	case int64(pointers[major]) != int64(len(indices)):
		return nil, nil, Errorf(ErrPointers, where, "the last is the number of entries", "pointers[%d] is %d, with %d entries", major, pointers[major], len(indices))
	}
	p = make([]int32, len(pointers))
	for k, v := range pointers {
		if k > 0 && v < pointers[k-1] {
			return nil, nil, Errorf(ErrPointers, where, "pointers do not go backward", "pointers[%d] is %d, after %d", k, v, pointers[k-1])
		}
		if int64(v) > int64(len(indices)) {
			return nil, nil, Errorf(ErrPointers, where, "pointers do not go beyond the last entry", "pointers[%d] is %d, with %d entries", k, v, len(indices))
		}
		p[k] = int32(v)
	}
	x = make([]int32, len(indices))
	for k, v := range indices {
		if v < 0 || int64(v) >= int64(minor) {
			return nil, nil, Errorf(ErrIndex, where, "", "indices[%d] is %d, outside %d x %d", k, v, rows, cols)
		}
		x[k] = int32(v)
	}
	return p, x, nil
}

// seal makes the matrix of checked arrays that nothing else holds.
func seal(rows, cols int, pointers, indices []int32) *csr {
	s := &csr{rows: rows, cols: cols, pointers: pointers, indices: indices}
	for i := range rows {
		for k := pointers[i] + 1; k < pointers[i+1]; k++ {
			s.unsorted = s.unsorted || indices[k] < indices[k-1]
			s.duplicates = s.duplicates || indices[k] == indices[k-1]
		}
	}
	if s.unsorted && !s.duplicates { // they need not be neighbours
		s.duplicates = s.transpose(nil).duplicates
	}
	return s
}
