package gemm

// Depth is how an operator goes along K. The operands of a step, x and y, each have K
// elements for every lane of the sums. Interleave says how they lie:
//
//	K 2, Interleave 1    c0k0 c1k0 c2k0 ... c0k1 c1k1 c2k1 ...
//	K 2, Interleave 2    c0k0 c0k1 c1k0 c1k1 c2k0 c2k1 ...
//	K 4, Interleave 4    c0k0 c0k1 c0k2 c0k3 c1k0 ...
//
// where c0 is a column, of which every lane of x has the same element of A. The type
// of the sums is the operator's: that of its Types.
type Depth struct{ K, Interleave int }

// A Deep operator takes several k a step, as dot products of narrow types do.
type Deep interface {
	Operator
	Depth() Depth
}

// DepthOf returns the operator's depth, of most operators one k.
func DepthOf(op Operator) Depth {
	if d, ok := op.(Deep); ok {
		return d.Depth()
	}
	return Depth{1, 1}
}

// At is the lane of column c and the k-th element of a step, of lanes columns.
func (d Depth) At(c, k, lanes int) int {
	return k/d.Interleave*lanes*d.Interleave + c*d.Interleave + k%d.Interleave
}
