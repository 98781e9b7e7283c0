package lower

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/unit"
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
