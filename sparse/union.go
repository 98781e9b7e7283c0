package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// Union returns the matrix of the elements that m, o or both store: f of both values
// where both do, and the one that is stored elsewhere. It is eWiseAdd of GraphBLAS. The
// result is canonical; what f gives is kept also if it is 0. It is an error if the sizes
// differ.
func (m Matrix[T]) Union(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merge("sparse.Matrix.Union", m, o, f, copied[T], copied[T])
}

// Combine is Union with 0 for what is not stored: it returns f(x, y) of every element that
// m or o stores, as SciPy's a-b, maximum and minimum are. f(0, 0) has to be 0, which
// nobody checks.
func (m Matrix[T]) Combine(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merge("sparse.Matrix.Combine", m, o, f,
		func(x T) (T, bool) { return f(x, 0), true },
		func(y T) (T, bool) { return f(0, y), true })
}

// Intersect returns f(x, y) of the elements that both m and o store. It is eWiseMult of
// GraphBLAS. The result is canonical; what f gives is kept also if it is 0. It is an error
// if the sizes differ.
func (m Matrix[T]) Intersect(o Matrix[T], f func(x, y T) T) (Matrix[T], error) {
	return merge("sparse.Matrix.Intersect", m, o, f, left[T], left[T])
}

// Multiply returns the products of elements that both m and o store, as SciPy's multiply
// does; cpu.SpGEMM is the product of matrices. An element that one of them does not store
// is not multiplied: 0 times Inf is none.
func (m Matrix[T]) Multiply(o Matrix[T]) (Matrix[T], error) {
	return merge("sparse.Matrix.Multiply", m, o, func(x, y T) T { return x * y }, left[T], left[T])
}

// copied keeps a value that only one of two matrices has, left leaves it out.
func copied[T dtype.Value](v T) (T, bool) { return v, true }
func left[T dtype.Value](T) (T, bool)     { return 0, false }

// merge goes through the entries of m and o in order, and stores both of those in one
// place, and of the others what onlyM and onlyO say.
func merge[T dtype.Value](where string, m, o Matrix[T], both func(x, y T) T, onlyM, onlyO func(v T) (T, bool)) (Matrix[T], error) {
	if err := sameShape(where, m, o); err != nil {
		return Matrix[T]{}, err
	}
	a, b := m.Canonical(), o.Canonical()
	g := grow[T](where, a.rows, a.cols, 0)
	for i := range a.rows {
		x, xs := a.entries(i)
		y, ys := b.entries(i)
		k, l := 0, 0
		for k < len(x) || l < len(y) {
			switch {
			case l == len(y) || k < len(x) && x[k] < y[l]:
				if v, ok := onlyM(xs[k]); ok {
					g.put(x[k], v)
				}
				k++
			case k == len(x) || y[l] < x[k]:
				if v, ok := onlyO(ys[l]); ok {
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
