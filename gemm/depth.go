package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Depth is how an operator goes along K. Of a step's operands, x and y, each has K
// elements for every lane of the sums; Interleave says how they lie:
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

// check returns why there are no kernels of such a depth for sums of acc.
func (d Depth) check(op Operator, t emit.Target) error {
	a, b, acc := op.Types()
	switch {
	case d.Interleave != 1 && d.Interleave != 2 && d.Interleave != 4:
		return fmt.Errorf("operator %v interleaves %d elements; 1, 2 and 4 are known", op, d.Interleave)
	case d.K < 1 || d.K%d.Interleave != 0:
		return fmt.Errorf("operator %v takes %d k a step, which is no multiple of the %d that lie side by side", op, d.K, d.Interleave)
	case acc != emit.F32 && acc != emit.F64 && acc != emit.I32:
		return fmt.Errorf("operator %v sums in %v; f32, f64 and i32 are known", op, acc)
	case d.K > 1 && d.K*max(a.Bytes(), b.Bytes()) > acc.Bytes():
		return fmt.Errorf("operator %v takes %d elements of %d bytes for a sum of %d, which is more than a register on %s holds", op, d.K, max(a.Bytes(), b.Bytes()), acc.Bytes(), t.Name)
	}
	return nil
}

// at is the lane of column c and the k-th element of a step, of lanes columns.
func (d Depth) at(c, k, lanes int) int {
	return k/d.Interleave*lanes*d.Interleave + c*d.Interleave + k%d.Interleave
}

// group loads a step's elements of B for a vector of columns: from a packed panel,
// which has them for every lane.
func (l *lowering) group(b *emit.Builder, d Depth, a emit.Addr) *emit.Value {
	return b.Load(emit.Vector(l.b, l.vl*d.K), a)
}

// splatGroup loads a step's elements of row i of A, which lie side by side, into every
// column.
func (l *lowering) splatGroup(b *emit.Builder, d Depth, a emit.Addr) *emit.Value {
	perm := make([]int, l.vl*d.K)
	for c := range l.vl {
		for k := range d.K {
			perm[d.at(c, k, l.vl)] = k
		}
	}
	return b.Shuffle(perm, b.Load(emit.Vector(l.a, d.K), a))
}
