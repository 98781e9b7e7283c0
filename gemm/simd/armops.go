package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
)

// Operators of arm64. No spec names one.

// ofArm reports whether op is one of them.
func ofArm(op gemm.Operator) bool {
	switch op.(type) {
	case armDot, armSquare:
		return true
	}
	return false
}

// An armDot adds the products of four bytes to each sum, which wraps around as int32 does. It takes the
// word of A from any lane of a register. Where the signs of the factors differ, A's elements are copied
// with the others' kind of sign: 128 less or more, which the values that sums begin with undo.
type armDot uint8

const (
	i8Dot armDot = iota + 1 // SDOT, of i8 x i8
	u8Dot                   // UDOT, of u8 x u8
)

var (
	armDotNames = [...]string{i8Dot: "dot.i8.i8", u8Dot: "dot.u8.u8"}
	armDots     = [...]*emit.Instruction{i8Dot: inst.ArmDotI8, u8Dot: inst.ArmDotU8}
)

func (o armDot) String() string                                    { return armDotNames[o] }
func (o armDot) Types() (a, b, acc emit.Elem)                      { return emit.I8, emit.I8, emit.I32 }
func (o armDot) Depth() gemm.Depth                                 { return gemm.Depth{K: 4, Interleave: 4} }
func (o armDot) Starts() bool                                      { return true }
func (o armDot) Flips() bool                                       { return false }
func (o armDot) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

func (o armDot) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return b.Inst(armDots[o], 0, acc, x, y)[0]
}

// An armSquare multiplies two rows of A by two columns of B, eight bytes of k deep, by one instruction. It does
// twice the work of a dot product of the same elements. Operands are packed as for that, two steps of
// which are one of an armSquare. Sums of integers wrap around as int32 does; those of bf16 are
// rounded as [inst.ArmDotBF16] says, of the first pair and then of the second.
type armSquare uint8

const (
	i8Square   armSquare = iota + 1 // SMMLA, of i8 x i8, with signs as of an armDot
	u8Square                        // UMMLA, of u8 x u8
	bf16Square                      // BFMMLA, of bf16 x bf16 to f32
)

var squares = [...]struct {
	name string
	by   *emit.Instruction
}{
	i8Square:   {"square.i8", inst.ArmSquareI8},
	u8Square:   {"square.u8", inst.ArmSquareU8},
	bf16Square: {"square.bf16", inst.ArmSquareBF16},
}

func (o armSquare) String() string { return squares[o].name }

// Types are those of the elements, without their signs, and of the sums.
func (o armSquare) Types() (a, b, acc emit.Elem) {
	if o == bf16Square {
		return emit.BF16, emit.BF16, emit.F32
	}
	return emit.I8, emit.I8, emit.I32
}

// Depth is that of the words that operands are packed to.
func (o armSquare) Depth() gemm.Depth {
	if o == bf16Square {
		return gemm.Depth{K: 2, Interleave: 2}
	}
	return gemm.Depth{K: 4, Interleave: 4}
}

// Starts reports whether there is a correction of signs, and Flips that no kernel makes it.
func (o armSquare) Starts() bool { return o != bf16Square }
func (o armSquare) Flips() bool  { return false }

// Identity returns zeros.
func (o armSquare) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

// Step adds the products of two rows, x, and two columns, y: to row 0 by columns 0 and 1, then to row 1.
func (o armSquare) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return b.Inst(squares[o].by, 0, acc, x, y)[0]
}
