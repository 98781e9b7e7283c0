package llvm

import (
	"fmt"

	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// Products of narrow elements of arm64 are intrinsics. Those of bf16 want the type of LLVM,
// where we have integers.
func init() {
	for i, name := range map[*emit.Instruction]string{
		inst.ArmDotI8: "sdot.v4i32.v16i8", inst.ArmDotU8: "udot.v4i32.v16i8", inst.ArmDotBF16: "bfdot.v4f32.v8bf16",
		inst.ArmSquareI8: "smmla.v4i32.v16i8", inst.ArmSquareU8: "ummla.v4i32.v16i8", inst.ArmSquareBF16: "bfmmla",
	} {
		instructions[i] = selectArmDot("llvm.aarch64.neon." + name)
	}
}

func selectArmDot(name string) row {
	return func(e *emitter, op *emit.Op) (value.Value, error) {
		if isa := isaset.ByName(e.t.Name); isa == nil || !isa.Includes(op.Inst.Needs) {
			return nil, fmt.Errorf("%s needs %s, and the target is %s", op.Inst.Name, op.Inst.Needs, e.t.Name)
		}
		x, y := e.arg(op, 1), e.arg(op, 2)
		if t := op.Args[1].Type; t.Elem == emit.BF16 {
			wide := vector(bfloat{}, t.Lanes)
			x, y = e.at.NewBitCast(x, wide), e.at.NewBitCast(y, wide)
		}
		return e.call(name, e.typ(op.Result().Type), e.arg(op, 0), x, y), nil
	}
}

// bfloat is LLVM's type of that name, which llir does not have.
type bfloat struct{}

var _ llvm.Type = bfloat{}

func (bfloat) String() string         { return "bfloat" }
func (bfloat) LLString() string       { return "bfloat" }
func (bfloat) Equal(u llvm.Type) bool { return u == llvm.Type(bfloat{}) }
func (bfloat) Name() string           { return "" }
func (bfloat) SetName(string)         {}
