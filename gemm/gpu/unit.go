package gpu

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// product is a spec on its way to a unit. The module is that of the first target, which
// tells all that does not depend on one.
type product struct {
	*Module
	*unit.Draft
	mods     []*Module
	operator gemm.Operator // the spec's
	grouped  bool          // the spec says so
}

// parameters are those of the product, after options.
func (m *Module) parameters() []unit.Param {
	fusion := m.Fusion.Or(m.Out)
	a := factor("a", m.A)
	if m.Sparse != 0 {
		a.Type, a.Bind, a.Arg = "cuda.Sparse24["+m.A.Go()+"]", "A24", "gpu.A24["+m.A.Go()+"](c)"
	}
	factors := []unit.Param{a, factor("b", m.B)}
	for _, z := range fusion.ZeroParams(m.A, m.B) {
		z.Bind, z.Arg = "One", fmt.Sprintf("gpu.Scalar[%s](c, %d)", z.Elem, z.Slot)
		factors = append(factors, z)
	}
	return fusion.Params(style{}, "out", factors...)
}

// unit returns what is printed of the product.
func (p *product) unit() (*unit.Unit, error) {
	u, err := p.Unit, error(nil)
	if p.Fusion != nil {
		if p.Callee, err = p.Call(unit.GPUFolder, p.Name, p.Fusion.Applied()); err != nil {
			return nil, err
		}
		if p.Callee.Decls != "" { // which only the test calls
			u.TestDecls = append(u.TestDecls, unit.Text(p.Callee.Decls))
		}
	}
	p.Import("cuda", "cuda/run", "cuda/driver", "tiling", "verify/gpu")
	u.Imports = append(u.Imports, p.Callee.Imports...)
	p.Enter(p.entry())
	for _, m := range p.mods {
		u.Variants = append(u.Variants, unit.Variant{Target: m.Target, Funcs: unit.Kernels("", m.Funcs()...)})
	}
	u.Oracle, err = p.oracle()
	return u, err
}

// style is how a product on a GPU takes what its epilogue reads and writes. Bind is the
// name of the function of run: a product and a batch of them hand over alike.
type style struct{}

func cudaMatrix(elem string) string { return "cuda.Matrix[" + elem + "]" }

func factor(name string, t dtype.Type) unit.Param {
	return unit.Param{Name: name, Type: cudaMatrix(t.Go()), Elem: t.Go(), Bind: strings.ToUpper(name), Arg: fmt.Sprintf("gpu.%s[%s](c)", strings.ToUpper(name), t.Go())}
}

func (style) Output(p *unit.Param) {
	p.Type, p.Bind = cudaMatrix(p.Elem), "Out"
	p.Arg = fmt.Sprintf("gpu.Out[%s](c, %d)", p.Elem, p.Slot)
}

func (style) Unstored() string { return "" }

func (style) Operand(p *unit.Param, pattern gemm.Pattern) {
	switch pattern {
	case gemm.FullPattern:
		p.Type, p.Bind = cudaMatrix(p.Elem), "FullOf"
	case gemm.ScalarPattern:
		p.Type, p.Bind = p.Elem, "One"
	default:
		p.Type, p.Bind = "cuda.Slice["+p.Elem+"]", pattern.String()
	}
	p.Arg = fmt.Sprintf("gpu.%s[%s](c, %d)", pattern.Kind(), p.Elem, p.Slot)
}

func (style) Reduction(p *unit.Param, r gemm.Reduce) {
	p.Elem = "float32"
	if r.Op.Arg() {
		p.Elem = "int32"
	}
	p.Type, p.Bind = "cuda.Slice["+p.Elem+"]", "Reduced"
	p.Arg = fmt.Sprintf("gpu.Reduced[%s](c, %d)", p.Elem, p.Slot)
}

// isProduct reports whether a module sums products.
func (m *Module) isProduct() bool {
	op := m.Op.String()
	return strings.HasPrefix(op, "mma.") || op == "simt.fma.f32"
}
