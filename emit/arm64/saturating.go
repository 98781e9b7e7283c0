package arm64

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// convertKey is a conversion of vectors of floats to integers as wide.
type convertKey struct {
	from emit.Type
	how  string
}

// saturating are the conversions of the machine: what an integer does not hold becomes the
// nearest number, and a NaN zero (DDI 0487, FCVTZS and FCVTNS).
var saturating = map[convertKey]*emit.Instruction{}

func init() {
	for _, e := range []emit.Elem{emit.F32, emit.F64} {
		for bits := 64; bits <= 128; bits *= 2 {
			from := emit.Vector(e, bits/e.Bits())
			if from.Lanes == 1 {
				continue
			}
			for how, mnemonic := range map[string]string{"rne": "fcvtns", "trunc": "fcvtzs"} {
				saturating[convertKey{from, how}] = declareSaturating(from, how, mnemonic)
			}
		}
	}
}

func declareSaturating(from emit.Type, how, mnemonic string) *emit.Instruction {
	to := from
	to.Elem = map[emit.Elem]emit.Elem{emit.F32: emit.I32, emit.F64: emit.I64}[from.Elem]
	shape := fmt.Sprintf("%d%s", from.Lanes, letters[from.Elem.Bits()])
	return emit.Declare(emit.Instruction{
		Name: fmt.Sprintf("arm64.%s.%v", mnemonic, from), Doc: "integers nearest to floats, zero for a NaN",
		In: []emit.Type{from}, Out: []emit.Type{to}, Tied: []int{-1},
		Text: map[string]string{"arm64": fmt.Sprintf("%s {v0}.%s, {v1}.%s", mnemonic, shape, shape)},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			bound := math.Ldexp(1, from.Elem.Bits()-1)
			lanes := make([]uint64, from.Lanes)
			for i, x := range in[0][0].Lane {
				f := math.Trunc(from.Elem.Decode(x))
				if how == "rne" {
					f = math.RoundToEven(from.Elem.Decode(x))
				}
				switch {
				case f != f:
				case f >= bound:
					lanes[i] = uint64(1)<<(from.Elem.Bits()-1) - 1
				case f < -bound:
					lanes[i] = uint64(1) << (from.Elem.Bits() - 1)
				default:
					lanes[i] = uint64(int64(f)) & (^uint64(0) >> (64 - from.Elem.Bits()))
				}
			}
			out[0][0] = emit.Word{Lane: lanes}
			return nil
		},
	})
}
