package asmtest

import (
	"encoding/binary"
	"math/rand/v2"
)

// DotInput has sums first, then narrow elements: of bf16 such as overflow, cancel, end up at
// or below the least normal number or are denormal, and the ends of the integers.
func DotInput(r *rand.Rand) *Input {
	in := &Input{}
	bf16 := func() uint16 {
		x := uint16(r.Uint32())
		switch r.IntN(5) {
		case 0: // about 1
			x = x&0x80ff | uint16(120+r.IntN(14))<<7
		case 1: // about the root of the least normal number
			x = x&0x80ff | uint16(56+r.IntN(16))<<7
		case 2:
			x = Pick(r, []uint16{0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x8080, 0x100, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x2000, 0x1f80})
		case 3:
			x = Pick(r, []uint16{0x8080, 0x7f7f, 0xffff, 0x807f, 0x7f80, 0x8000, 0x7fff, 0xff00})
		}
		return x
	}
	for at := 0; at < 256; at += 4 {
		x := r.Uint32()
		switch r.IntN(4) {
		case 0:
			x = uint32(bf16()) << 16
		case 1:
			x = x&0x807fffff | uint32(110+r.IntN(30))<<23
		case 2:
			x = x&0x80000007 | uint32(r.IntN(8))<<23
		}
		binary.LittleEndian.PutUint32(in.Mem[at:], x)
	}
	for at := 256; at < InBytes; at += 2 {
		binary.LittleEndian.PutUint16(in.Mem[at:], bf16())
	}
	return in
}
