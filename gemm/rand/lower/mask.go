package lower

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
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
	step := groups * 4 * lanes
	k := kernel.Table[string]{ISA: t.Name, VL: lanes}
	f := &emit.Family{Of: "lower", Prefix: "mask_", Suffix: "_" + t.Name, Args: vector.BlockArgs[kernel.VectorArgs](emit.F32)}
	k.AddOp("Drop", 1, step, f.Add("drop", "multiplies numbers by a mask of dropout.", func(b *emit.Builder) { drop(b, lanes, step) }))
	return f.Funcs, k, f.Err
}

// drop goes over all numbers, step at once.
func drop(b *emit.Builder, lanes, step int) {
	blocks := emit.Vector(emit.I64, lanes)
	x, out, n := b.Param("a", emit.Ptr), b.Param("out", emit.Ptr), b.Param("n", emit.Int64)
	d := dropout{b.Param("s", emit.Ptr)}
	b.For(b.Int(0), n, int64(step), []*emit.Value{d.p, b.Load(blocks, d.at("counters0"))}, func(at *emit.Value, c []*emit.Value) []*emit.Value {
		d := dropout{c[0]} // carried, so that its address stays in a register
		next, numbers := c[1], []*emit.Value(nil)
		for range groups {
			numbers = append(numbers, next)
			next = b.Add(next, int64s(b, blocks, int64(lanes)))
		}
		for v, w := range d.words(b, numbers) {
			off := int64(v * blocks.Bytes())
			d.kept(b, w, emit.Addr{Ptr: x, Index: at, Scale: 4, Off: off}, emit.Addr{Ptr: out, Index: at, Scale: 4, Off: off})
		}
		return []*emit.Value{d.p, next}
	})
}

// dropout is where a [kernel.Dropout] lies.
type dropout struct{ p *emit.Value }

func (d dropout) at(field string) emit.Addr {
	return emit.At(d.p, int64(kernel.Offset[kernel.Dropout](field)))
}

// int64s returns n in every lane.
func int64s(b *emit.Builder, t emit.Type, n int64) *emit.Value {
	return b.Op("const", emit.Attr{Imm: n}, []emit.Type{t})[0]
}

// words returns the words of the blocks whose numbers are in the lanes of vectors, in the order of their
// places. For each vector there are two of 32-bit lanes.
func (d dropout) words(b *emit.Builder, numbers []*emit.Value) (words []*emit.Value) {
	t := numbers[0].Type
	low, half := int64s(b, t, math.MaxUint32), int64s(b, t, 32)
	times := func(v *emit.Value, by int64) *emit.Value { return b.Mul(b.And(v, low), int64s(b, t, by)) }
	vs := make([][4]*emit.Value, len(numbers))
	for g, n := range numbers {
		vs[g] = [4]*emit.Value{n, b.Shr(n, half), b.LoadSplat(t, d.at("low")), b.LoadSplat(t, d.at("high"))}
	}
	for r := range philox.Rounds {
		key0, key1 := b.LoadSplat(t, d.at(fmt.Sprint("keys", 2*r))), b.LoadSplat(t, d.at(fmt.Sprint("keys", 2*r+1)))
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
func (d dropout) kept(b *emit.Builder, word *emit.Value, x, out emit.Addr) {
	numbers := emit.Vector(emit.F32, word.Type.Lanes)
	sign := b.Op("const", emit.Attr{Imm: math.MinInt32}, []emit.Type{word.Type})[0]
	limit := b.Recast(emit.I32, b.LoadSplat(emit.Vector(emit.I64, word.Type.Lanes/2), d.at("limit")))
	mask := b.Select(b.Cmp("ge", b.Xor(word, sign), limit), b.LoadSplat(numbers, d.at("scale")), b.Const(numbers, 0))
	b.Store(b.Mul(b.Load(numbers, x), mask), out)
}
