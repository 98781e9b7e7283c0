package neon

import (
	"fmt"
	"slices"
)

// Arrangements that families share. DDI 0487 writes their bits as Q (bit 30), sz (22) and
// size (22 and 23). "4s/4h" has T = 4s and U = 4h.

const q = 1 << 30 // 128 bits, not 64

// Operands that families share.
const (
	two   = "vD.T, vN.T"
	three = "vD.T, vN.T, vM.T"
	mixed = "vD.T, vN.U"
)

var (
	floats = shapes{{"2s", 0}, {"4s", q}, {"2d", q | 1<<22}}
	halves = shapes{{"4h", 0}, {"8h", q}}
	words  = shapes{{"2s", 0}, {"4s", q}} // of MOVI
	bytes  = shapes{{"8b", 0}, {"16b", q}}

	integers  = shapes{{"8b", 0}, {"16b", q}, {"4h", 1 << 22}, {"8h", q | 1<<22}, {"2s", 2 << 22}, {"4s", q | 2<<22}, {"2d", q | 3<<22}}
	integers3 = integers[:6] // without lanes of 64 bits

	byFloat   = shapes{{"4h/L.h[HLM]", 0}, {"8h/L.h[HLM]", q}, {"2s/M.s[HL]", 2 << 22}, {"4s/M.s[HL]", q | 2<<22}, {"2d/M.d[H]", q | 3<<22}}
	byInteger = shapes{{"4h/L.h[HLM]", 1 << 22}, {"8h/L.h[HLM]", q | 1<<22}, {"2s/M.s[HL]", 2 << 22}, {"4s/M.s[HL]", q | 2<<22}}
	byLong    = shapes{{"4s/4h/L.h[HLM]", 1 << 22}, {"2d/2s/M.s[HL]", 2 << 22}}
	byLong2   = shapes{{"4s/8h/L.h[HLM]", q | 1<<22}, {"2d/4s/M.s[HL]", q | 2<<22}}

	bytes4     = shapes{{"2s/8b", 0}, {"4s/16b", q}} // 4 bytes for each lane
	halfHalves = shapes{{"2s/2h", 0}, {"4s/4h", q}}  // of FMLAL

	longs      = shapes{{"8h/8b", 0}, {"4s/4h", 1 << 22}, {"2d/2s", 2 << 22}}
	longs2     = shapes{{"8h/16b", q}, {"4s/8h", q | 1<<22}, {"2d/4s", q | 2<<22}}
	narrows    = shapes{{"8b/8h", 0}, {"4h/4s", 1 << 22}, {"2s/2d", 2 << 22}}
	narrows2   = shapes{{"16b/8h", q}, {"8h/4s", q | 1<<22}, {"4s/2d", q | 2<<22}}
	neighbours = shapes{{"4h/8b", 0}, {"8h/16b", q}, {"2s/4h", 1 << 22}, {"4s/8h", q | 1<<22}, {"1d/2s", 2 << 22}, {"2d/4s", q | 2<<22}}
	across     = shapes{{"b/8b", 0}, {"b/16b", q}, {"h/4h", 1 << 22}, {"h/8h", q | 1<<22}, {"s/4s", q | 2<<22}}
	acrossLong = shapes{{"h/8b", 0}, {"h/16b", q}, {"s/4h", 1 << 22}, {"s/8h", q | 1<<22}, {"d/4s", q | 2<<22}}
)

// Shifts have the size of the narrower lanes in immh:immb, from bit 16.
var (
	shifts        = shapes{{"8b", 8 << 16}, {"16b", q | 8<<16}, {"4h", 16 << 16}, {"8h", q | 16<<16}, {"2s", 32 << 16}, {"4s", q | 32<<16}, {"2d", q | 64<<16}}
	longShifts    = shapes{{"8h/8b", 8 << 16}, {"4s/4h", 16 << 16}, {"2d/2s", 32 << 16}}
	longShifts2   = shapes{{"8h/16b", q | 8<<16}, {"4s/8h", q | 16<<16}, {"2d/4s", q | 32<<16}}
	narrowShifts  = shapes{{"8b/8h", 8 << 16}, {"4h/4s", 16 << 16}, {"2s/2d", 32 << 16}}
	narrowShifts2 = shapes{{"16b/8h", q | 8<<16}, {"8h/4s", q | 16<<16}, {"4s/2d", q | 32<<16}}
)

// Copies have the size of lanes as the lowest 1 of imm5, from bit 16.
var (
	lanes        = shapes{{"b", 1 << 16}, {"h", 2 << 16}, {"s", 4 << 16}, {"d", 8 << 16}}
	lanesOf      = shapes{{"8b/b", 1 << 16}, {"16b/b", q | 1<<16}, {"4h/h", 2 << 16}, {"8h/h", q | 2<<16}, {"2s/s", 4 << 16}, {"4s/s", q | 4<<16}, {"2d/d", q | 8<<16}}
	lanesGeneral = shapes{{"b/w", 1 << 16}, {"h/w", 2 << 16}, {"s/w", 4 << 16}, {"d/x", 8 << 16}}
	fromGeneral  = shapes{{"8b/w", 1 << 16}, {"16b/w", q | 1<<16}, {"4h/w", 2 << 16}, {"8h/w", q | 2<<16}, {"2s/w", 4 << 16}, {"4s/w", q | 4<<16}, {"2d/x", q | 8<<16}}
)

// Scalars have their type in bits 22 and 23. Bit 31 is that the general register is of 64 bits.
var (
	scalars       = shapes{{"s", 0}, {"d", 1 << 22}, {"h", 3 << 22}}
	scalarGeneral = shapes{{"s/w", 0}, {"s/x", 1 << 31}, {"d/w", 1 << 22}, {"d/x", 1<<31 | 1<<22}, {"h/w", 3 << 22}, {"h/x", 1<<31 | 3<<22}}
	sameSize      = shapes{{"s/w", 0}, {"d/x", 1<<31 | 1<<22}, {"h/w", 3 << 22}, {"h/x", 1<<31 | 3<<22}}
	choices       = slices.Concat(
		scalars.each(12, 0, "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"),
		scalars.each(12, 2, "cs", "cc")) // other names of hs and lo
)

// each returns the shapes with each of the parts behind. These have numbers, from first, in
// the bits from at.
func (s shapes) each(at, first int, parts ...string) (list shapes) {
	for _, a := range s {
		for i, p := range parts {
			list = append(list, shape{a.parts + "/" + p, a.bits | uint32(first+i)<<at})
		}
	}
	return list
}

// Registers of loads and stores, with the fields of their offsets.
var (
	sizes    = shapes{{"b/O1/0", 0}, {"h/O2/1", 1 << 30}, {"s/O4/2", 2 << 30}, {"d/O8/3", 3 << 30}, {"q/O16/4", 1 << 23}}
	pairs    = shapes{{"s/P4", 0}, {"d/P8", 1 << 30}, {"q/P16", 2 << 30}}
	oneLane  = shapes{{"b/LB/1", 0}, {"h/LH/2", 2 << 13}, {"s/LS/4", 4 << 13}, {"d/LD/8", 4<<13 | 1<<10}}
	repeated = shapes{{"8b/1", 0}, {"16b/1", q}, {"4h/2", 1 << 10}, {"8h/2", q | 1<<10}, {"2s/4", 2 << 10}, {"4s/4", q | 2<<10}, {"1d/8", 3 << 10}, {"2d/8", q | 3<<10}}
	hints    = shapes{{"pldl1keep", 0}, {"pldl1strm", 1}, {"pldl2keep", 2}, {"pldl2strm", 3}, {"pldl3keep", 4}, {"pldl3strm", 5},
		{"pstl1keep", 16}, {"pstl1strm", 17}, {"pstl2keep", 18}, {"pstl2strm", 19}, {"pstl3keep", 20}, {"pstl3strm", 21}}
)

// vectors are the arrangements of LD1 with n registers, and the bytes that they are.
func vectors(n int) (list shapes) {
	for i, lane := range []string{"b", "h", "s", "d"} {
		list = append(list,
			shape{fmt.Sprintf("%d%s/%d", 8>>i, lane, 8*n), uint32(i) << 10},
			shape{fmt.Sprintf("%d%s/%d", 16>>i, lane, 16*n), q | uint32(i)<<10})
	}
	return list
}
