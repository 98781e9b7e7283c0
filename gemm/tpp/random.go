package tpp

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/layout/philox"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// random is four vectors of random words from column j on, a multiple of four vectors. Lanes
// compute the blocks such that transposing four lanes with four words puts all in order, see
// [kernel.BlockLanes].
func (k *stageKernel) random(j *emit.Value) [4]*emit.Value {
	b, v := k.b, emit.Vector(emit.I32, k.lanes)
	half := func(x *emit.Value, hi bool) *emit.Value {
		if hi {
			x = b.Shr(x, b.Int(32))
		}
		return b.Splat(v, b.Trunc(emit.I32, x))
	}
	word := func(x uint32) *emit.Value { return b.Const(v, float64(int32(x))) }
	first := b.Add(k.block, b.Shr(j, b.Int(2)))
	low := half(first, false)
	// Which block each lane is of.
	c0 := b.Add(low, b.Load(v, emit.At(b.Param("lanes", emit.Ptr), int64(kernel.BlockLanesAt(k.lanes)))))
	sign := b.Const(v, math.MinInt32)
	carry := b.Cmp("lt", b.Xor(c0, sign), b.Xor(low, sign))
	c1 := b.Add(half(first, true), b.Select(carry, word(1), word(0)))
	c2, c3 := b.Param("number", v), b.Param("numberhigh", v)
	k0, k1 := b.Param("key", v), b.Param("keyhigh", v)
	for range philox.Rounds {
		hi0, lo0 := b.MulHi(c0, word(philox.Mul0)), b.Mul(c0, word(philox.Mul0))
		hi1, lo1 := b.MulHi(c2, word(philox.Mul1)), b.Mul(c2, word(philox.Mul1))
		c0, c1, c2, c3 = b.Xor(b.Xor(hi1, c1), k0), lo1, b.Xor(b.Xor(hi0, c3), k1), lo0
		k0, k1 = b.Add(k0, word(philox.Weyl0)), b.Add(k1, word(philox.Weyl1))
	}
	// In each 128 bits: words 0 and 1 of four blocks, words 2 and 3, then all four of each.
	low1, high1 := vector.Halves(v, 1)
	low2, high2 := vector.Halves(v, 2)
	ab, cd := b.Shuffle(low1, c0, c1), b.Shuffle(low1, c2, c3)
	ef, gh := b.Shuffle(high1, c0, c1), b.Shuffle(high1, c2, c3)
	return [4]*emit.Value{b.Shuffle(low2, ab, cd), b.Shuffle(high2, ab, cd), b.Shuffle(low2, ef, gh), b.Shuffle(high2, ef, gh)}
}
