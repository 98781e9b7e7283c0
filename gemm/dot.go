package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// A Starter is a [Deep] operator whose sums may begin with values in front of each panel of
// B. Words of A are XORed with a word that the call names. Signed numbers need that where an
// instruction takes unsigned ones, and the reverse. Flips reports whether kernels do it; else
// it is done as A is copied.
type Starter interface {
	Deep
	Starts() bool
	Flips() bool
}

// A Dot is a dot product of two or four narrow elements by one instruction. It is the
// step of products of bf16, of 8-bit and of 16-bit integers. Sums of integers wrap
// around as int32 does.
type Dot uint8

// The dot products.
const (
	// BF16Dot is VDPBF16PS: two of bf16 x bf16 to f32.
	BF16Dot Dot = iota + 1
	// U8I8Dot is VPDPBUSD: four of u8 x i8 to i32. Each call says whether A's elements
	// have a sign. Those of i8 are XORed with 0x80, which adds 128, and sums begin with
	// -128 times the sum of B's column.
	U8I8Dot
	// I8U8Dot is the same with the factors exchanged, for B of u8.
	I8U8Dot
	// I16Dot is VPDPWSSD: two of i16 x i16 to i32.
	I16Dot
	// I16Madd is VPMADDWD and an addition, which is the same on more machines.
	I16Madd
)

var dots = [...]struct {
	name string
	a, b emit.Elem
	acc  emit.Elem
	k    int
}{
	BF16Dot: {"dot.bf16", emit.BF16, emit.BF16, emit.F32, 2},
	U8I8Dot: {"dot.u8.i8", emit.I8, emit.I8, emit.I32, 4},
	I8U8Dot: {"dot.i8.u8", emit.I8, emit.I8, emit.I32, 4},
	I16Dot:  {"dot.i16", emit.I16, emit.I16, emit.I32, 2},
	I16Madd: {"madd.i16", emit.I16, emit.I16, emit.I32, 2},
}

func (d Dot) String() string {
	if d == 0 || int(d) >= len(dots) {
		return fmt.Sprintf("dot(%d)", uint8(d))
	}
	return dots[d].name
}

// Types are those of the elements in words, and of the sums.
func (d Dot) Types() (a, b, acc emit.Elem) { return dots[d].a, dots[d].b, dots[d].acc }

// Depth is two or four k, side by side.
func (d Dot) Depth() Depth { return Depth{dots[d].k, dots[d].k} }

// Starts reports whether there is a correction of signs.
func (d Dot) Starts() bool { return d == U8I8Dot || d == I8U8Dot }

// Flips reports whether kernels XOR words of A, which takes an instruction for each of them.
func (d Dot) Flips() bool { return d.Starts() }

// Identity returns zeros.
func (d Dot) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

// Step adds the dot products of words of A, x, and of B, y.
func (d Dot) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	lanes := acc.Type.Lanes
	switch d {
	case BF16Dot:
		return b.Inst(inst.DotBF16(lanes), 0, acc, x, y)[0]
	case U8I8Dot:
		return b.Inst(inst.DotU8I8(lanes), 0, acc, x, y)[0]
	case I8U8Dot:
		return b.Inst(inst.DotU8I8(lanes), 0, acc, y, x)[0]
	case I16Dot:
		return b.Inst(inst.DotI16(lanes), 0, acc, x, y)[0]
	}
	return b.Add(acc, b.Inst(inst.MulPairsI16(lanes), 0, x, y)[0])
}
