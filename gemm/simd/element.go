package simd

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// Where a multiply-add takes one element of a register for all lanes, a load of A brings as many
// steps of a row as a register has elements. That wants rows whose elements lie side by side,
// as packed ones do and most others; rows that lie otherwise go step by step.

// elements is how many steps of k a register has of a row of A; 1: rows are not loaded so.
func (l *lowering) elements() int {
	isa := isaset.ByName(l.target.Name)
	if isa == nil || !isa.Elements || l.splits() || l.fixed.known["csa"] > 0 {
		return 1
	}
	switch l.op.(type) {
	case gemm.FMA, gemm.Pairs, armDot: // whose words are as wide as sums
		return l.vector().Bytes() / l.size()
	}
	return 1
}

// byElement is the loop over rounds of n steps, and how many steps are left.
func (l *lowering) byElement(b *emit.Builder, n int, carried []*emit.Value, round func(x []*emit.Value, n int) []*emit.Value) (out []*emit.Value, left *emit.Value) {
	shift := b.Int(int64(bits.TrailingZeros(uint(n))))
	beside := func() *emit.Value { return b.Cmp("eq", l.field(b, "csa"), b.Int(int64(l.size()))) }
	rounds := b.Select(beside(), b.Shr(l.field(b, "k"), shift), b.Int(0))
	out = b.For(b.Int(0), rounds, 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value { return round(x, n) })
	k := l.field(b, "k") // read again, so that no register holds it through a loop
	return out, b.Select(beside(), b.And(k, b.Int(int64(n-1))), k)
}
