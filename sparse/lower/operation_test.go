package lower

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// TestOperationRefused: a description of package spec that nothing is known of is refused, and does not crash.
func TestOperationRefused(t *testing.T) {
	_, err := Spec(spec.Description{Operation: "conv", Name: "Conv", T: dtype.F32, Out: dtype.F32, B: dtype.F32, Format: format.CSR, Reduce: spec.Plus}, &translator{})
	if want := `Conv: there is no operation "conv"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestOperations: what every operation needs is there, and its texts have no hole that fill leaves.
func TestOperations(t *testing.T) {
	for _, of := range []spec.Operation{spec.OpSpMM, spec.OpSpMV, spec.OpSDDMM, spec.OpRGMS, spec.OpSegments, spec.OpEdgeSoftmax, spec.OpAttention} {
		d := spec.Description{Operation: of, Name: "Op", T: dtype.F32, Out: dtype.F32, B: dtype.F32, Format: format.CSR, Reduce: spec.Plus}
		op := operationOf(d)
		if op == nil {
			t.Errorf("%s: there is none", of)
			continue
		}
		if op.out == "" || len(op.factors) == 0 || op.style == nil || op.run == "" || op.args == "" || op.oracle == "" {
			t.Errorf("%s: %+v lacks what every operation has", of, op)
		}
		if op.entry == nil && (op.result == "" || op.epilogue == "" || op.stored == "" || op.unstored == "" || op.value == "" || op.where == "") {
			t.Errorf("%s: %+v lacks its call or its text", of, op)
		}
		s := &draft{Product: &Product{Description: d, op: op}}
		s.Draft = unit.NewDraft(&unit.Context{Package: "p"}, d.Name, "", nil)
		texts := []string{op.where, op.unseen, op.cols, op.kernels, op.set, op.dense}
		for _, f := range op.factors {
			texts = append(texts, f.typ)
		}
		for _, text := range texts {
			if have := s.fill(text); strings.Contains(strings.ReplaceAll(have, "{ return ", ""), "{") {
				t.Errorf("%s: %q is left in %q", of, have, text)
			}
		}
	}
	if back := operationOf(spec.Description{Operation: spec.OpAttention, Attention: spec.Attention{GradientsOf: "Attend"}}); back != attentionBack {
		t.Error("gradients of attention are another operation")
	}
}

// TestOperationRefuses: an operation refuses an epilogue that it has no meaning for.
func TestOperationRefuses(t *testing.T) {
	two := func(acc float32) (out, more float32) { return acc, acc }
	one := func(acc float32) float32 { return acc }
	pair := gemm.Fuse[float32, float32](two, []gemm.Output{{Name: "more", Type: dtype.F32}})
	for _, c := range []struct {
		name string
		of   interface{ Describe() spec.Description }
		want string
	}{
		{"a column of columns", spec.SpMV[float32]{Name: "N", Epilogue: gemm.Map2(bias, gemm.PerColumn[float32]("x"))}, "operand x is PerColumn, and the result is a vector"},
		{"a row of a column", spec.SpMV[float32]{Name: "N", Epilogue: gemm.Map1(one).RowSum("total")}, "reduction total is of rows, which have one element here"},
		{"a row of entries", spec.SDDMM[float32]{Name: "N", Epilogue: gemm.Map1(one).RowSum("total")}, "a sampled product has no rows and columns to reduce"},
		{"a row of scores", spec.EdgeSoftmax[float32]{Name: "N", Epilogue: gemm.Map1(one).RowSum("total")}, "a sampled product has no rows and columns to reduce"},
		{"no score", spec.EdgeSoftmax[float32]{Name: "N"}, "the spec has no function of scores"},
		{"heads", spec.BlockAttention[float32]{Name: "N", Heads: -1}, "-1 heads; want a number up to"},
		{"scale", spec.BlockAttention[float32]{Name: "N", Scale: math.Inf(1)}, "scores are scaled by +Inf"},
		{"a matrix of scores", spec.BlockAttention[float32]{Name: "N", Epilogue: pair}, "output more would be a whole matrix of scores"},
		{"a sum of scores", spec.BlockAttention[float32]{Name: "N", Epilogue: gemm.Map1(one).RowSum("total")}, "reduction total is of scores"},
		{"gradients", spec.BlockAttention[float32]{Name: "N", Heads: -1}.Backward(), "-1 heads; want a number up to"},
	} {
		if _, err := Spec(c.of.Describe(), &translator{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
