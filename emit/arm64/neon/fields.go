package neon

import "math/bits"

// run is n places from the lowest, at.
func run(at, n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = at + i
	}
	return places
}

// imm8At are the places of the immediate that MOVI and FMOV split, abc and defgh.
var imm8At = []int{5, 6, 7, 8, 9, 16, 17, 18}

// fields are the capitals in the operands of a row. D, N, M and A are the registers that
// the manual calls Rd or Rt, Rn, Rm, and Ra or Rt2.
var fields = map[string]field{
	"D": {what: "register", at: run(0, 5), high: 31},
	"N": {what: "register", at: run(5, 5), high: 31},
	"M": {what: "register", at: run(16, 5), high: 31},
	"A": {what: "register", at: run(10, 5), high: 31},
	"V": {what: "register", kind: other, at: run(10, 5), high: 31}, // Rt2 of LDP

	"L":  {what: "register", at: run(16, 4), high: 15},            // Rm of lanes of 16 bits, whose index takes bit 20
	"NM": {what: "register", at: run(5, 5), copyAt: 16, high: 31}, // both sources
	"B":  {kind: base, at: run(5, 5)},                             // the base of an address
	"P":  {kind: next, high: 1},                                   // the second register of a list; Q and R are the third and fourth
	"Q":  {kind: next, high: 2},
	"R":  {kind: next, high: 3},

	"H":   {what: "lane", at: []int{11}, high: 1}, // by element
	"HL":  {what: "lane", at: []int{21, 11}, high: 3},
	"HLM": {what: "lane", at: []int{20, 21, 11}, high: 7},
	"LB":  {what: "lane", at: []int{10, 11, 12, 30}, high: 15}, // of LD1 and ST1
	"LH":  {what: "lane", at: []int{11, 12, 30}, high: 7},
	"LS":  {what: "lane", at: []int{12, 30}, high: 3},
	"LD":  {what: "lane", at: []int{30}, high: 1},

	"I":    {what: "immediate", at: imm8At, high: 255},
	"F":    {kind: float, at: imm8At},
	"FS":   {kind: float, at: run(13, 8)}, // of a scalar FMOV
	"MASK": {kind: mask, at: imm8At},
	"SB":   {what: "shift", at: []int{13}, high: 8, scale: 8}, // LSL of MOVI
	"SD":   {what: "shift", at: []int{13, 14}, high: 24, scale: 8},
	"MSL":  {what: "shift", at: []int{12}, low: 8, high: 16, scale: 8, base: 8},
	"E":    {what: "index", at: run(11, 3), high: 7}, // of EXT
	"EQ":   {what: "index", at: run(11, 4), high: 15},

	"O": {what: "offset", at: run(12, 9), low: -256, high: 255}, // of LDUR

	"O1": offset(1), "O2": offset(2), "O4": offset(4), "O8": offset(8), "O16": offset(16),
	"P4": pairOffset(4), "P8": pairOffset(8), "P16": pairOffset(16),
}

// offset is imm12 of LDR, in units of what is loaded.
func offset(unit int64) field {
	return field{what: "offset", at: run(10, 12), high: 4095 * unit, scale: unit}
}

// pairOffset is imm7 of LDP.
func pairOffset(unit int64) field {
	return field{what: "offset", at: run(15, 7), low: -64 * unit, high: 63 * unit, scale: unit}
}

// sized returns the fields that the size of lanes is part of. The word has it already, as
// the highest 1 of immh:immb or the lowest of imm5.
func sized(name string, op uint32) (f field, ok bool) {
	lane := int64(op >> 16 & 0x7f)
	log := bits.TrailingZeros32(op >> 16)
	switch name {
	case "SL": // a shift to the left
		return field{what: "shift", at: run(16, bits.Len64(uint64(lane))-1), high: lane - 1}, true
	case "SR": // to the right: what is left of twice the size
		return field{what: "shift", at: run(16, bits.Len64(uint64(lane))-1), low: 1, high: lane, base: lane, down: true}, true
	case "X": // imm5: the lane above the size
		return field{what: "lane", at: run(17+log, 4-log), high: 15 >> log}, true
	case "Y": // imm4 of INS, with the size of imm5
		return field{what: "lane", at: run(11+log, 4-log), high: 15 >> log}, true
	}
	return f, false
}
