package gen

import (
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/lower"
)

// stockTable is one of the stock tables of kernels, lowered: those of a family in
// cpu/kern for one target.
type stockTable struct {
	stock
	fs    []*emit.Func
	lists []lower.Stock
}

// stockTable returns the stock table that kernels of the spec may be in.
func (s *sparseSpec) stockTable(t emit.Target) (st stockTable, err error) {
	bits := strings.TrimPrefix(s.elem.String(), "f")
	switch {
	case s.Operation == sparse.OpSDDMM:
		st.stock = stock{"cpu/kern/sddmmf" + bits, "Kernels"}
		var k lower.SampledKernels
		st.fs, k, err = lower.Sampled{Name: "sddmm", Op: lower.NewSum(s.elem)}.Lower(t)
		st.lists = sampledLists(k)
	case s.loops.nest:
		st.stock = stock{"cpu/kern/spmmf" + bits, "Nests"}
		var sets []lower.StockNest
		st.fs, sets, err = lower.StockNests(s.elem, t)
		// What runs a call finds its kernels by the same text.
		if i := slices.IndexFunc(sets, func(n lower.StockNest) bool { return n.Loops == s.loops.text }); i >= 0 {
			st.lists = []lower.Stock{{Field: "Full", Names: sets[i].Full}, {Field: "Tail", Names: sets[i].Tail}}
		}
	default:
		st.stock = stock{"cpu/kern/spmmf" + bits, "Rows"}
		st.fs, st.lists, err = lower.StockRows(s.elem, t)
	}
	return st, err
}

// share makes m's table the stock one if that has, at its place, every kernel that a
// call of the spec needs. Panels are cut alike then: a panel that is narrower than the
// stock table allows is so because there are no more features.
func (s *sparseSpec) share(m *sparseModule) error {
	sums := s.Reduce == sparse.Plus || s.Reduce == sparse.Mean
	known := slices.ContainsFunc(gemm.CPUTargets(), func(t emit.Target) bool { return t.Name == m.target.Name })
	if s.Standalone || !sums || !known {
		return nil
	}
	st, err := s.stockTable(m.target)
	if err != nil {
		return err
	}
	for _, k := range m.kernels {
		if f := st.at(k.field, k.place); f == nil || codeOf(f) != codeOf(k.f) {
			return nil
		}
	}
	m.stock = &st.stock
	return nil
}

// at returns the kernel at a place of a field, nil if there is none.
func (st stockTable) at(field string, place int) *emit.Func {
	for _, l := range st.lists {
		if l.Field != field || place >= len(l.Names) {
			continue
		}
		i := slices.IndexFunc(st.fs, func(f *emit.Func) bool { return f.Name == l.Names[place] })
		return st.fs[i]
	}
	return nil
}

// codeOf is a function's text without its names.
func codeOf(f *emit.Func) string {
	g := *f
	g.Name, g.Doc = "f", ""
	return g.String()
}

// own lists the functions that the package of the spec gets.
func (m *sparseModule) own() []sparseKernel {
	if m.stock == nil {
		return m.kernels
	}
	return slices.DeleteFunc(slices.Clone(m.kernels), func(k sparseKernel) bool { return k.field != "" })
}

// variable is the table of kernels as a Go expression, of the package or the stock one.
func (m *sparseModule) variable(spec string) string {
	if m.stock == nil {
		return lowerFirst(spec) + "_" + m.target.Name
	}
	return path.Base(m.stock.folder) + "." + m.stock.variable("", m.target)
}
