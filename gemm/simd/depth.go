package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
)

// checkDepth returns why an operator's depth has no kernels.
func checkDepth(op gemm.Operator, t emit.Target) error {
	d := gemm.DepthOf(op)
	a, b, acc := op.Types()
	switch {
	case d.Interleave != 1 && d.Interleave != 2 && d.Interleave != 4:
		return fmt.Errorf("operator %v interleaves %d elements; 1, 2 and 4 are known", op, d.Interleave)
	case d.K < 1 || d.K%d.Interleave != 0:
		return fmt.Errorf("operator %v takes %d k a step, which is not a multiple of the %d that lie side by side", op, d.K, d.Interleave)
	case acc != emit.F32 && acc != emit.F64 && acc != emit.I32:
		return fmt.Errorf("operator %v sums in %v; f32, f64 and i32 are known", op, acc)
	case d.K > 1 && d.K*max(a.Bytes(), b.Bytes()) > acc.Bytes():
		return fmt.Errorf("operator %v takes %d elements of %d bytes for a sum of %d, which is more than a register on %s holds", op, d.K, max(a.Bytes(), b.Bytes()), acc.Bytes(), t.Name)
	}
	return nil
}

// starts reports whether sums begin with what stands in front of a panel of B.
func starts(op gemm.Operator) bool {
	s, ok := op.(gemm.Starter)
	return ok && s.Starts()
}

// flipsWords reports whether kernels XOR words of A.
func flipsWords(op gemm.Operator) bool { return starts(op) && op.(gemm.Starter).Flips() }

// group loads a step's elements of B for vector j of columns of a row at p. It loads from a packed
// panel, which has them for every lane, or from a block of pairs of rows. last cuts the only vector of
// such a block.
func (l *lowering) group(b *emit.Builder, d gemm.Depth, p emit.Addr, j int, last *emit.Value) *emit.Value {
	_, y, _ := l.op.Types()
	if !l.fixed.paired {
		return b.Load(emit.Vector(y, l.vl*d.K), p.On(int64(j*l.vl*l.groupBytes(d))))
	}
	return b.Recast(y, vector.Load(b, l.vector(), last, p.On(l.fixed.col(j, l.vector()))))
}

// groupBytes is the size of a step's elements of a column of B.
func (l *lowering) groupBytes(d gemm.Depth) int {
	_, y, _ := l.op.Types()
	return d.K * y.Bytes()
}

// splatGroup loads a step's elements of row i of A, which lie side by side, into every
// column.
func (l *lowering) splatGroup(b *emit.Builder, d gemm.Depth, a emit.Addr) *emit.Value {
	x, _, _ := l.op.Types()
	if d.Interleave == d.K && d.K*x.Bits() == wordBits {
		words := b.LoadSplat(emit.Vector(emit.I32, l.vl), a)
		if l.flip != nil {
			words = b.Xor(words, l.flip)
		}
		return b.Recast(x, words)
	}
	perm := make([]int, l.vl*d.K)
	for c := range l.vl {
		for k := range d.K {
			perm[d.At(c, k, l.vl)] = k
		}
	}
	return b.Shuffle(perm, b.Load(emit.Vector(x, d.K), a))
}

// wordBits is the size of a word, in which the elements of a step lie side by side.
const wordBits = 32
