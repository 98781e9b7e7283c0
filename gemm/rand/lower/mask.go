package lower

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/layout/philox"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Mask is the family of kernels that multiply float32 numbers by a dropout mask while they
// draw it. No mask is kept: backward draws it again.
//
// Each 64-bit lane has a block, and each of the four words of a block has a vector. A round is
// two VPMULUDQ, two shifts and four exclusive ors for all lanes. The next product reads only
// the lower half of a lane, so the upper half need not be cleared.
type Mask struct{}

// groups is how many vectors of blocks are computed at once: the latency of a round is three
// times what its instructions take.
const groups = 2

// Lower returns the kernels for one target.
func (Mask) Lower(t emit.Target) ([]*emit.Func, kernel.Table[string], error) {
	lanes := t.Lanes(emit.I64)
	step, name := groups*4*lanes, "mask_drop_"+t.Name
	k := kernel.Table[string]{ISA: t.Name, VL: lanes}
	k.AddOp("Drop", 1, step, name)
	f, err := emit.Build(name, unit.BlockArgs[kernel.RandomArgs](emit.F32), func(b *emit.Builder) { drop(b, lanes, step) })
	if err != nil {
		return nil, k, fmt.Errorf("lower: %w", err)
	}
	f.Doc = name + " multiplies numbers by a mask of dropout."
	return []*emit.Func{f}, k, nil
}

// drop goes over all numbers, step at once.
func drop(b *emit.Builder, lanes, step int) {
	blocks := emit.Vector(emit.I64, lanes)
	x, out, n := b.Param("x", emit.Ptr), b.Param("out", emit.Ptr), b.Param("n", emit.Int64)
	counters := b.Load(blocks, emit.At(b.Param("counters", emit.Ptr), 0))
	b.For(b.Int(0), n, int64(step), []*emit.Value{counters}, func(at *emit.Value, c []*emit.Value) []*emit.Value {
		next, numbers := c[0], []*emit.Value(nil)
		for range groups {
			numbers = append(numbers, next)
			next = b.Add(next, int64s(b, blocks, int64(lanes)))
		}
		for v, w := range words(b, numbers) {
			off := int64(v * blocks.Bytes())
			kept(b, w, emit.Addr{Ptr: x, Index: at, Scale: 4, Off: off}, emit.Addr{Ptr: out, Index: at, Scale: 4, Off: off})
		}
		return []*emit.Value{next}
	})
}

// int64s returns n in every lane.
func int64s(b *emit.Builder, t emit.Type, n int64) *emit.Value {
	return b.Op("const", emit.Attr{Imm: n}, []emit.Type{t})[0]
}

// words returns the words of the blocks whose numbers are in the lanes of vectors, in the order of their
// places. For each vector there are two of 32-bit lanes.
func words(b *emit.Builder, numbers []*emit.Value) (words []*emit.Value) {
	t := numbers[0].Type
	low, half := int64s(b, t, math.MaxUint32), int64s(b, t, 32)
	times := func(v *emit.Value, by int64) *emit.Value { return b.Mul(b.And(v, low), int64s(b, t, by)) }
	vs := make([][4]*emit.Value, len(numbers))
	for g, n := range numbers {
		vs[g] = [4]*emit.Value{n, b.Shr(n, half), b.Param("low", t), b.Param("high", t)}
	}
	for r := range philox.Rounds {
		key0, key1 := b.Param(fmt.Sprint("keys", 2*r), t), b.Param(fmt.Sprint("keys", 2*r+1), t)
		for g, c := range vs {
			p0, p1 := times(c[0], philox.Mul0), times(c[2], philox.Mul1)
			next := func(p, c, key *emit.Value) *emit.Value { return b.Xor(b.Shr(p, half), b.Xor(c, key)) }
			vs[g] = [4]*emit.Value{next(p1, c[1], key0), p1, next(p0, c[3], key1), p0}
		}
	}
	both := func(even, odd *emit.Value) *emit.Value { return b.Or(b.And(even, low), b.Shl(odd, half)) }
	for _, c := range vs {
		first, second := both(c[0], c[1]), both(c[2], c[3])
		for odd := range 2 {
			var perm []int
			for l := odd; l < t.Lanes; l += 2 {
				perm = append(perm, l, t.Lanes+l)
			}
			words = append(words, b.Recast(emit.I32, b.Shuffle(perm, first, second)))
		}
	}
	return words
}

// kept stores the numbers at x times 0 where their word is less than the limit, and times the
// scale elsewhere.
func kept(b *emit.Builder, word *emit.Value, x, out emit.Addr) {
	numbers := emit.Vector(emit.F32, word.Type.Lanes)
	sign := b.Op("const", emit.Attr{Imm: math.MinInt32}, []emit.Type{word.Type})[0]
	limit := b.Recast(emit.I32, b.Param("limit", emit.Vector(emit.I64, word.Type.Lanes/2)))
	mask := b.Select(b.Cmp("ge", b.Xor(word, sign), limit), b.Param("scale", numbers), b.Const(numbers, 0))
	b.Store(b.Mul(b.Load(numbers, x), mask), out)
}
