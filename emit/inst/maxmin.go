package inst

import "github.com/tilesmith/tilesmith/emit"

// MaxNaN and MinNaN are Go's max and min of float32: NaN if one is, +0 above -0. The
// IR's own max and min are what a CPU has; made of those they are three and more
// instructions. Section 9.7.3.
var (
	MaxNaN = extreme("max.NaN.f32", "the larger operand, NaN if one is; +0 is larger than -0", func(x, y float32) float32 { return max(x, y) })
	MinNaN = extreme("min.NaN.f32", "the smaller operand, NaN if one is; -0 is smaller than +0", func(x, y float32) float32 { return min(x, y) })
)

func extreme(name, doc string, f func(x, y float32) float32) *emit.Instruction {
	f32 := emit.Scalar(emit.F32)
	return emit.Declare(emit.Instruction{
		Name: name,
		Doc:  doc,
		In:   []emit.Type{f32, f32},
		Out:  []emit.Type{f32},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			number := func(i int) float32 { return float32(emit.F32.Decode(in[0][i].Lane[0])) }
			out[0][0].Lane[0] = emit.F32.Encode(float64(f(number(0), number(1))))
			return nil
		},
		Text: map[string]string{"ptx": name + " {0}, {1}, {2};"},
	})
}
