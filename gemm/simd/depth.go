package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
)

// checkDepth returns why there are no kernels of an operator's depth.
func checkDepth(op gemm.Operator, t emit.Target) error {
	d := gemm.DepthOf(op)
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

// group loads a step's elements of B for a vector of columns: from a packed panel,
// which has them for every lane.
func (l *lowering) group(b *emit.Builder, d gemm.Depth, a emit.Addr) *emit.Value {
	return b.Load(emit.Vector(l.b, l.vl*d.K), a)
}

// splatGroup loads a step's elements of row i of A, which lie side by side, into every
// column.
func (l *lowering) splatGroup(b *emit.Builder, d gemm.Depth, a emit.Addr) *emit.Value {
	perm := make([]int, l.vl*d.K)
	for c := range l.vl {
		for k := range d.K {
			perm[d.At(c, k, l.vl)] = k
		}
	}
	return b.Shuffle(perm, b.Load(emit.Vector(l.a, d.K), a))
}
