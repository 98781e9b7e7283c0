package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// Union returns the matrix of the elements that m, o or both store. If both store an
// element, it is f of both values; otherwise it is the one that is stored. It is
// eWiseAdd of GraphBLAS. The result is canonical; what f gives is kept also if it is 0.
// It is an error if the sizes differ.
func (m Matrix[T]) Union(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merged("sparse.Matrix.Union", m, o, f, copied[T], copied[T])
}

// Combine is Union with 0 for elements that are not stored. It returns f(x, y) of every
// element that m or o stores, like SciPy's a-b, maximum and minimum. f(0, 0) must be 0;
// nobody checks that.
func (m Matrix[T]) Combine(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merged("sparse.Matrix.Combine", m, o, f,
		func(x T) (T, bool) { return f(x, 0), true },
		func(y T) (T, bool) { return f(0, y), true })
}

// Intersect returns f(x, y) of the elements that both m and o store. It is eWiseMult of
// GraphBLAS. The result is canonical; what f gives is kept also if it is 0. It is an error
// if the sizes differ.
func (m Matrix[T]) Intersect(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merged("sparse.Matrix.Intersect", m, o, f, left[T], left[T])
}

// Multiply returns the products of elements that both m and o store, as SciPy's multiply
// does; cpu.SpGEMM is the product of matrices. An element that one of them does not store
// is not multiplied: 0 times Inf is none.
func (m Matrix[T]) Multiply(o Matrix[T]) (Matrix[T], error) {
	return merged("sparse.Matrix.Multiply", m, o, func(x, y T) T { return x * y }, left[T], left[T])
}

// copied keeps a value that only one of two matrices has, left leaves it out.
func copied[T any](v T) (T, bool) { return v, true }
func left[T any](v T) (T, bool)   { return v, false }

// merged is merge of matrices taken as canonical.
func merged[T dtype.Value](where string, m, o Matrix[T], both func(x, y T) T, onlyM, onlyO func(v T) (T, bool)) (Matrix[T], error) {
	if err := sameShape(where, csr[T](m), csr[T](o)); err != nil { // before anything is sorted
		return Matrix[T]{}, err
	}
	return asMatrix(merge(where, csr[T](m.Canonical()), csr[T](o.Canonical()), both, onlyM, onlyO))
}

// merge goes through the entries of a and b in order. It stores both of those in one
// place, and of the others what onlyA and onlyB say.
func merge[T any](where string, a, b csr[T], both func(x, y T) T, onlyA, onlyB func(v T) (T, bool)) (csr[T], error) {
	if err := sameShape(where, a, b); err != nil {
		return csr[T]{}, err
	}
	g := grow[T](where, a.rows, a.cols, 0)
	for i := range a.rows {
		x, xs := a.entries(i)
		y, ys := b.entries(i)
		k, l := 0, 0
		for k < len(x) || l < len(y) {
			switch {
			case l == len(y) || k < len(x) && x[k] < y[l]:
				if v, ok := onlyA(xs[k]); ok {
					g.put(x[k], v)
				}
				k++
			case k == len(x) || y[l] < x[k]:
				if v, ok := onlyB(ys[l]); ok {
					g.put(y[l], v)
				}
				l++
			default:
				g.put(x[k], both(xs[k], ys[l]))
				k, l = k+1, l+1
			}
		}
		if !g.endRow() {
			break
		}
	}
	return g.matrix()
}
