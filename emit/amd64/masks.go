package amd64

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// Masks of AVX-512, of up to 64 lanes, are K registers whose bits past the lanes are zero.
// They fit vectors of any element. Those of AVX2 are vectors: see package asm.

// The machine's own instructions that make masks.
var (
	bzhi = emit.Declare(emit.Instruction{Name: "amd64.bzhi", Doc: "all bits below bit n (BMI2 BZHI of -1)",
		In: []emit.Type{emit.Int64, emit.Int64}, Out: []emit.Type{emit.Int64},
		Text: map[string]string{"amd64": "BZHIQ {2}, {1}, {0}"},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			ones, n := in[0][0].Lane[0], in[0][1].Lane[0]
			if n < 64 {
				ones &= 1<<n - 1
			}
			out[0][0] = emit.Word{Lane: []uint64{ones}}
			return nil
		}})
	kmovs = map[int]*emit.Instruction{ // by lanes
		2: kmov("amd64.kmovb.2", "KMOVB", 2), 4: kmov("amd64.kmovb.4", "KMOVB", 4), 8: kmov("amd64.kmovb", "KMOVB", 8),
		16: kmov("amd64.kmovw", "KMOVW", 16), 32: kmov("amd64.kmovd", "KMOVD", 32), 64: kmov("amd64.kmovq", "KMOVQ", 64),
	}
)

func kmov(name, mnemonic string, lanes int) *emit.Instruction {
	return emit.Declare(emit.Instruction{Name: name, Doc: "a mask from the low bits of an integer",
		In: []emit.Type{emit.Int64}, Out: []emit.Type{emit.Vector(emit.I1, lanes)},
		Text: map[string]string{"amd64": mnemonic + " {1}, {0}"},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			m := make([]uint64, lanes)
			for i := range m {
				m[i] = in[0][0].Lane[0] >> i & 1
			}
			out[0][0] = emit.Word{Lane: m}
			return nil
		}})
}

// expandMaskN makes a mask from a bit pattern, or cuts it from a table.
func expandMaskN(x *asm.Expansion) *emit.Value {
	n, lanes := x.Old.Args[0], x.Old.Result().Type.Lanes
	if x.T.Bits == 512 {
		if kmovs[lanes] == nil {
			return x.Refuse("masks on %s have 2, 4, 8, 16, 32 or 64 lanes", x.T.Name)
		}
		return x.Inst(kmovs[lanes], x.Inst(bzhi, x.Int(emit.Int64, -1), n))
	}
	return asm.MaskN(x)
}

// expandMaskOf moves bits to a K register, without bits that belong to no lane.
func expandMaskOf(x *asm.Expansion) *emit.Value {
	n, lanes := x.Old.Args[0], x.Old.Result().Type.Lanes
	if x.T.Bits == 256 {
		return nil
	}
	if kmovs[lanes] == nil {
		return x.Refuse("masks on %s have 2, 4, 8, 16, 32 or 64 lanes", x.T.Name)
	}
	if lanes < 8 {
		n = x.Op("and", "", emit.Int64, n, x.Int(emit.Int64, 1<<lanes-1))
	}
	return x.Inst(kmovs[lanes], n)
}

// expandConst makes constant masks.
func expandConst(x *asm.Expansion) *emit.Value {
	t, set := x.Old.Result().Type, x.Old.Attr.Imm != 0
	if !asm.IsMask(t) {
		return nil
	}
	if x.T.Bits == 512 {
		if kmovs[t.Lanes] == nil {
			return x.Refuse("masks on %s have 2, 4, 8, 16, 32 or 64 lanes", x.T.Name)
		}
		bits := int64(0)
		if set {
			bits = int64(^uint64(0) >> (64 - t.Lanes))
		}
		return x.Inst(kmovs[t.Lanes], x.Int(emit.Int64, bits))
	}
	return asm.ConstMask(x)
}
