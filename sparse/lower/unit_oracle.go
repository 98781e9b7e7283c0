package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// oracle checks every variant, and the portable code, against the oracles.
func (s *draft) oracle() *unit.Oracle {
	o := s.Described(s.describe(), unit.Check{})
	if s.op.timed {
		o.Bench = s.Bench(" on a graph with a power law")
	}
	if s.Fusion == nil && s.plain() && !s.narrow() && s.op.scaled {
		o.Checks = append(o.Checks, unit.Check{Suffix: "Scaled", Doc: "checks alpha*a*b + beta*out, any strides, and what lies around b and out.", Body: s.scaled()})
	}
	return o
}

// scaled is the test of alpha and beta, of strides and of what lies around the
// operands: for sums of products without an epilogue.
func (s *draft) scaled() string {
	widths, a, convert := "", "a", ""
	if s.Features > 0 {
		widths = fmt.Sprintf("Widths: []int{%d}", s.Features)
		convert = fmt.Sprintf("if b.Cols != %d {\nreturn errors.ErrUnsupported\n}\n", s.Features)
	}
	if s.packed() {
		a, convert = "x", convert+fmt.Sprintf("x, err := format.Pack(a, %#v)\nif err != nil {\nreturn err\n}\n", s.Format)
	}
	if s.sum() {
		a, convert = "x", convert+fmt.Sprintf("x, err := sample.Decomposed(a, %s)\nif err != nil {\nreturn err\n}\n", s.formats())
	}
	return fmt.Sprintf(`check.SparseProduct(t, func(alpha %[1]s, a sparse.Matrix[%[1]s], b layout.Matrix[%[1]s], beta %[1]s, out layout.Matrix[%[1]s]) error {
	%[2]s%[3]sOpt(run.Options{ISA: isa, Scaling: run.Scale(float64(alpha), float64(beta))}, out, %[4]s, b)
	return nil
}, check.SparseOptions{%[5]s})`, s.T.Go(), convert, s.Name, a, widths)
}

// describe is the product as the oracles take it.
func (s *draft) describe() unit.Lit {
	t, vl := s.T.Go(), 0
	for _, m := range s.mods {
		if s.op.lanes {
			vl = max(vl, m.VL)
		}
	}
	opt, b := "opt", t
	if s.op.options != "" {
		opt = s.op.options + "{Options: opt}"
	}
	if s.narrow() {
		b = s.B.Go()
	}
	op := unit.Struct("check."+s.op.oracle,
		"VL", vl,
		"Features", s.Features,
		"Heads", s.Attention.Heads,
		"Scale", s.Attention.Scale,
		"Causal", s.Attention.Causal,
		"UnseenNaN", s.Attention.UnseenNaN,
		"Vector", s.op.vector,
		"Format", unit.When(s.packed(), "%#v", s.Format),
		"Parts", unit.When(s.sum(), "%s", s.formats()),
		"Pattern", s.Pattern,
		"Segments", s.op.segments,
		"Mean", s.Reduce == spec.Mean)
	ulp := 0.0
	if s.Semiring != nil && !s.Semiring.Laws.Exact {
		ulp = s.Semiring.ULP()
	}
	return s.Fused(t, b, t).And(
		"Op", op,
		"Arithmetic", s.ArithmeticOf("Product", ulp),
		"Call", s.API.Call(opt))
}

// formats are those of the parts of a sum, as Go writes them.
func (s *draft) formats() string {
	var texts []string
	for _, f := range s.Parts {
		texts = append(texts, fmt.Sprintf("%#v", f))
	}
	return "[]format.Format{" + strings.Join(texts, ", ") + "}"
}
