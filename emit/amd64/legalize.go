package amd64

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// expansions replace what a target has no single instruction for.
var expansions = asm.Expansions{
	"const": expandConst, "maskn": expandMaskN, "maskof": expandMaskOf, "cmp": expandCmp, "select": expandSelect,
	"mul": expandMul, "umulh": expandMulHi, "shl": expandShift, "shr": expandShift, "sar": expandShift,
	"popcnt": expandOnesCount, "clz": expandLeadingZeros, "udiv": asm.Divide, "urem": asm.Divide,
	"imin": expandMinMax, "imax": expandMinMax, "trunc": expandTrunc, "sat": expandSat, "cvt": expandCvt,
}

// legalize replaces operations that need several instructions by those.
func legalize(t emit.Target, f *emit.Func) error {
	if err := expansions.Legalize(t, f); err != nil {
		return err
	}
	if t.Bits == 256 {
		asm.CutMasks(t, f)
	}
	return nil
}
