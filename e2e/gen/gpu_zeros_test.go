package gen_test

import (
	"strings"
	"testing"
)

const zerosSpec = `//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/quant"
	"github.com/tilesmith/tilesmith/tiling"
)

func main() {
	both := []emit.Target{amd64.AVX2, ptx.SM80}
	tile := tiling.GPU{BM: 32, BN: 64, BK: 64, WM: 32, WN: 32, Stages: 2}
	gen.Main(
		gemm.Spec[uint8, int8, int32, int8]{Name: "Layer", Targets: both, GPU: tile, Grouped: true,
			Epilogue: gemm.Map4(quant.RequantiseBias[int8], gemm.PerColumn[int32]("bias"), gemm.PerColumn[float32]("scale"), gemm.Scalar[int8]("zero")).ZeroPoints("az", "bz")},
		gemm.Spec[uint8, uint8, int32, int8]{Name: "Above", Targets: both, GPU: tile,
			Epilogue: gemm.Map3(quant.Requantise[int8], gemm.Scalar[float32]("scale"), gemm.Scalar[int8]("zero")).ZeroPoints("", "bz")},
	)
}
`

// TestGPUZeros: products above zero points are called alike on CPUs and GPUs, and check themselves.
func TestGPUZeros(t *testing.T) {
	s := newScratch(t, map[string]string{"doc.go": "// Package layers has two.\npackage layers\n", "spec.go": zerosSpec})
	s.makes(".", "run", "spec.go")
	files := s.generated(false)
	for name, wants := range map[string][]string{
		"layers_gen.go": {"func Layer(out layout.Matrix[int8], a layout.Matrix[uint8], b layout.Matrix[int8], az uint8, bz int8, bias []int32, scale []float32, zero int8)"},
		"gpu/layers_gen.go": {
			"func Layer(stream cuda.Stream, out cuda.Matrix[int8], a cuda.Matrix[uint8], b cuda.Matrix[int8], az uint8, bz int8, bias cuda.Slice[int32], scale cuda.Slice[float32], zero int8) error {",
			"run.One(call, zero)\n\trun.One(call, az)\n\trun.One(call, bz)\n\treturn call.Launch()", // as slots have them
			`{Name: "az", Kind: run.Scalar, Type: dtype.U8}`, "RequantiseBias[int8]((a-az)*(b-bz), bias, scale, zero)",
		},
		"gpu/layers_gen_test.go": {"return 0, p.At(3, 0, 0) }"},
	} {
		for _, w := range wants {
			if !strings.Contains(files[name], w) {
				t.Errorf("%s lacks %s", name, w)
			}
		}
	}
	s.goes("vet", "./...")
	s.goes("test", "./...")
}
