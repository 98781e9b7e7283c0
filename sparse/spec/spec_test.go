package spec_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// What package gemm and package emit have fits a spec, without sparse knowing them.
var (
	_ spec.Epilogue[float32] = gemm.Epilogue[float32, float32]{}
	_ spec.Epilogue[float32] = gemm.Epilogue[float32, dtype.BF16]{}
	_ spec.Targets           = emit.Targets{}
	_ spec.Reducer           = spec.Max
	_ spec.Reducer           = spec.Semiring[float64]{}
)

// TestDescribe compares what a generator sees of each spec.
func TestDescribe(t *testing.T) {
	type description struct {
		Operation, Name, Format, Reduce, T, B, Out, Targets string
		Features                                            int
		Pattern, Epilogue, Standalone                       bool
	}
	for _, c := range []struct {
		spec interface{ Describe() spec.Description }
		want description
	}{
		{spec.SpMM[float32]{Name: "Aggregate"}, description{Operation: "spmm", Name: "Aggregate", Format: "csr", Reduce: "plus", T: "f32", B: "f32", Out: "f32"}},
		{spec.SpMMTo[float32, dtype.BF16]{Name: "Narrow", Format: format.ELL(4), Features: 7, Pattern: true, Reduce: spec.Mean, Targets: emit.Targets{amd64.AVX2}},
			description{Operation: "spmm", Name: "Narrow", Format: "ell4", Reduce: "mean", T: "f32", B: "f32", Out: "bf16", Targets: "[avx2]", Features: 7, Pattern: true}},
		{spec.SpMMOf[float32, dtype.F16, float32]{Name: "Stored"}, description{Operation: "spmm", Name: "Stored", Format: "csr", Reduce: "plus", T: "f32", B: "f16", Out: "f32"}},
		{spec.SpMM[float64]{Name: "Act", Epilogue: gemm.Map1(act.GELU[float64])},
			description{Operation: "spmm", Name: "Act", Format: "csr", Reduce: "plus", T: "f64", B: "f64", Out: "f64", Epilogue: true}},
		{spec.SpMV[float64]{Name: "Rank", Reduce: spec.Semiring[float64]{Name: "minplus"}, Standalone: true},
			description{Operation: "spmv", Name: "Rank", Format: "csr", Reduce: "minplus", T: "f64", B: "f64", Out: "f64", Features: 1, Standalone: true}},
		{spec.SDDMM[float32]{Name: "Scores", Features: 64, Standalone: true},
			description{Operation: "sddmm", Name: "Scores", Format: "csr", Reduce: "plus", T: "f32", B: "f32", Out: "f32", Features: 64, Standalone: true}},
		{spec.SegmentReduce[float32]{Name: "Readout", Features: 16, Reduce: spec.Max, Standalone: true},
			description{Operation: "segment", Name: "Readout", Format: "csr", Reduce: "max", T: "f32", B: "f32", Out: "f32", Features: 16, Pattern: true, Standalone: true}},
		{spec.EdgeSoftmax[float64]{Name: "Weights", Epilogue: gemm.Map1(act.GELU[float64])},
			description{Operation: "softmax", Name: "Weights", Format: "csr", Reduce: "plus", T: "f64", B: "f64", Out: "f64", Epilogue: true}},
		{spec.RGMS[float64]{Name: "Relate", Epilogue: gemm.Map1(act.GELU[float64])},
			description{Operation: "rgms", Name: "Relate", Format: "csr", Reduce: "plus", T: "f64", B: "f64", Out: "f64", Epilogue: true}},
	} {
		d := c.spec.Describe()
		have := description{Operation: string(d.Operation), Name: d.Name, Format: d.Format.Name, Reduce: d.Reduce.String(), T: d.T.String(), B: d.B.String(), Out: d.Out.String(),
			Features: d.Features, Pattern: d.Pattern, Epilogue: d.Epilogue != nil, Standalone: d.Standalone}
		if d.Targets != nil {
			have.Targets = fmt.Sprint(d.Targets.Names())
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (- want, + have):\n%s", c.want.Name, diff)
		}
	}
}

// A layer of a graph network: mean over the neighbours, and a bias and an activation
// when a row is done. The call of gen.Main that a spec file hands this to writes
//
//	func Aggregate(out layout.Matrix[float32], a sparse.Matrix[float32], b layout.Matrix[float32])
func ExampleSpMM() {
	s := spec.SpMM[float32]{
		Name: "Aggregate", Features: 128, Pattern: true,
		Reduce:   spec.Mean,
		Epilogue: gemm.Map1(act.ReLU[float32]),
	}
	d := s.Describe()
	fmt.Println(d.Operation, d.Name, d.Format, d.Reduce, d.Features, d.T)
	// Output: spmm Aggregate csr mean 128 f32
}
