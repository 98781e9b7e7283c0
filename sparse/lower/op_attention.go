package lower

import (
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

var _ = declare(spec.OpAttention, &operation{
	out: "out", factors: []factor{{"mask", "mask.Mask", "S"}, {"q", matrixType, "A"}, {"k", matrixType, "B"}, {"v", matrixType, "V"}}, style: scores{},
	options: "attention.Options",
	run:     "attention.Scores", args: "out, mask, q, k, v",
	set: "func() *attention.Set[{T}] { return &softmaxf.Set{t} }", others: "softmaxf",
	oracle: "Attention", lanes: true,
	refuse:   (*Product).refuseAttention,
	lower:    (*Product).shown,
	entry:    (*draft).attentionEntry,
	formula:  (*draft).attentionFormula,
	operands: (*draft).attentionOperands,
})

// refuseAttention refuses what a spec of attention cannot mean.
func (p *Product) refuseAttention() error {
	switch a := p.Attention; {
	case a.Heads < 0 || a.Heads > MaxFeatures:
		return fmt.Errorf("%d heads; want a number up to %d, or 0 for what a call says", a.Heads, MaxFeatures)
	case math.IsNaN(a.Scale) || math.IsInf(a.Scale, 0):
		return fmt.Errorf("scores are scaled by %v; want a finite number, or 0 for one over the square root of a head's width", a.Scale)
	}
	switch f := p.Fusion; {
	case f == nil:
	case f.Unstored:
		return f.At(errors.New("the score is what the softmax takes; store it"))
	case len(f.Also) > 0:
		return f.At(fmt.Errorf("output %s would be a whole matrix of scores, which is never in memory; leave it out", f.Also[0].Name))
	case len(f.Reduces) > 0:
		return f.At(fmt.Errorf("reduction %s is of scores, which attention cannot reduce; Options.LogSums of a call gets the log-sum-exp of each row", f.Reduces[0].Name))
	}
	return nil
}

// scores is the style of attention over blocks. The output of the epilogue is the place of a score,
// the matrix of results is the operator's, and operands are those of all heads, or of each.
type scores struct{ simd.Style }

func (s scores) Output(p *unit.Param) {
	s.Style.Output(p)
	p.Bind = ""
}

func (s scores) Operand(p *unit.Param, pattern gemm.Pattern) {
	s.Style.Operand(p, pattern)
	kind := pattern.Kind()
	if pattern == gemm.ScalarPattern {
		p.Type = "[]" + p.Elem
	}
	p.Bind = fmt.Sprintf("attention.%s(&$e, %q, %s)", kind, p.Name, p.Name)
}

// attentionEntry are the functions that a user calls of attention.
func (s *draft) attentionEntry() []unit.Decl {
	a := s.Attention
	return append(s.API.Calls(s.document("attention.Scores.Attend"), "threads, a forced ISA, heads, what gradients need", "", s.attend("Attend", "Opt")),
		s.scores("Set", unit.Expr(s.fill(s.op.set)), "Heads", a.Heads, "Width", s.Features, "Scale", a.Scale, "Causal", a.Causal, "UnseenNaN", a.UnseenNaN))
}

// attend are the statements that call a method of the run time.
func (s *draft) attend(method, suffix string) string {
	return fmt.Sprintf("$e := %sProduct.Begin($opt, %s, mask)\n$binds\n%[1]sProduct.%[3]s($opt, &$e, %s)", s.V, s.API.Called(suffix), method, s.op.args)
}

// scores is the run time's form of the spec, with fields of its own.
func (s *draft) scores(fields ...any) unit.Var {
	return unit.Var{Name: s.V + "Product", Value: unit.Struct(s.op.run+"["+s.T.Go()+"]", "Name", s.Package+"."+s.Name).And(fields...).And(s.epilogueFields()...)}
}

// attentionFormula says what the function computes, of what shapes.
func (s *draft) attentionFormula() string {
	a, scale, score := s.Attention, "q[i]·k[j] / sqrt(f)", "score"
	if a.Scale != 0 {
		scale = fmt.Sprintf("%v * q[i]·k[j]", a.Scale)
	}
	if s.Fusion != nil {
		scale = s.Fusion.Formula(s.Apply.Expr, score, scale)
	} else {
		scale = score + " = " + scale
	}
	mask := "that mask has in row i"
	if a.Causal {
		mask += ", of which rows see no later ones"
	}
	text := fmt.Sprintf("computes out[i] = sum over j of softmax_j(score) * v[j], where %s, over the columns j %s.", scale, mask)
	width := func(unknown string) string {
		if a.Heads > 0 && s.Features > 0 {
			return fmt.Sprint(a.Heads * s.Features)
		}
		if a.Heads > 0 {
			return fmt.Sprintf("%d*%s", a.Heads, unknown)
		}
		return s.features(unknown)
	}
	text += fmt.Sprintf(" With a mask of m x n, q is m x %s, k is n x %[1]s, v is n x %[2]s and out is m x %[2]s, of any strides.", width("f"), width("h"))
	if a.Heads > 0 {
		text += fmt.Sprintf(" The columns are those of %d heads, side by side.", a.Heads)
	}
	if a.UnseenNaN {
		return text + " A row that sees nothing is NaN."
	}
	return text + " A row that sees nothing is 0."
}

// attentionOperands says what the operands of scores are.
func (s *draft) attentionOperands() (text string) {
	for _, in := range s.Fusion.Inputs {
		one := map[gemm.Pattern]string{
			gemm.RowPattern: "an element for each row of the mask", gemm.ColumnPattern: "an element for each column of the mask",
			gemm.FullPattern: "an element for each of the mask", gemm.ScalarPattern: "one element",
		}[in.Pattern]
		text += fmt.Sprintf("%s has %s. ", in.Name, one)
	}
	if text != "" {
		text += "Or they have so many for each head, one's behind another's."
	}
	return text
}
