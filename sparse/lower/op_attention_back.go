package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

var attentionBack = &operation{
	out: "dq", factors: []factor{{"dk", matrixType, ""}, {"dv", matrixType, ""}, {"mask", "mask.Mask", ""},
		{"q", matrixType, ""}, {"k", matrixType, ""}, {"v", matrixType, ""}, {"out", matrixType, ""}, {"dout", matrixType, ""}}, style: scores{},
	options: "attention.Options",
	run:     "attention.ScoresBack", args: "dq, dk, dv, mask, q, k, v, out, dout",
	refuse: (*Product).refuseAttention,
	lower:  (*Product).shown,
	entry:  (*draft).gradientsEntry,
}

// gradients reports whether the spec is the gradients of another.
func (p *Product) gradients() bool { return p.op == attentionBack }

// gradient replaces the function of scores by its derivative. That takes the gradient by the score after the
// operands, and returns the gradient by the product and those by operands that are floats, each for an
// element.
func (p *Product) gradient() error {
	f := p.Fusion
	if !p.gradients() || f == nil {
		return nil
	}
	back := f.Gradients(f.Acc)
	back.Reduces = nil // what an operand has for many elements is summed without those that the mask hides
	for i, in := range p.differentiable() {
		back.Also[i].Name, back.Also[i].Unstored = "d"+in.Name, false
	}
	score := &back.Inputs[len(f.Inputs)]
	score.Name = "dscore"
	for slices.ContainsFunc(back.Also, func(o gemm.Output) bool { return o.Name == score.Name }) {
		score.Name += "s" // of an operand that is called score
	}
	p.Fusion = back
	return back.Check()
}

// differentiable are the operands of the function of scores that gradients by them belong to, in their order.
func (p *Product) differentiable() (ins []gemm.Input) {
	for _, in := range p.Fusion.Inputs {
		if gemm.ElemOf(in.Type).Float() {
			ins = append(ins, in)
		}
	}
	return ins
}

// gradientParams are the parameters of gradients in the order of the function's. Those by operands come after
// those by q, k and v, each of the operand's pattern. The last is the gradient by the score, which the call
// computes.
func (s *draft) gradientParams(ps []unit.Param) []unit.Param {
	var by, rest []unit.Param
	for _, p := range ps {
		if p.Role != unit.Output || p.Slot == 0 {
			rest = append(rest, p)
			continue
		}
		of := s.differentiable()[p.Slot-1]
		kind, n := of.Pattern.Kind(), slices.IndexFunc(s.Fusion.Inputs, func(in gemm.Input) bool { return in.Name == of.Name })
		if p.Type = "[]" + p.Elem; of.Pattern == gemm.FullPattern {
			p.Type = "layout.Matrix[" + p.Elem + "]"
		}
		p.Bind = fmt.Sprintf("attention.%sGradient(&$e, %q, %d, %s)", kind, p.Name, n+1, p.Name)
		by = append(by, p)
	}
	return slices.Insert(rest, 3, by...) // behind dq, dk, dv
}

// gradientsEntry are the functions that a user calls for gradients of attention.
func (s *draft) gradientsEntry() []unit.Decl {
	of := s.Attention.GradientsOf
	doc := s.API.Text("", fmt.Sprintf("computes the gradients dq, dk and dv of %[1]s by q, k and v from dout, the gradient by its result, from out, which was that, from $opt.LogSums, which %[1]sOpt "+
		"filled, and from the mask and the operands that it had. dq has the shape of q, and so on.", of))
	if s.Fusion != nil && len(s.Fusion.Also) > 0 {
		var by []string
		for _, o := range s.Fusion.Also {
			by = append(by, o.Name)
		}
		doc += fmt.Sprintf(" Gradients by operands of the score, %s, are as long as those, for each head or summed over all; one that is nil, or a matrix that is zero, is not wanted.", strings.Join(by, ", "))
	}
	doc += "\n" + unit.Panics("shapes do not agree", "LogSums is nil", unit.Short, "a gradient shares memory with anything else") + " See [attention.ScoresBack.Back] for the order of additions."
	return []unit.Decl{s.API.Func("", doc, s.API.With(s.API.Params...), s.attend("Back", "")), s.scores("Of", unit.Expr("&"+unit.Lower(of)+"Product"))}
}
