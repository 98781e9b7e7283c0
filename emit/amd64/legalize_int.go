package amd64

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// The expansions of products, shifts and counts of bits.

// Instructions that multiply the lower halves of 64-bit lanes, and move 32-bit lanes
// within them, by the number of lanes.
var (
	mulLow  = map[int]*emit.Instruction{} // VPMULUDQ on lanes of 64 bits
	mulEven = map[int]*emit.Instruction{} // VPMULUDQ on lanes of 32 bits: the even ones
	odds    = map[int]*emit.Instruction{} // odd lanes of 32 bits go to the even ones before them
	evens   = map[int]*emit.Instruction{} // even lanes go to the odd ones after them
)

func init() {
	declare := func(list map[int]*emit.Instruction, e emit.Elem, lanes, operands int, name, doc, text string, run func(in [][]emit.Word, out []uint64)) {
		t := emit.Vector(e, lanes)
		in := []emit.Type{t, t}[:operands]
		list[lanes] = emit.Declare(emit.Instruction{Name: fmt.Sprintf("amd64.%s.%d", name, lanes), Doc: doc, In: in, Out: []emit.Type{t},
			Text: map[string]string{"amd64": text},
			Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
				v := make([]uint64, lanes)
				run(in, v)
				out[0][0] = emit.Word{Lane: v}
				return nil
			}})
	}
	low := func(x uint64) uint64 { return x & math.MaxUint32 }
	for lanes := 2; lanes <= 16; lanes *= 2 {
		if lanes <= 8 {
			declare(mulLow, emit.I64, lanes, 2, "muludq", "the products of the lower halves", "VPMULUDQ {2}, {1}, {0}", func(in [][]emit.Word, out []uint64) {
				for i := range out {
					out[i] = low(in[0][0].Lane[i]) * low(in[0][1].Lane[i])
				}
			})
		}
		declare(mulEven, emit.I32, lanes, 2, "muleven", "the products of even lanes, each in two", "VPMULUDQ {2}, {1}, {0}", func(in [][]emit.Word, out []uint64) {
			for i := 0; i < lanes; i += 2 {
				p := low(in[0][0].Lane[i]) * low(in[0][1].Lane[i])
				out[i], out[i+1] = low(p), p>>32
			}
		})
		declare(odds, emit.I32, lanes, 1, "odd", "odd lanes in the places before them, zeros in theirs", "VPSRLQ $32, {1}, {0}", func(in [][]emit.Word, out []uint64) {
			for i := 0; i < lanes; i += 2 {
				out[i] = in[0][0].Lane[i+1]
			}
		})
		declare(evens, emit.I32, lanes, 1, "even", "even lanes in the places after them, zeros in theirs", "VPSLLQ $32, {1}, {0}", func(in [][]emit.Word, out []uint64) {
			for i := 0; i < lanes; i += 2 {
				out[i+1] = in[0][0].Lane[i]
			}
		})
	}
}

// lowHalf reports whether the upper 32 bits of v, lanes of 64, are known to be zeros.
func lowHalf(v *emit.Value) bool {
	if v.Op == nil {
		return false
	}
	switch op := v.Op; op.Def.Name {
	case "const":
		return 0 <= op.Attr.Imm && op.Attr.Imm <= math.MaxUint32
	case "zext":
		return true // from 32 bits at most
	case "and":
		return lowHalf(op.Args[0]) || lowHalf(op.Args[1])
	case "shr":
		return asm.IsConst(op.Args[1]) && op.Args[1].Op.Attr.Imm >= 32
	}
	return false
}

// uncleared returns what v clears the upper 32 bits of, lanes of 64, or v: VPMULUDQ does not
// read them.
func uncleared(v *emit.Value) *emit.Value {
	if v.Op != nil && v.Op.Def.Name == "and" {
		for k, a := range v.Op.Args {
			if asm.IsConst(a) && a.Op.Attr.Imm == math.MaxUint32 {
				return v.Op.Args[1-k]
			}
		}
	}
	return v
}

// upper returns the upper halves of v's lanes.
func upper(x *asm.Expansion, v *emit.Value) *emit.Value {
	if asm.IsConst(v) {
		return x.Int(v.Type, int64(uint64(v.Op.Attr.Imm)>>32))
	}
	return x.Op("shr", "", v.Type, v, x.Int(v.Type, 32))
}

// expandMul: AVX2 has no product of 64 bits, and neither has one of 8. For 64 bits only
// the products with a lower half reach the result. VPMULUDQ is faster than VPMULLQ if
// one is enough.
func expandMul(x *asm.Expansion) *emit.Value {
	r, a, b := x.Old.Result().Type, x.Old.Args[0], x.Old.Args[1]
	switch {
	case r.Lanes == 1:
		return nil
	case r.Elem == emit.I8:
		w, ok := x.Wider(r)
		if !ok {
			return nil
		}
		return x.Op("trunc", "", r, x.Op("mul", "", w, x.Op("zext", "", w, a), x.Op("zext", "", w, b)))
	case r.Elem != emit.I64 || mulLow[r.Lanes] == nil || x.T.Bits == 512 && !(lowHalf(a) && lowHalf(b)):
		return nil
	}
	sum := x.Inst(mulLow[r.Lanes], uncleared(a), uncleared(b))
	for _, p := range [][2]*emit.Value{{a, b}, {b, a}} {
		if !lowHalf(p[0]) {
			cross := x.Inst(mulLow[r.Lanes], upper(x, p[0]), p[1])
			sum = x.Op("add", "", r, sum, x.Op("shl", "", r, cross, x.Int(r, 32)))
		}
	}
	return sum
}

// expandMulHi: the machine has the upper half of a product of 16 bits, and whole
// products of 32.
func expandMulHi(x *asm.Expansion) *emit.Value {
	r, a, b := x.Old.Result().Type, x.Old.Args[0], x.Old.Args[1]
	w, ok := x.Wider(r)
	switch {
	case r.Elem == emit.I16 && r.Lanes > 1:
		return nil
	case r.Elem == emit.I64 && mulLow[r.Lanes] != nil:
		return mulHi64(x, r, a, b)
	case r.Elem == emit.I32 && mulEven[r.Lanes] != nil:
		odd := func(v *emit.Value) *emit.Value {
			if asm.IsConst(v) { // all lanes are the same
				return v
			}
			return x.Inst(odds[r.Lanes], v)
		}
		even := x.Inst(mulEven[r.Lanes], a, b)
		high := x.Inst(mulEven[r.Lanes], odd(a), odd(b))
		return x.Op("or", "", r, x.Inst(odds[r.Lanes], even), x.Inst(evens[r.Lanes], x.Inst(odds[r.Lanes], high)))
	case ok || r == emit.Int32:
		if r == emit.Int32 {
			w = emit.Int64
		}
		p := x.Op("mul", "", w, x.Op("zext", "", w, a), x.Op("zext", "", w, b))
		return x.Op("trunc", "", r, x.Op("shr", "", w, p, x.Int(w, int64(r.Elem.Bits()))))
	}
	return nil
}

// mulHi64 adds the four products of halves.
func mulHi64(x *asm.Expansion, r emit.Type, a, b *emit.Value) *emit.Value {
	mul := func(a, b *emit.Value) *emit.Value { return x.Inst(mulLow[r.Lanes], a, b) }
	add := func(a, b *emit.Value) *emit.Value { return x.Op("add", "", r, a, b) }
	ah, bh := upper(x, a), upper(x, b)
	mid := add(mul(ah, b), upper(x, mul(a, b)))
	rest := add(mul(a, bh), x.Op("and", "", r, mid, x.Int(r, math.MaxUint32)))
	return add(add(mul(ah, bh), upper(x, mid)), upper(x, rest))
}

// expandShift: no machine shifts lanes of 8 bits, and AVX2 none of 16 by counts that
// differ. In wider lanes they can be shifted.
func expandShift(x *asm.Expansion) *emit.Value {
	r, v, y := x.Old.Result().Type, x.Old.Args[0], x.Old.Args[1]
	narrow := r.Elem == emit.I8 || r.Elem == emit.I16 && x.T.Bits == 256 && !asm.IsConst(y)
	w, ok := x.Wider(r)
	if r.Lanes == 1 || !narrow || !ok {
		if x.Old.Def.Name == "sar" {
			return expandSar(x)
		}
		return nil
	}
	if asm.IsConst(y) {
		y = x.Int(w, y.Op.Attr.Imm)
	} else {
		y = x.Op("zext", "", w, y)
	}
	widen := map[bool]string{true: "sext", false: "zext"}[x.Old.Def.Name == "sar"]
	return x.Op("trunc", "", r, x.Op(x.Old.Def.Name, "", w, x.Op(widen, "", w, v), y))
}

// expandOnesCount adds bits in pairs, then pairs in fours, and so on: the plain
// instruction is beyond what the targets have.
func expandOnesCount(x *asm.Expansion) *emit.Value {
	r, v := x.Old.Result().Type, x.Old.Args[0]
	if r.Lanes == 1 {
		return nil
	}
	if r.Elem == emit.I8 {
		w, ok := x.Wider(r)
		if !ok {
			return nil
		}
		return x.Op("trunc", "", r, x.Op("popcnt", "", w, x.Op("zext", "", w, v)))
	}
	two := func(name string, a, b *emit.Value) *emit.Value { return x.Op(name, "", r, a, b) }
	bytes := func(b uint64) *emit.Value {
		return x.Int(r, int64(b*0x0101010101010101)<<(64-r.Elem.Bits())>>(64-r.Elem.Bits()))
	}
	down := func(v *emit.Value, by int) *emit.Value { return two("shr", v, x.Int(r, int64(by))) }
	v = two("sub", v, two("and", down(v, 1), bytes(0x55)))
	v = two("add", two("and", v, bytes(0x33)), two("and", down(v, 2), bytes(0x33)))
	v = two("and", two("add", v, down(v, 4)), bytes(0x0f))
	for by := 8; by < r.Elem.Bits(); by *= 2 {
		v = two("add", v, down(v, by))
	}
	return two("and", v, x.Int(r, 0x7f))
}

// expandLeadingZeros fills the bits below the first that is set, and counts the rest.
func expandLeadingZeros(x *asm.Expansion) *emit.Value {
	r, v := x.Old.Result().Type, x.Old.Args[0]
	if r.Lanes == 1 {
		return nil
	}
	for by := 1; by < r.Elem.Bits(); by *= 2 {
		v = x.Op("or", "", r, v, x.Op("shr", "", r, v, x.Int(r, int64(by))))
	}
	return x.Op("popcnt", "", r, x.Op("xor", "", r, v, x.Int(r, -1)))
}
