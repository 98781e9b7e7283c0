package simd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// product is a spec on its way to a unit. The module is that of the first target, which
// tells all that does not depend on one.
type product struct {
	*Module
	*unit.Draft
	mods []*Module
}

// unit returns what is printed of the product.
func (p *product) unit() (*unit.Unit, error) {
	if p.Grouped && p.Shape != (gemm.Shape{}) {
		return nil, fmt.Errorf("Grouped has products of any shapes, and Shape is %v; leave one of the two out, or call %sBatched for many products of one shape", p.Shape, p.Name)
	}
	p.API.Params = p.parameters()
	if s, ok := p.Op.(gemm.Semiring); ok {
		r, err := unit.NewSemiring(s.Parts, p.Name, p)
		if err != nil {
			return nil, err
		}
		p.Over(r)
	}
	if p.Fusion != nil {
		callee, err := p.Call("", p.Name, p.Fusion.Applied())
		if err != nil {
			return nil, err
		}
		if err := p.API.Check(p.Grouped, p.V+"Fused", p.V+"Reduced", p.V+"Kernel"); err != nil {
			return nil, err
		}
		p.Fuse(callee, p.Elem.Go(), p.API.Params)
	}
	k, u := p.kind(), p.Unit
	p.Enter(k.entry(p))
	var err error
	if u.Oracle, err = k.oracle(p); err != nil {
		return nil, err
	}
	for _, m := range p.mods {
		u.Variants = append(u.Variants, unit.Variant{Target: m.Target, Funcs: m.blocks(), Shown: m.Funcs})
		if s := m.microStock(); s != nil {
			p.Import(s.Folder)
		}
	}
	k.kernels(p, u)
	return u, nil
}

// blocks are the functions of the module that are its own, with their argument blocks.
func (m *Module) blocks() []unit.Kernel {
	var ks []unit.Kernel
	for _, f := range m.Own() {
		args := "kernel.Args"
		switch f.Name {
		case m.Epi:
			args = "kernel.EpiArgs"
		case m.Fixed:
			args = "kernel.FixedArgs"
		case m.Reduced:
			args = "kernel.BlocksArgs"
		}
		ks = append(ks, unit.Kernels(args, f)...)
	}
	return ks
}

// tile is the largest of the targets' tiles, in rows and columns: of those whose heights have
// kernels of their own, if any have.
func (p *product) tile() (mr, nr int) {
	single := func(m *Module) bool { return m.Heights < 2 }
	some := slices.ContainsFunc(p.mods, single)
	for _, m := range p.mods {
		if some && !single(m) {
			continue
		}
		mr, nr = max(mr, m.MR), max(nr, m.NV*m.VL)
	}
	return mr, nr
}

// matrix is the type of a matrix.
func matrix(elem string) string { return "layout.Matrix[" + elem + "]" }

// factors are the operands of the product.
func (p *product) factors() []unit.Param {
	return []unit.Param{unit.Input("a", matrix(p.A.Go()), "A"), unit.Input("b", matrix(p.B.Go()), "B")}
}

// parameters are those of the product.
func (p *product) parameters() []unit.Param {
	fusion, factors := p.Fusion.Or(p.Elem), p.factors()
	if p.reduces() {
		factors = p.reducedFactors()
	} else {
		factors = append(factors, fusion.ZeroParams(p.A, p.B)...)
	}
	return fusion.Params(Style{}, "out", factors...)
}

// pack is the function that packs b beforehand.
func (p *product) pack(set string) unit.Func {
	return p.API.Returning("*run.Packed", "Pack", fmt.Sprintf("packs b for calls of %sOpt with this b that have it in Options.B: worth it for a b that is used many times. See [run.Packed].", p.Name),
		p.factors()[1:], fmt.Sprintf("return dense.Pack(&%s, nil, run.Options{Caller: %s}, b)", p.V+set, p.API.Called("Pack")))
}

// shapeDoc says what is fixed, as a paragraph of a comment.
func (p *product) shapeDoc() string {
	if p.Shape == (gemm.Shape{}) {
		return ""
	}
	return fmt.Sprintf("\nIt was generated for m x n x k = %v and panics likewise at any other shape.", p.Shape)
}

// shapeField says which shape there is, with the name of a package: "tiling" or "check".
func (p *product) shapeField(pkg string) unit.Expr {
	return unit.When(p.Shape != (gemm.Shape{}), "%s", shapeText(pkg, p.Shape))
}

// shapeText is the Go expression of a shape.
func shapeText(pkg string, s gemm.Shape) string {
	return fmt.Sprintf("%s.Shape{M: %d, N: %d, K: %d}", pkg, s.M, s.N, s.K)
}

// upper is the target's name as variables have it.
func (m *Module) upper() string { return strings.ToUpper(m.Target.Name) }
