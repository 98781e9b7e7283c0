package sparse

import "unsafe"

// Raw is where the arrays of a matrix in compressed rows lie, for kernels. You must not
// write to the arrays behind the pointers: the indices are safe to follow only as they
// are. The matrix has to stay reachable while they are used, which any of the pointers
// sees to.
type Raw struct {
	Rows, Cols, NNZ int
	Pointers        unsafe.Pointer // Rows+1 int32; never nil
	Indices         unsafe.Pointer // NNZ int32, each from 0 to Cols-1; nil if NNZ is 0
	Values          unsafe.Pointer // NNZ values; nil if NNZ is 0 or there are none
}

// Raw returns where the arrays lie. It copies nothing.
func (m Matrix[T]) Raw() Raw {
	r := m.s.raw()
	r.Values = data(m.values)
	return r
}

// Raw returns pointers to the arrays; there are no values.
func (p Pattern) Raw() Raw { return p.s.raw() }

// raw returns where all arrays but the values lie.
func (s *csr) raw() Raw {
	s = s.some()
	return Raw{Rows: s.rows, Cols: s.cols, NNZ: len(s.indices), Pointers: data(s.pointers), Indices: data(s.indices)}
}

// data returns where a slice lies, nil if it is empty.
func data[E any](s []E) unsafe.Pointer {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(s))
}
