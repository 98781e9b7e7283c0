package inst

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// RoundTF32 rounds an f32, as a word, to the 10 fraction bits that tensor cores look at: to
// the nearest, halves away from zero. Section 9.7.9.22 (cvt.rna.tf32).
var RoundTF32 = emit.Declare(emit.Instruction{
	Name: "cvt.rna.tf32.f32",
	Doc:  "an f32, as a word, rounded to 10 fraction bits, halves away from zero",
	In:   []emit.Type{emit.Int32}, Out: []emit.Type{emit.Int32}, Tied: []int{-1},
	Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
		x := uint32(in[0][0].Lane[0])
		switch f := math.Float32frombits(x); {
		case f != f:
			x = 0x7fffffff
		case f-f == 0:
			x += 1 << 12
		}
		out[0][0].Lane[0] = uint64(x &^ (1<<13 - 1))
		return nil
	},
	Text:  map[string]string{"ptx": "cvt.rna.tf32.f32 {0}, {1};"},
	Needs: "sm_80",
})

// Permute makes a word from bytes of two words. Hex digit i of imm selects byte i, from
// 0 in the first word's low bits to 7. Section 9.7.9.7 (prmt).
var Permute = emit.Declare(emit.Instruction{
	Name: "prmt.b32",
	Doc:  "four bytes of two words: hex digit i of imm chooses byte i",
	In:   []emit.Type{emit.Int32, emit.Int32}, Out: []emit.Type{emit.Int32}, Tied: []int{-1},
	Run: func(_ *emit.Machine, imm int64, in, out [][]emit.Word) error {
		both := in[0][0].Lane[0]&math.MaxUint32 | in[0][1].Lane[0]<<32
		x := uint64(0)
		for i := range 4 {
			x |= both >> (imm >> (4 * i) & 7 * 8) & 0xff << (8 * i)
		}
		out[0][0].Lane[0] = x
		return nil
	},
	Text:  map[string]string{"ptx": "prmt.b32 {0}, {1}, {2}, {imm};"},
	Needs: "sm_80",
})
