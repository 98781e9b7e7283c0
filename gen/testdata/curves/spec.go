//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
)

// rotary turns the sum and its partner by an angle, as transformers encode positions.
func rotary(acc, partner, angle float32) float32 {
	sin, cos := math.Sincos(float64(angle + acc))
	return acc*float32(cos) - partner*float32(sin)
}

// hue is an angle in sixths of a turn, and how far out it is.
func hue(acc, other float32) (float32, float32) {
	angle := math.Atan2(float64(other), float64(acc))
	return float32(math.Mod(float64(float32(angle)+10), 1.5)), float32(math.Hypot(float64(acc), float64(other)))
}

// tone is a curve of a screen after a lens.
func tone(acc float32) float32 {
	x := float32(math.Cbrt(math.Atan(float64(acc))))
	y := float32(math.Pow(float64(max(0, x)), 2.25))
	return y + float32(math.Log10(float64(acc*acc+1))) + float32(math.Asinh(float64(x)))
}

// arcs and lines are the others, in float64.
func arcs(acc, bias float64) float64 {
	x := max(-1, min(1, (acc+bias)*0.01))
	return math.Asin(x) + math.Acos(x*x) + math.Atanh(0.5*x) + math.Tan(x)
}

func lines(acc float64) float64 {
	x := acc * 0.01
	return math.Sinh(x) + math.Cosh(x) + math.Acosh(1+x*x) + math.Sin(acc)*math.Pow(x*x+1, 0.3)
}

func norm(x, y float32) float32 { return float32(math.Hypot(float64(x), float64(y))) }

func product(x, y float32) float32 { return float32(math.Abs(float64(x * y))) }

// tiny makes for short kernels.
var tiny = tiling.GPU{BM: 32, BN: 32, BK: 32, WM: 16, WN: 16, Stages: 2}

func main() {
	type bf = dtype.BF16
	norms := semiring.Semiring[float32]{Name: "norms", Plus: norm, Times: product, Laws: semiring.Laws{Commutative: true}}
	gen.Main(
		gemm.Spec[bf, bf, float32, float32]{Name: "Rotary", Targets: gen.All, GPU: tiny,
			Epilogue: gemm.Map3(rotary, gemm.Full[float32]("partner"), gemm.PerColumn[float32]("angle"))},
		gemm.Spec[float32, float32, float32, float32]{Name: "Hue", Epilogue: gemm.Fuse[float32, float32](hue, []gemm.Output{gemm.Also[float32]("far")}, gemm.Full[float32]("other").In())},
		gemm.Spec[float32, float32, float32, float32]{Name: "Tone", Epilogue: gemm.Map1(tone)},
		gemm.Spec[float64, float64, float64, float64]{Name: "Arcs", Epilogue: gemm.Map2(arcs, gemm.PerColumn[float64]("bias"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "Lines", Epilogue: gemm.Map1(lines)},
		gemm.Spec[float32, float32, float32, float32]{Name: "Norms", Operator: gemm.Over(norms)},
	)
}
