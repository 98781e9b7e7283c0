package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// Union returns the matrix of the elements that m, o or both store. If both store an
// element, it is f of both values; otherwise it is the one that is stored. It is
// eWiseAdd of GraphBLAS. The result is canonical; what f gives is kept also if it is 0.
// It is an error if the sizes differ.
func (m Matrix[T]) Union(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merged("sparse.Matrix.Union", m, o, either, f)
}

// Combine is Union with 0 for elements that are not stored. It returns f(x, y) of every
// element that m or o stores, like SciPy's a-b, maximum and minimum. f(0, 0) must be 0;
// nobody checks that.
func (m Matrix[T]) Combine(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merged("sparse.Matrix.Combine", m, o, withZeros, f)
}

// Intersect returns f(x, y) of the elements that both m and o store. It is eWiseMult of
// GraphBLAS. The result is canonical; what f gives is kept also if it is 0. It is an error
// if the sizes differ.
func (m Matrix[T]) Intersect(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merged("sparse.Matrix.Intersect", m, o, both, f)
}

// Multiply returns the products of elements that both m and o store, as SciPy's multiply
// does; cpu.SpGEMM is the product of matrices. An element that one of them does not store
// is not multiplied: 0 times Inf is none.
func (m Matrix[T]) Multiply(o Matrix[T]) (Matrix[T], error) {
	return merged("sparse.Matrix.Multiply", m, o, both, func(x, y T) T { return x * y })
}

// Add returns m + o, canonical. It copies an element that only one of them stores. It
// adds one that both store, and keeps the sum even if it is 0.
func (m Matrix[T]) Add(o Matrix[T]) (Matrix[T], error) {
	return merged("sparse.Matrix.Add", m, o, either, func(x, y T) T { return x + y })
}

// which elements of two matrices a result stores.
type which uint8

const (
	both      which = iota // stored by both
	either                 // by one of them, and then copied
	withZeros              // by one of them, and then f of it and 0
)

// merged returns f of the elements of matrices taken as canonical.
func merged[T dtype.Value](where string, m, o Matrix[T], w which, f func(x, y T) T) (Matrix[T], error) {
	if err := m.s.sameShape(where, o.s); err != nil { // before anything is sorted
		return Matrix[T]{}, err
	}
	m, o = m.Canonical(), o.Canonical()
	s, x, y, err := m.s.merge(where, o.s, w != both)
	if err != nil {
		return Matrix[T]{}, err
	}
	values := make([]T, len(x))
	for k := range values {
		switch a, b := x[k], y[k]; {
		case a >= 0 && b >= 0:
			values[k] = f(m.values[a], o.values[b])
		case w == either && a >= 0:
			values[k] = m.values[a]
		case w == either:
			values[k] = o.values[b]
		case a >= 0:
			values[k] = f(m.values[a], 0)
		default:
			values[k] = f(0, o.values[b])
		}
	}
	return Matrix[T]{shape{s}, values}, nil
}

// sameShape refuses two matrices of different sizes.
func (s *csr) sameShape(where string, o *csr) error {
	if s, o = s.some(), o.some(); s.rows != o.rows || s.cols != o.cols {
		return Errorf(ErrShape, where, "they are the same", "%d x %d and %d x %d", s.rows, s.cols, o.rows, o.cols)
	}
	return nil
}

// merge goes through the entries of s and o in order. It keeps those that both store, and the others if single is
// set. x and y say which entry of s and of o each is, -1 if there is none.
func (s *csr) merge(where string, o *csr, single bool) (t *csr, x, y []int32, err error) {
	if err := s.sameShape(where, o); err != nil {
		return nil, nil, nil, err
	}
	s, o = s.some(), o.some()
	g := grow(where, s.rows, s.cols, 0)
	put := func(j, k, l int32) {
		g.put(j)
		x, y = append(x, k), append(y, l)
	}
	for i := range s.rows {
		k, l, ends, endo := s.pointers[i], o.pointers[i], s.pointers[i+1], o.pointers[i+1]
		for k < ends || l < endo {
			switch {
			case l == endo || k < ends && s.indices[k] < o.indices[l]:
				if single {
					put(s.indices[k], k, -1)
				}
				k++
			case k == ends || o.indices[l] < s.indices[k]:
				if single {
					put(o.indices[l], -1, l)
				}
				l++
			default:
				put(s.indices[k], k, l)
				k, l = k+1, l+1
			}
		}
		if !g.endRow() {
			break
		}
	}
	t, err = g.done()
	return t, x, y, err
}
