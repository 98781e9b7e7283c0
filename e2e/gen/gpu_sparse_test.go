package gen_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

const sparseSpec = `//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

func addBias(acc, bias float32) float32 { return max(acc+bias, 0) }

func main() {
	tile := tiling.GPU{BM: 32, BN: 64, BK: 64, WM: 32, WN: 32, Stages: 2}
	gen.Main(
		gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Layer", Targets: gen.GPU, Sparse: gemm.Sparse24, GPU: tile,
			Epilogue: gemm.Map2(addBias, gemm.PerRow[float32]("bias"))},
		gemm.Spec[uint8, int8, int32, int32]{Name: "Words", Targets: gen.GPU, Sparse: gemm.Sparse24,
			GPU: tiling.GPU{BM: 32, BN: 64, BK: 128, WM: 32, WN: 32, Stages: 2}},
	)
}
`

// TestGPUSparse: a package that is generated for a sparse a checks itself.
func TestGPUSparse(t *testing.T) {
	s := newScratch(t, map[string]string{"doc.go": "// Package layers has one.\npackage layers\n", "spec.go": sparseSpec})
	s.makes(".", "run", "spec.go")
	files := s.generated(false)
	for name, wants := range map[string][]string{
		"gpu/layers_gen.go": {
			"func Layer(stream cuda.Stream, out cuda.Matrix[float32], a cuda.Sparse24[dtype.BF16], b cuda.Matrix[dtype.BF16], bias cuda.Slice[float32]) error {",
			"\trun.A24(call, a)\n", "out run.Batch[float32], a cuda.Sparse24[dtype.BF16], b run.Batch[dtype.BF16]", "a being 2:4 sparse", `{Name: "the metadata of a", Kind: run.Meta, Type: dtype.I32}`,
		},
		"gpu/layer_sm80.ptx":     {".version 8.5\n.target sm_80\n", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32"},
		"gpu/layers_gen_test.go": {"gpu.Plain24[int32](WordsKernels(), WordsOpt)"},
	} {
		for _, w := range wants {
			if !strings.Contains(files[name], w) {
				t.Errorf("%s lacks %s", name, w)
			}
		}
	}
	s.goes("vet", "./...")
	s.goes("test", "./gpu")
}

// A CPU has no such instruction.
func TestSparseRefused(t *testing.T) {
	s := gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Layer", Targets: gen.All, Sparse: gemm.Sparse24}
	_, err := gen.Generate(gen.Options{Package: "p", Source: "spec.go"}, s)
	for _, w := range []string{"Layer", "Sparse24", "GPU targets only", "sparse24.Matrix.Unpack"} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%v, want an error with %q", err, w)
		}
	}
}
