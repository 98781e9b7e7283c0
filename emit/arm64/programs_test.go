package arm64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// programs are those of the suite, and some of what only arm64 does.
func programs(t *testing.T) []asmtest.Program {
	all := append(suite.All(t, NEON), addresses(t)...)
	all = append(all, ends(t)...)
	all = append(all, suite.Make(t, NEON, "general", general64), scratch(t), suite.Make(t, NEON, "instructions", instructions))
	for seed := range uint64(60) {
		all = append(all, factors(t, seed))
	}
	return append(all, dots(t)...)
}

// dots have products of narrow elements, of two vectors and of a word in every lane: each result is added to in
// turn, or is another's sum.
func dots(t *testing.T) (all []asmtest.Program) {
	for _, c := range []struct {
		target emit.Target
		inst   *emit.Instruction
	}{{NEONDOT, inst.ArmDotI8}, {NEONDOT, inst.ArmDotU8}, {NEONBF16, inst.ArmDotBF16}, {NEONI8MM, inst.ArmSquareI8}, {NEONI8MM, inst.ArmSquareU8}, {NEONBF16, inst.ArmSquareBF16}} {
		sums, elems := c.inst.Out[0], c.inst.In[1]
		p := suite.Make(t, c.target, "dot_"+strings.ReplaceAll(c.inst.Name, ".", "_"), func(b *asmtest.Body) {
			at := func(i int) emit.Addr { return emit.At(b.P, int64(256+i*40%704)) }
			for s := range asmtest.MaxSlots / 4 {
				x, y := b.Load(elems, at(2*s)), b.Load(elems, at(2*s+1))
				acc := b.Load(sums, emit.At(b.P, int64(s*16%192)))
				first := b.Inst(c.inst, 0, acc, x, y)[0]
				b.Put(first) // before its register is taken over
				b.Put(b.Inst(c.inst, 0, first, y, x)[0])
			}
			// Words side by side, which one load brings.
			for s := range asmtest.MaxSlots / 8 {
				x, acc := b.Load(elems, at(3*s)), b.Load(sums, emit.At(b.P, int64(s*16%192)))
				for q := range 2 + s%3 {
					word := b.LoadSplat(emit.Vector(emit.I32, 4), emit.At(b.P, int64(512+s%5*16+4*q)))
					y := b.Recast(elems.Elem, word)
					if s%2 == 0 {
						acc = b.Inst(c.inst, 0, acc, y, x)[0]
					} else {
						acc = b.Inst(c.inst, 0, acc, x, y)[0]
					}
				}
				b.Put(acc)
			}
		})
		p.Calls, p.Input = 300, asmtest.DotInput
		all = append(all, p)
	}
	return all
}

// general64 are operations in general registers that amd64 has not.
func general64(b *asmtest.Body) {
	for _, e := range []emit.Elem{emit.I32, emit.I64} {
		ty := emit.Scalar(e)
		x, y := b.Load(ty, emit.At(b.P, asmtest.InI64)), b.Load(ty, emit.At(b.P, asmtest.InI64+24))
		d := b.Or(y, b.Const(ty, 1))
		b.Put(b.UDiv(x, d), b.URem(x, d), b.UDiv(d, b.Const(ty, 7)), b.URem(b.Const(ty, -7), d), b.MulHi(x, y), b.MulHi(x, x))
		for _, c := range []float64{1, -1, 4095, 4096, 0x7fffffff, -0x80000000, 0x55555555} { // not every one is an immediate
			b.Put(b.Add(x, b.Const(ty, c)), b.And(x, b.Const(ty, c)), b.Select(b.Cmp("lt", x, b.Const(ty, c)), x, y))
		}
	}
	b.Prefetch(0, emit.At(b.P, 8))
	b.Prefetch(1, emit.Addr{Ptr: b.P, Index: b.Param("n", emit.Int64), Scale: 8, Off: 1 << 20})
}

// instructions are those of package inst that arm64 spells too.
func instructions(b *asmtest.Body) {
	index := func(i int) *emit.Value {
		return b.And(b.Load(emit.Int64, emit.At(b.P, int64(asmtest.InI64+8*i))), b.Int(31))
	}
	for _, e := range []emit.Elem{emit.F32, emit.F64} {
		at := []*emit.Value{b.P}
		for i := range 128 / e.Bits() {
			at = append(at, index(i))
		}
		v := b.Inst(inst.Collect(e), 0, at...)[0]
		b.Put(v, b.Inst(inst.First(e), 0, v)[0], v, b.Inst(inst.Swap(e, 1), 0, v)[0], v)
		if e == emit.F32 {
			b.Put(b.Inst(inst.Swap(e, 2), 0, v)[0], v)
		}
	}
	for _, off := range []int64{0, 4, -8, 4092} {
		b.Put(b.Inst(inst.LoadIndex, off, b.AddP(b.P, b.Sub(b.And(b.Param("n", emit.Int64), b.Int(64)), b.Int(off-asmtest.InI64))), index(5))[0])
	}
	words := emit.Vector(emit.I16, 8)
	x, y := b.Load(words, emit.At(b.P, asmtest.InI64)), b.Load(words, emit.At(b.P, asmtest.InI64+24))
	b.Put(b.Inst(inst.MulPairsI16(4), 0, x, y)[0], b.Inst(inst.MulPairsI16(4), 0, y, y)[0], x, y)
	b.Inst(inst.StreamFence, 0)
}

// scratch uses memory of the frame, behind values that wait there.
func scratch(t *testing.T) asmtest.Program {
	p := suite.Make(t, NEON, "scratch", func(b *asmtest.Body) {
		ty := emit.Vector(emit.F32, 4)
		one, two := b.Inst(inst.Scratch, 40)[0], b.Inst(inst.Scratch, 64)[0]
		var vs []*emit.Value
		for i := range 40 {
			vs = append(vs, b.Load(ty, emit.At(b.P, int64(4*i))))
			b.Store(vs[i], emit.At([]*emit.Value{one, two}[i%2], int64(i%3*12)))
		}
		b.Put(b.Load(ty, emit.At(one, 24)), b.Load(ty, emit.At(two, 24)))
		for i := range vs {
			b.Put(vs[len(vs)-1-i])
		}
	})
	p.F.Spills = true
	return p
}

// accessed are types of every size of access.
var accessed = []emit.Type{emit.Scalar(emit.I8), emit.Scalar(emit.I16), emit.Scalar(emit.I32), emit.Scalar(emit.I64), emit.Scalar(emit.F32), emit.Scalar(emit.F64),
	emit.Vector(emit.I8, 4), emit.Vector(emit.F32, 2), emit.Vector(emit.F32, 4)}

// addresses has loads and stores at offsets near the ends of what instructions hold, with and
// without an index.
func addresses(t *testing.T) (all []asmtest.Program) {
	offsets := []int64{-257, -256, -8, 255, 256, 257, 4095, 4096, 4097, 8190, 16380, 32760, 65520, 65536, 1<<24 - 8, 1 << 24, 1<<30 + 4, -1 << 31}
	for _, ty := range accessed {
		for _, scale := range []int64{0, 1, 2, 4, 8} {
			all = append(all, suite.Make(t, NEON, fmt.Sprintf("address_%v_%d", ty, scale), func(b *asmtest.Body) {
				zero := b.And(b.Param("n", emit.Int64), b.Int(64)) // which no pass knows
				for i, off := range offsets {
					at := emit.Addr{Off: off}
					back := b.Sub(zero, b.Int(off))
					if scale > 0 {
						at.Index, at.Scale = b.And(b.Param("n", emit.Int64), b.Int(7)), scale
					}
					at.Ptr = b.AddP(b.P, b.Add(back, b.Int(int64(i*16))))
					v := b.Load(ty, at)
					at.Ptr = b.AddP(b.Q, b.Add(back, b.Int(int64(i*128))))
					b.Store(v, at)
				}
			}))
		}
		if ty.Lanes == 1 {
			continue
		}
		all = append(all, suite.Make(t, NEON, fmt.Sprintf("addressm_%v", ty), func(b *asmtest.Body) {
			zero := b.And(b.Param("n", emit.Int64), b.Int(64))
			m := b.Cmp("lt", b.Load(ty, emit.At(b.P, 0)), b.Load(ty, emit.At(b.P, 64)))
			for i, off := range offsets {
				from := emit.Addr{Ptr: b.AddP(b.P, b.Add(b.Sub(zero, b.Int(off)), b.Int(int64(i*16)))), Off: off}
				to := emit.Addr{Ptr: b.AddP(b.Q, b.Add(b.Sub(zero, b.Int(off)), b.Int(int64(i*128)))), Off: off}
				b.StoreMasked(b.LoadMasked(ty, m, from), m, to)
				b.Store(b.LoadSplat(ty, from), emit.Addr{Ptr: to.Ptr, Off: off + 32})
			}
		}))
	}
	return all
}

// ends has masked accesses whose lanes without a bit lie behind the input.
func ends(t *testing.T) (all []asmtest.Program) {
	for _, ty := range []emit.Type{emit.Vector(emit.I8, 16), emit.Vector(emit.I8, 8), emit.Vector(emit.I8, 4), emit.Vector(emit.I16, 8), emit.Vector(emit.I16, 4), emit.Vector(emit.I16, 2),
		emit.Vector(emit.F32, 4), emit.Vector(emit.F32, 2), emit.Vector(emit.F64, 2)} {
		p := suite.Make(t, NEON, "end_"+ty.String(), func(b *asmtest.Body) {
			n := b.And(b.Param("n", emit.Int64), b.Int(int64(ty.Lanes-1)))
			size := int64(ty.Elem.Bytes())
			at := emit.Addr{Ptr: b.AddP(b.P, b.Mul(n, b.Int(-size))), Off: asmtest.InBytes}
			m := b.MaskN(ty, n)
			v := b.LoadMasked(ty, m, at)
			b.Put(v)
			last := emit.Addr{Ptr: b.AddP(b.Q, b.Mul(n, b.Int(-size))), Off: asmtest.MaxSlots * asmtest.SlotBytes}
			b.StoreMasked(v, m, last)
		})
		all = append(all, p)
	}
	return all
}
