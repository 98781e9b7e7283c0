package sparse

// Transpose returns the transposed pattern: the edges of a graph turned round.
func (p Pattern) Transpose() Pattern {
	return Pattern{shape{p.s.transpose(nil)}}
}

// Tril returns the entries on and below diagonal k, as [Matrix.Tril] does.
func (p Pattern) Tril(k int) Pattern { return p.between(-p.Rows(), k) }

// Triu returns the entries on and above diagonal k, as [Matrix.Triu] does.
func (p Pattern) Triu(k int) Pattern { return p.between(k, p.Cols()) }

func (p Pattern) between(lo, hi int) Pattern {
	s := p.s.some()
	return Pattern{shape{s.parts(s.diagonals(lo, hi))}}
}

// Slice returns rows i0 <= i < i1 and columns j0 <= j < j1. It panics with a [layout.ShapeError] if they are
// not in p, as a slice would.
func (p Pattern) Slice(i0, i1, j0, j1 int) Pattern {
	p.s.checkSlice("sparse.Pattern.Slice", i0, i1, j0, j1)
	s, _, _ := p.s.rowSlice(i0, i1)
	first, pointers := s.spans(func(int) (int, int) { return j0, j1 })
	return Pattern{shape{s.columnSlice(j0, j1, first, pointers)}}
}

// TakeRows returns the pattern whose row i is row list[i] of p. It is an error if there is no such row, or if
// the result is too large.
func (p Pattern) TakeRows(list []int) (Pattern, error) {
	s, _, err := p.s.takeRows("sparse.Pattern.TakeRows", list)
	return Pattern{shape{s}}, err
}

// TakeCols returns the pattern whose column j is column list[j] of p, as TakeRows does.
func (p Pattern) TakeCols(list []int) (Pattern, error) {
	s, _, err := p.s.takeCols("sparse.Pattern.TakeCols", list)
	return Pattern{shape{s}}, err
}

// PermuteRows returns the pattern whose row i is row order[i] of p. It is an error unless order has each row
// once.
func (p Pattern) PermuteRows(order []int) (Pattern, error) {
	if err := permutation("sparse.Pattern.PermuteRows", "row", p.Rows(), order); err != nil {
		return Pattern{}, err
	}
	return p.TakeRows(order)
}

// PermuteCols returns the pattern whose column j is column order[j] of p. It is an error unless order has each
// column once. Nodes of a graph are numbered anew by the same order of rows and columns.
func (p Pattern) PermuteCols(order []int) (Pattern, error) {
	if err := permutation("sparse.Pattern.PermuteCols", "column", p.Cols(), order); err != nil {
		return Pattern{}, err
	}
	return p.TakeCols(order)
}

// Union returns the elements that p or o stores. It is an error if the sizes differ.
func (p Pattern) Union(o Pattern) (Pattern, error) {
	s, _, _, err := p.s.merge("sparse.Pattern.Union", o.s, true)
	return Pattern{shape{s}}, err
}

// Intersect returns the elements that both p and o store. It is an error if the sizes differ.
func (p Pattern) Intersect(o Pattern) (Pattern, error) {
	s, _, _, err := p.s.merge("sparse.Pattern.Intersect", o.s, false)
	return Pattern{shape{s}}, err
}

// Minus returns the elements that p stores and o does not. It is an error if the sizes differ.
func (p Pattern) Minus(o Pattern) (Pattern, error) {
	if err := p.s.sameShape("sparse.Pattern.Minus", o.s); err != nil {
		return Pattern{}, err
	}
	s, next := o.s.some(), int32(0) // of o, whose entries come in the same order
	return p.Select(func(i, j int) bool {
		for next = max(next, s.pointers[i]); next < s.pointers[i+1] && int(s.indices[next]) < j; next++ {
		}
		return next == s.pointers[i+1] || int(s.indices[next]) != j
	}), nil
}

// Select returns the entries that keep says yes to: it is called with row and column of each, in order.
func (p Pattern) Select(keep func(i, j int) bool) Pattern {
	s, _ := p.s.some().selected(func(_ int32, i, j int) bool { return keep(i, j) })
	return Pattern{shape{s}}
}

// Equal reports whether both have the same size and the same entries.
func (p Pattern) Equal(o Pattern) bool { return p.s.some().equal(o.s.some()) }
