package lower

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// gradients reports whether the spec is the gradients of another.
func (p *Product) gradients() bool { return p.Attention.GradientsOf != "" }

// gradient puts in place of the function of scores its derivative, which takes the gradient by the score behind the
// operands, and returns that by the product.
func (p *Product) gradient() error {
	f := p.Fusion
	if !p.gradients() || f == nil {
		return nil
	}
	score := gemm.Input{Name: "dscore", Pattern: gemm.FullPattern, Type: f.Returns()}
	p.Fusion = &gemm.Fusion{Acc: f.Acc, Out: f.Acc, Where: f.Where, Inputs: append(slices.Clone(f.Inputs), score), Fn: emit.Derivative{Of: f.Fn, By: []int{0}}}
	return p.Fusion.Check()
}

// gradientsEntry are the functions that a user calls for gradients of attention.
func (s *spec) gradientsEntry() []unit.Decl {
	variable, t, of := s.v+"Product", s.T.Go(), s.Attention.GradientsOf
	opt, e := unit.Free("opt", s.params), unit.Free("e", s.params)
	value := unit.Lit{Type: "spblas.BlockScoresBack[" + t + "]"}.With(
		unit.Field{Name: "Name", Value: unit.Expr(s.called(""))},
		unit.Field{Name: "Of", Value: unit.Expr("&" + unit.Lower(of) + "Product")})
	if s.Fusion != nil {
		value = value.With(unit.Field{Name: "Epilogue", Value: unit.Expr(s.v + "Epilogue")}, unit.Field{Name: "Epis", Value: unit.Expr(s.v + "Epis")})
	}
	doc := fmt.Sprintf("%[1]s computes the gradients dq, dk and dv of %[2]s by q, k and v from dout, the gradient by its result, from out, which was that, from %[3]s.LogSums, which %[2]sOpt "+
		"filled, and from the mask and the operands that it had. dq has the shape of q, and so on.", s.Name, of, opt)
	if s.Fusion != nil && len(s.Fusion.Inputs) > 1 {
		doc += " Operands of the score get no gradient."
	}
	doc += "\nIt panics with a [layout.ShapeError], before an element is read, if shapes do not agree, LogSums is nil, a slice is too short, or a gradient shares memory with anything else. " +
		"See [spblas.BlockScoresBack.Back] for the order of additions."
	return []unit.Decl{
		abi,
		unit.Func{
			Doc: doc, Name: s.Name, Params: append([]unit.Param{{Name: opt, Type: attentionOptions}}, s.visible...),
			Body: fmt.Sprintf("%s := %s.Begin(%s, %s, mask)\n%s%[2]s.Back(%[3]s, &%[1]s, dq, dk, dv, mask, q, k, v, out, dout)", e, variable, opt, s.called(""), unit.Binds(s.visible, e)),
		},
		unit.Var{Name: variable, Value: value},
	}
}
