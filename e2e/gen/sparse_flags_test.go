package gen_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

const sparseFlagsSpec = `//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"

	"example.com/shop/layers"
)

func main() {
	gen.Main(
%s	)
}

var (
	_ = emit.Targets{amd64.AVX2}
	_ = act.ReLU[float64]
	_ = gemm.PerColumn[float32]
	_ = spec.Mean
	_ = format.CSR
	_ = layers.Swish
)
`

// sparseFlagsSpecs are the specs that flags of TestSparseFlags describe.
var sparseFlagsSpecs = map[string]string{
	"Agg":     `spec.SpMM[float32]{Name: "Agg", Features: 32, Reduce: spec.Mean, Pattern: true}`,
	"Packed":  `spec.SpMM[float64]{Name: "Packed", Format: format.SELL(8, 32), Targets: emit.Targets{amd64.AVX2}}`,
	"Summed":  `spec.SpMM[float32]{Name: "Summed", Parts: []format.Format{format.ELL(4), format.COO}, Reduce: spec.Max, Features: 8, Targets: emit.Targets{amd64.AVX2}}`,
	"Vec":     `spec.SpMV[float64]{Name: "Vec", Epilogue: gemm.Map1(act.ReLU[float64])}`,
	"Scores":  `spec.SDDMM[float32]{Name: "Scores", Features: 16, Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}`,
	"Readout": `spec.SegmentReduce[float32]{Name: "Readout", Features: 24, Reduce: spec.Max, Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}`,
	"Attend":  `spec.EdgeSoftmax[float32]{Name: "Attend", Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}`,
	"Plain": `spec.BlockAttention[float64]{Name: "Plain", Heads: 2, Width: 8, Scale: -0.5, UnseenNaN: true},
		spec.BlockAttention[float64]{Name: "Plain", Heads: 2, Width: 8, Scale: -0.5, UnseenNaN: true}.Backward()`,
	"Near": `spec.BlockAttention[float32]{Name: "Near", Causal: true, Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))},
		spec.BlockAttention[float32]{Name: "Near", Causal: true, Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}.Backward()`,
	"Relate": `spec.RGMS[float32]{Name: "Relate", Epilogue: gemm.Map2(layers.Swish, gemm.PerColumn[float32]("bias"))}`,
}

// TestSparseFlags makes the same kernels from a spec and from command lines.
func TestSparseFlags(t *testing.T) {
	cases := some(2, []string{
		"spmv --name Vec --type f64 --epilogue act.ReLU",
		"spmm --name Packed --type f64 --format sell8_32 --targets avx2",
		"sddmm --name Scores --features 16 --epilogue layers.Swish --operands bias=percolumn",
		"segment --name Readout --features 24 --reduce max --epilogue layers.Swish --operands bias=percolumn",
		"softmax --name Attend --epilogue layers.Swish --operands bias=percolumn",
		"attention --name Plain --type f64 --heads 2 --width 8 --scale -.5 --unseen-nan --backward",
		"attention --name Near --causal --backward --epilogue layers.Swish --operands bias=percolumn",
		"rgms --name Relate --epilogue layers.Swish --operands bias=percolumn",
		"spmm --name Summed --parts ell4,coo --reduce max --features 8 --targets avx2",
		"spmm --name Agg --features 32 --reduce mean --pattern",
	})
	files, run := map[string]string{"layers/layers.go": flagsLayers, "spec/doc.go": "// Package graph has kernels.\npackage graph\n"}, []string{"run"}
	for _, flags := range cases { // a spec file each, since that of a command line is one
		name := strings.Fields(flags)[2]
		file := strings.ToLower(name) + "_spec.go"
		files["spec/"+file] = fmt.Sprintf(sparseFlagsSpec, "\t\t"+sparseFlagsSpecs[name]+",\n")
		run = append(run, file)
	}
	s := newScratch(t, files)
	s.makes("spec", run...)
	want := map[string]string{}
	for name, text := range s.generated(true) {
		_, want[strings.TrimPrefix(name, "spec/")], _ = strings.Cut(text, "\n")
	}
	have := map[string]string{}
	for _, flags := range cases {
		args := append([]string{"gen"}, append(strings.Fields(flags), "--package", "graph", "--out", "made/by/flags")...)
		s.makes(".", args...)
		if strings.HasPrefix(flags, "spmv") {
			s.makes(".", append(args, "--check")...)
		}
	}
	for name, text := range s.generated(false) {
		_, have[strings.TrimPrefix(name, "made/by/flags/")], _ = strings.Cut(text, "\n")
	}
	sameFiles(t, "from flags", have, want)
	s.goes("vet", "./...")
}

// TestSparseFlagsRefused wants one sentence and the exit code.
func TestSparseFlagsRefused(t *testing.T) {
	s := newScratch(t, map[string]string{"layers/layers.go": flagsLayers})
	for _, x := range []struct {
		flags string
		code  int
		want  string
	}{
		{"spmm", 2, "gen spmm needs --name"},
		{"spmm --name Agg --type bf16", 2, "sparse products are of f32 or f64"},
		{"spmm --name Agg --format ell", 2, "no such format"},
		{"spmm --name Agg --parts ell", 2, "--parts: "},
		{"spmm --name Agg --parts ell4,coo --format coo", 2, "the matrix has a format, or is a sum of parts in some; leave one out"},
		{"sddmm --name Agg --parts ell4", 2, "unknown flag: --parts"},
		{"spmm --name Agg --reduce median", 2, "plus, mean, max and min; a semiring takes a spec file"},
		{"spmm --name Agg --features -3", 2, "want a number of columns"},
		{"spmm --name Agg --targets mmx", 2, `there is no target "mmx"; there is amxbf16, `},
		{"spmv --name Agg --features 3", 2, "unknown flag: --features"},
		{"sddmm --name Agg --format coo", 2, "unknown flag: --format"},
		{"rgms --name Agg --pattern", 2, "unknown flag: --pattern"},
		{"segment --name Agg --format ell8", 2, "unknown flag: --format"},
		{"segment --name Agg --pattern", 2, "unknown flag: --pattern"},
		{"segment --name Agg --reduce median", 2, "plus, mean, max and min; a semiring takes a spec file"},
		{"softmax --name Agg", 1, "the spec has no function of scores; give an epilogue, as in gemm.Map1(score)"},
		{"softmax --name Agg --pattern", 2, "unknown flag: --pattern"},
		{"attention --name Agg --width -1", 2, "--width -1: want a number of columns up to"},
		{"attention --name Agg --heads -1", 2, "--heads -1: want a number up to"},
		{"attention --name Agg --scale inf", 2, "--scale +Inf: want a finite number"},
		{"rgms --name Agg --backward", 2, "unknown flag: --backward"},
		{"attention --name Agg --format csr", 2, "unknown flag: --format"},
		{"sddmm --name Agg --epilogue layers.Swish", 2, "layers.Swish has 2 parameters, not 1"},
	} {
		out, err := s.try(".", command(t), append([]string{"gen"}, append(strings.Fields(x.flags), "--package", "p", "--out", "new")...)...)
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		if out = strings.TrimSpace(out); code != x.code || !strings.Contains(out, x.want) || strings.Contains(out, "\n") {
			t.Errorf("%s: exit %d:\n%s\nwant exit %d and one line with %q", x.flags, code, out, x.code, x.want)
		}
	}
	if files := s.generated(false); len(files) > 0 {
		t.Errorf("%d files were generated", len(files))
	}
}
