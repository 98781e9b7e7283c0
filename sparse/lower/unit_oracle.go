package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// oracle checks every variant, and the portable code, against the oracles.
func (s *draft) oracle() *unit.Oracle {
	const every = "checks every variant that this machine runs, and the portable one."
	o := &unit.Oracle{
		ISAs:   s.isas(),
		Checks: []unit.Check{{Doc: every, Body: unit.Run(s.Name)}},
		Bench: unit.Check{Doc: "reports GFLOP/s on one core on a graph with a power law.",
			Body: fmt.Sprintf("check.Bench(b, isa, 0, %sCase(run.Options{ISA: isa, Threads: 1}))", s.v)},
		Decls: []unit.Decl{unit.Case(s.Name, s.describe(), unit.Param{Name: "opt", Type: "run.Options"})},
	}
	if s.Operation == spec.OpEdgeSoftmax || s.Operation == spec.OpAttention {
		o.Bench = unit.Check{}
	}
	if s.Fusion == nil && s.Reduce == spec.Plus && !s.Pattern && !s.narrow() && s.Operation == spec.OpSpMM {
		o.Checks = append(o.Checks, unit.Check{Suffix: "Scaled", Doc: "checks alpha*a*b + beta*out, any strides, and what lies around b and out.", Body: s.scaled()})
	}
	return o
}

// kind is what package check calls the operation.
func (s *draft) kind() string {
	switch s.Operation {
	case spec.OpSDDMM:
		return "SDDMM"
	case spec.OpEdgeSoftmax:
		return "EdgeSoftmax"
	case spec.OpRGMS:
		return "RGMS"
	case spec.OpAttention:
		return "Attention"
	}
	return "SpMM"
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
		vl = max(vl, m.VL)
	}
	opt, b := "opt", t
	if s.Operation == spec.OpAttention {
		opt = attentionOptions + "{Options: opt}"
	}
	if s.narrow() {
		b = s.B.Go()
	}
	set := func(on bool, name, format string, args ...any) unit.Field {
		if !on {
			return unit.Field{Name: name, Value: unit.Expr("")}
		}
		return unit.Field{Name: name, Value: unit.Expr(fmt.Sprintf(format, args...))}
	}
	op := unit.Lit{Type: "check." + s.kind()}.With(
		set(s.Operation != spec.OpEdgeSoftmax, "VL", "%d", vl),
		set(s.Features > 0, "Features", "%d", s.Features),
		set(s.Attention.Heads > 0, "Heads", "%d", s.Attention.Heads),
		set(s.Attention.Scale != 0, "Scale", "%v", s.Attention.Scale),
		set(s.Attention.Causal, "Causal", "true"),
		set(s.Attention.UnseenNaN, "UnseenNaN", "true"),
		set(s.Operation == spec.OpSpMV, "Vector", "true"),
		set(s.packed(), "Format", "%#v", s.Format),
		set(s.sum(), "Parts", "%s", s.formats()),
		set(s.Pattern, "Pattern", "true"),
		set(s.Operation == spec.OpSegments, "Segments", "true"),
		set(s.Reduce == spec.Mean, "Mean", "true"))
	ulp := 0.0
	if s.Semiring != nil && !s.Semiring.Laws.Exact {
		ulp = s.Semiring.ULP()
	}
	return unit.Lit{Type: "check.Case", Fields: unit.Fused(s.Name, s.Apply, [3]string{t, b, t}, s.params)}.With(
		unit.Field{Name: "Op", Value: op},
		set(s.Semiring != nil, "Arithmetic", "check.ArithmeticOf(%sProduct.Semiring(), %v)", s.v, ulp),
		set(true, "Call", "func(p *check.Problem) {\n%sOpt(%s, %s)\n}", s.Name, opt, unit.Args(s.params)))
}

// formats are those of the parts of a sum, as Go writes them.
func (s *draft) formats() string {
	var texts []string
	for _, f := range s.Parts {
		texts = append(texts, fmt.Sprintf("%#v", f))
	}
	return "[]format.Format{" + strings.Join(texts, ", ") + "}"
}
