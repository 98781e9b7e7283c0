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
	*unit.Context
	mods     []*Module
	v        string // the prefix of names that are not exported
	api      unit.Operation
	callee   unit.Call      // of the epilogue
	semiring *unit.Semiring // nil: sums of products
}

// unit returns what is printed of the product.
func (p *product) unit() (u *unit.Unit, err error) {
	u = &unit.Unit{Name: p.Name}
	if p.Grouped && p.Shape != (gemm.Shape{}) {
		return nil, fmt.Errorf("Grouped has products of any shapes, and Shape is %v; leave one of the two out, or call %sBatched for many products of one shape", p.Shape, p.Name)
	}
	p.api = unit.Operation{Package: p.Package, Name: p.Name, Params: p.parameters()}
	switch s, ok := p.Op.(gemm.Semiring); {
	case ok:
		if p.semiring, err = unit.NewSemiring(s.Parts, p.Name, p); err != nil {
			return nil, err
		}
		u.Imports = append(u.Imports, p.semiring.Imports()...)
		if copies := p.semiring.Copies(); copies != nil {
			u.Copies = append(u.Copies, copies...)
		}
		u.Decls = p.entry()
		if p.Paired() {
			u.Oracle = p.pairsOracle()
		} else if u.Oracle, err = p.semiringOracle(); err != nil {
			return nil, err
		}
	case p.Fusion != nil:
		if p.callee, err = p.Call("", p.Name, p.Fusion.Fn); err != nil {
			return nil, err
		}
		u.Imports = append(u.Imports, p.callee.Imports...)
		if err := unit.CheckNames(p.api.Params, p.Name+"Opt", p.v+"Fused", p.v+"Reduced", p.v+"Kernel"); err != nil {
			return nil, err
		}
		if p.Grouped {
			if err := unit.CheckFields(p.api.Params); err != nil {
				return nil, err
			}
		}
		u.Copies = append(u.Copies, unit.Text(p.callee.Decls), unit.Loop(p.v+"Epilogue", p.callee, p.Elem.Go(), p.api.Params))
		if p.reduces() {
			u.Decls, u.Oracle = p.reducedEntry(), p.reducedOracle()
			break
		}
		u.Decls = p.fusedEntry()
		u.Oracle = p.fusedOracle()
	case p.reduces():
		u.Decls, u.Oracle = p.reducedEntry(), p.reducedOracle()
	case p.mixed():
		u.Decls = p.entry()
		u.Oracle = p.mixedOracle()
	case p.Shape != (gemm.Shape{}):
		u.Decls = append(p.entry(), p.fixedEntry()...)
		u.Oracle = p.fixedOracle()
	case p.Paired():
		u.Decls = p.entry()
		u.Oracle = p.pairsOracle()
	default:
		u.Decls = p.entry()
		u.Oracle = p.plainOracle()
	}
	u.Decls = append([]unit.Decl{abi}, u.Decls...)
	for _, m := range p.mods {
		u.Variants = append(u.Variants, unit.Variant{Target: m.Target, Funcs: m.blocks(), Shown: m.Funcs})
		if s := m.microStock(); s != nil {
			u.Imports = append(u.Imports, unit.Module+s.Folder)
		}
	}
	if p.reduces() {
		p.reducedKernel(u)
		return u, nil
	}
	p.tables(u)
	p.fixedKernel(u)
	p.smallCall(u)
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

// isas are the names of the targets.
func (p *product) isas() []string {
	var names []string
	for _, m := range p.mods {
		names = append(names, m.Target.Name)
	}
	return names
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

// abi refuses to compile with a run time of another version.
const abi = unit.Text("const _ = run.ABI7")

// matrix is the type of a matrix.
func matrix(elem string) string { return "layout.Matrix[" + elem + "]" }

// factors are the operands of the product.
func (p *product) factors() []unit.Param {
	return []unit.Param{{Name: "a", Type: matrix(p.A.Go()), Arg: unit.Taken(matrix(p.A.Go()), "", "check.A")}, {Name: "b", Type: matrix(p.B.Go()), Arg: unit.Taken(matrix(p.B.Go()), "", "check.B")}}
}

// parameters are those of the product.
func (p *product) parameters() []unit.Param {
	factors := p.factors()
	if p.reduces() {
		factors = p.reducedFactors()
	}
	if p.Fusion == nil {
		return append([]unit.Param{{Name: "out", Type: matrix(p.Elem.Go())}}, factors...)
	}
	if !p.reduces() {
		factors = append(factors, p.Fusion.ZeroParams(p.A, p.B)...)
	}
	return p.Fusion.Params(Style{}, "out", factors...)
}

// pack is the function that packs b beforehand.
func (p *product) pack(set string) unit.Func {
	return unit.Func{
		Doc:  fmt.Sprintf("%[1]sPack packs b for calls of %[1]sOpt with this b that have it in Options.B: worth it for a b that is used many times. See [run.Packed].", p.Name),
		Name: p.Name + "Pack", Params: []unit.Param{{Name: "b", Type: matrix(p.B.Go())}}, Result: "*run.Packed",
		Body: fmt.Sprintf("return dense.Pack(&%s, nil, run.Options{Caller: %s}, b)", p.v+set, p.called("Pack")),
	}
}

// shapeDoc says what is fixed, as a paragraph of a comment.
func (p *product) shapeDoc() string {
	if p.Shape == (gemm.Shape{}) {
		return ""
	}
	return fmt.Sprintf("\nIt was generated for m x n x k = %v and panics likewise at any other shape.", p.Shape)
}

// shapeField says which shape kernels are for.
func (p *product) shapeField() unit.Expr {
	if p.Shape == (gemm.Shape{}) {
		return ""
	}
	return unit.Expr(shapeText("tiling", p.Shape))
}

// shapeText is the Go expression of a shape.
func shapeText(pkg string, s gemm.Shape) string {
	return fmt.Sprintf("%s.Shape{M: %d, N: %d, K: %d}", pkg, s.M, s.N, s.K)
}

// quoted is the name that errors give the product.
func (p *product) quoted() unit.Expr { return unit.Expr(p.called("")) }

// called is the name that errors give a function of the product, as Go writes it.
func (p *product) called(suffix string) string {
	return fmt.Sprintf("%q", p.Package+"."+p.Name+suffix)
}

// upper is the target's name as variables have it.
func (m *Module) upper() string { return strings.ToUpper(m.Target.Name) }
