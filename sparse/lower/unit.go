package lower

import (
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// draft is a product on its way to a unit.
type draft struct {
	*Product
	*unit.Draft
	mods   []*Module
	parts  []*Module    // of a sum: the kernels of its parts but those in compressed rows
	params []unit.Param // that the epilogue sees
}

// unit returns what is printed of the product.
func (s *draft) unit() (*unit.Unit, error) {
	s.params = s.parameters()
	s.API.Params = s.params
	if err := s.API.Check(false, s.V+"Product"); err != nil {
		return nil, err
	}
	if s.gradients() && s.Fusion != nil { // the last operand is what the call computes
		s.API.Params = s.params[:len(s.params)-1]
	}
	if s.op.options != "" {
		s.API.Options = unit.Param{Name: "$opt", Type: s.op.options, Arg: s.op.options + "{Options: run.Options{Caller: " + s.API.Called("") + "}}"}
	}
	if s.op.others != "" {
		s.Import("cpu/kern/" + s.op.others)
	}
	s.Over(s.Semiring)
	s.Enter(s.entry())
	if s.Fusion != nil {
		s.Fuse(s.Apply, s.T.Go(), s.params)
	}
	s.tables(s.Unit)
	if _, err := format.Parse(s.Format.Name); err == nil && s.op.oracle != "" { // else the test could not name it
		s.Unit.Oracle = s.oracle()
	}
	return s.Unit, nil
}

// tables declares the kernels of each target, and the lists of them.
func (s *draft) tables(u *unit.Unit) {
	var epis []unit.Expr
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
		epis = append(epis, unit.Inline("ISA", m.Target.Name, "VL", m.EpiLanes, "Entries", unit.Exprf("[]kernel.Entry[kernel.Func[kernel.EpiArgs]]{{F: %s}}", m.Epi)))
	}
	s.table(u, "Variants", "", s.mods)
	s.table(u, "Parts", "parts_", s.parts)
	if s.Fusion != nil {
		s.ListLines("Epis", "*kernel.Table[kernel.Func[kernel.EpiArgs]]", epis...)
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
			s.Import(m.Stock.Folder)
		} else {
			name := s.V + "_" + prefix + m.Target.Name
			names = append(names, "&"+name)
			u.Asm = append(u.Asm, unit.Var{Name: name, Value: table})
		}
	}
	if typ != "" {
		s.List(list, "*"+typ, names...)
	}
}

// packed reports whether the matrix is a format.Packed.
func (s *draft) packed() bool { return s.Format.Name != format.CSR.Name }

// parameters are those after opt: outputs, reductions, the operands of the product, and
// those of the epilogue.
func (s *draft) parameters() []unit.Param {
	var factors []unit.Param
	for _, f := range s.op.factors {
		factors = append(factors, unit.Input(f.name, s.fill(f.typ), f.slot))
	}
	ps := s.Fusion.Or(s.Out).Params(s.op.style, s.op.out, factors...)
	if s.gradients() {
		ps = s.gradientParams(ps)
	}
	return ps
}
