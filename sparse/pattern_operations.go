package sparse

import "slices"

// Transpose returns the transposed pattern: the edges of a graph turned round.
func (p Pattern) Transpose() Pattern { return Pattern(csr[struct{}](p).transpose(nil)) }

// Tril returns the entries on and below diagonal k, as [Matrix.Tril] does.
func (p Pattern) Tril(k int) Pattern { return p.between(-p.rows, k) }

// Triu returns the entries on and above diagonal k, as [Matrix.Triu] does.
func (p Pattern) Triu(k int) Pattern { return p.between(k, p.cols) }

func (p Pattern) between(lo, hi int) Pattern {
	m := csr[struct{}](p)
	return Pattern(m.between(m.diagonals(lo, hi)))
}

// Slice returns rows i0 <= i < i1 and columns j0 <= j < j1. It panics with a [layout.ShapeError] if they are
// not in p, as a slice would.
func (p Pattern) Slice(i0, i1, j0, j1 int) Pattern {
	checkSlice("sparse.Pattern.Slice", p.rows, p.cols, i0, i1, j0, j1)
	return Pattern(csr[struct{}](p).columns("sparse.Pattern.Slice", i0, i1, j0, j1))
}

// TakeRows returns the pattern whose row i is row list[i] of p. It is an error if there is no such row, or if
// the result is too large.
func (p Pattern) TakeRows(list []int) (Pattern, error) {
	return asPattern(csr[struct{}](p).takeRows("sparse.Pattern.TakeRows", list))
}

// TakeCols returns the pattern whose column j is column list[j] of p, as TakeRows does.
func (p Pattern) TakeCols(list []int) (Pattern, error) {
	return asPattern(csr[struct{}](p).takeCols("sparse.Pattern.TakeCols", list))
}

// PermuteRows returns the pattern whose row i is row order[i] of p. It is an error unless order has each row
// once.
func (p Pattern) PermuteRows(order []int) (Pattern, error) {
	if err := permutation("sparse.Pattern.PermuteRows", "row", p.rows, order); err != nil {
		return Pattern{}, err
	}
	return p.TakeRows(order)
}

// PermuteCols returns the pattern whose column j is column order[j] of p. It is an error unless order has each
// column once. Nodes of a graph are numbered anew by the same order of rows and columns.
func (p Pattern) PermuteCols(order []int) (Pattern, error) {
	if err := permutation("sparse.Pattern.PermuteCols", "column", p.cols, order); err != nil {
		return Pattern{}, err
	}
	return p.TakeCols(order)
}

// Union returns the elements that p or o stores. It is an error if the sizes differ.
func (p Pattern) Union(o Pattern) (Pattern, error) {
	return p.merge("sparse.Pattern.Union", o, one, copied, copied)
}

// Intersect returns the elements that both p and o store. It is an error if the sizes differ.
func (p Pattern) Intersect(o Pattern) (Pattern, error) {
	return p.merge("sparse.Pattern.Intersect", o, one, left, left)
}

// Minus returns the elements that p stores and o does not. It is an error if the sizes differ.
func (p Pattern) Minus(o Pattern) (Pattern, error) {
	both, err := p.Intersect(o)
	if err != nil {
		err.(*Error).Where = "sparse.Pattern.Minus"
		return Pattern{}, err
	}
	next := 0 // of both, whose entries come in the same order
	return Pattern(csr[struct{}](p).selected("sparse.Pattern.Minus", func(i, j int, _ struct{}) bool {
		if next < both.NNZ() && int(both.indices[next]) == j && next < int(both.pointers[i+1]) {
			next++
			return false
		}
		return true
	})), nil
}

// one is the value of an entry of two patterns.
func one(x, _ struct{}) struct{} { return x }

func (p Pattern) merge(where string, o Pattern, both func(x, y struct{}) struct{}, onlyP, onlyO func(struct{}) (struct{}, bool)) (Pattern, error) {
	return asPattern(merge(where, csr[struct{}](p), csr[struct{}](o), both, onlyP, onlyO))
}

// Select returns the entries that keep says yes to: it is called with row and column of each, in order.
func (p Pattern) Select(keep func(i, j int) bool) Pattern {
	return Pattern(csr[struct{}](p).selected("sparse.Pattern.Select", func(i, j int, _ struct{}) bool { return keep(i, j) }))
}

// Equal reports whether both have the same size and the same entries.
func (p Pattern) Equal(o Pattern) bool {
	return p.rows == o.rows && p.cols == o.cols && slices.Equal(p.indices, o.indices) &&
		(p.rows == 0 || slices.Equal(p.pointers, o.pointers))
}

// asPattern is a Pattern of what may have failed.
func asPattern(m csr[struct{}], err error) (Pattern, error) { return Pattern(m), err }
