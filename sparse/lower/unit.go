package lower

import (
	"fmt"
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// draft is a product on its way to a unit.
type draft struct {
	*Product
	*unit.Context
	mods   []*Module
	parts  []*Module    // of a sum: the kernels of its parts but those in compressed rows
	v      string       // the prefix of names that are not exported
	params []unit.Param // that the epilogue sees
	api    unit.Operation
}

// unit returns what is printed of the product.
func (s *draft) unit() (*unit.Unit, error) {
	s.params = s.parameters()
	s.api = unit.Operation{Package: s.Package, Name: s.Name, Params: s.params}
	if s.gradients() && s.Fusion != nil { // the last operand is what the call computes
		s.api.Params = s.params[:len(s.params)-1]
	}
	if s.Operation == spec.OpAttention {
		s.api.Options = unit.Param{Name: "$opt", Type: attentionOptions, Arg: attentionOptions + "{Options: run.Options{Caller: " + s.api.Called("") + "}}"}
	}
	if err := unit.CheckNames(s.params, s.Name+"Opt", s.v+"Product"); err != nil {
		return nil, err
	}
	u := &unit.Unit{Name: s.Name, Imports: s.Apply.Imports}
	if others := s.form().others; others != "" && !s.gradients() {
		u.Imports = append(u.Imports, unit.Module+"cpu/kern/"+others+s.T.String())
	}
	if s.Semiring != nil {
		u.Imports = append(u.Imports, s.Semiring.Imports()...)
		if copies := s.Semiring.Copies(); copies != nil {
			u.Copies = append(u.Copies, copies...)
		}
	}
	u.Decls = append([]unit.Decl{abi}, s.entry()...)
	if s.Fusion != nil {
		u.Copies = append(u.Copies, unit.Text(s.Apply.Decls), unit.Loop(s.v+"Epilogue", s.Apply, s.T.Go(), s.params))
	}
	s.tables(u)
	if _, err := format.Parse(s.Format.Name); err == nil && !s.gradients() { // else the test could not name it
		u.Oracle = s.oracle()
	}
	return u, nil
}

// tables declares the kernels of each target, and the lists of them.
func (s *draft) tables(u *unit.Unit) {
	epis := unit.Lit{Type: "[]*kernel.Table[kernel.EpiKernel]"}
	for i, m := range s.mods {
		v := unit.Variant{Target: m.Target}
		all := []*Module{m}
		if s.parts != nil {
			all = append(all, s.parts[i])
		}
		for _, m := range all {
			for _, f := range m.Own() {
				v.Funcs = append(v.Funcs, unit.Kernels("kernel."+f.Block.Name(), f.Func)...)
			}
			for _, f := range m.Funcs {
				v.Shown = append(v.Shown, f.Func)
			}
		}
		u.Variants = append(u.Variants, v)
		epis = epis.With(unit.Field{Value: unit.Expr(fmt.Sprintf("{ISA: %q, VL: %d, Entries: []kernel.Entry[kernel.EpiKernel]{{F: %s}}}", m.Target.Name, m.EpiLanes, m.Epi))})
	}
	s.table(u, "Variants", "", s.mods)
	s.table(u, "Parts", "parts_", s.parts)
	if s.Fusion != nil {
		u.Listed = append(u.Listed, unit.Var{Name: s.v + "Epis", Type: epis.Type, Value: epis})
	}
}

// table declares the table of each module, and the list of them.
func (s *draft) table(u *unit.Unit, list, prefix string, mods []*Module) {
	var names []string
	typ := ""
	for _, m := range mods {
		if m.Table == nil {
			continue
		}
		table := unit.TableOf("kernel."+m.Funcs[0].Block.Name(), *m.Table)
		typ = table.Type()
		if m.Stock != nil {
			names = append(names, "&"+path.Base(m.Stock.Folder)+"."+m.Stock.Name+strings.ToUpper(m.Target.Name))
			u.Imports = append(u.Imports, unit.Module+m.Stock.Folder)
		} else {
			name := s.v + "_" + prefix + m.Target.Name
			names = append(names, "&"+name)
			u.Asm = append(u.Asm, unit.Var{Name: name, Value: table})
		}
	}
	if typ != "" {
		u.Listed = append(u.Listed, unit.Var{Name: s.v + list, Type: "[]*" + typ, Value: unit.Expr("[]*" + typ + "{" + strings.Join(names, ", ") + "}")})
	}
}

// packed reports whether the matrix is a format.Packed.
func (s *draft) packed() bool { return s.Format.Name != format.CSR.Name }

// outName is what the result is called.
func (s *draft) outName() string {
	if s.gradients() {
		return "dq"
	}
	return s.form().out
}

// dense is the type of a dense operand or a result.
func (s *draft) dense(elem string) string {
	if s.matrices() {
		return "layout.Matrix[" + elem + "]"
	}
	return "[]" + elem
}

// parameters are those after opt: outputs, reductions, the operands of the product, and
// those of the epilogue.
func (s *draft) parameters() []unit.Param {
	t := s.T.Go()
	factor := func(name, typ, slot string) unit.Param {
		return unit.Param{Name: name, Type: typ, Arg: unit.Taken(typ, "", "check."+slot)}
	}
	typ := "sparse.Matrix"
	switch {
	case s.packed():
		typ = "format.Packed"
	case s.sum():
		typ = "rule.Sum"
	case s.Operation == spec.OpRGMS:
		typ = "sparse.Relations"
	}
	factors := []unit.Param{factor(s.form().matrix, typ+"["+t+"]", "S")}
	switch s.Operation {
	case spec.OpSDDMM:
		m := "layout.Matrix[" + t + "]"
		factors = append(factors, factor("a", m, "A"), factor("b", m, "B"))
	case spec.OpRGMS:
		factors = append(factors, factor("x", s.dense(t), "A"), factor("w", s.dense(t), "B"))
	case spec.OpEdgeSoftmax:
	case spec.OpAttention:
		factors = s.attentionFactors()
	case spec.OpSegments:
		factors = []unit.Param{factor("offsets", "[]int", "S"), factor("x", s.dense(t), "B")}
	case spec.OpSpMV:
		factors = append(factors, factor("x", s.dense(t), "B"))
	case spec.OpSpMM:
		factors = append(factors, factor("b", s.dense(s.B.Go()), "B"))
	default:
		factors = append(factors, factor("b", s.dense(t), "B"))
	}
	fusion := s.Fusion
	if fusion == nil {
		fusion = &gemm.Fusion{Out: s.Out}
	}
	ps := fusion.Params(styles[s.Operation], s.outName(), factors...)
	if s.gradients() {
		ps = s.gradientParams(ps)
	}
	return ps
}

// isas are the names of the targets.
func (s *draft) isas() []string {
	var names []string
	for _, m := range s.mods {
		names = append(names, m.Target.Name)
	}
	return names
}
