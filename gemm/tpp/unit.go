package tpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// lowering is a spec on its way to a unit.
type lowering struct {
	Spec
	*plan
	*unit.Draft
	calls  map[*node]unit.Call
	bits   int // of the widest element
	costs  map[*node]int
	widest map[*node]int // bits that the function of a node takes
}

// Lower is that of a unit.Spec.
func (s Spec) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	fail := func(err error) (*unit.Unit, error) { return nil, fmt.Errorf("tpp: %s: %w", s.Name, err) }
	if t := targets[0]; t.Arch == "ptx" {
		return fail(fmt.Errorf("equations have no kernels for %s; list CPU targets", t.Name))
	}
	l, err := s.plan(unit.NewDraft(c, s.Name, "", targets))
	if err != nil {
		return fail(err)
	}
	var q program = single{l}
	if l.widths != nil {
		if q, err = l.asChain(); err != nil {
			return fail(err)
		}
		l.Import("cpu/kern/products")
	}
	var variants []unit.Expr
	for _, t := range targets {
		fs, err := q.kernels(t)
		if err != nil {
			return fail(err)
		}
		var names []string
		for _, f := range fs {
			names = append(names, f.Name)
		}
		l.Unit.Variants = append(l.Unit.Variants, unit.Variant{Target: t, Funcs: unit.Kernels("kernel.EpiArgs", fs...)})
		variants = append(variants, unit.Inline("ISA", t.Name, "Stages", unit.List("[]kernel.Func[kernel.EpiArgs]", names)))
	}
	l.ListLines("Variants", "*equation.Variant", variants...)
	l.Import("cpu/run/equation", "cpu/run/epilogue", "tiling/kernel")
	l.API = unit.Operation{Name: s.Name, Params: l.params()}
	if err := l.API.Check(false, s.Name); err != nil {
		return fail(err)
	}
	l.Unit.Oracle = l.oracle() // whose call names the stream itself
	l.Enter(append(l.entry(q), q.stages()...))
	return l.Unit, nil
}

// program is what becomes of an equation: stages one after the other, or a chain.
type program interface {
	kernels(t emit.Target) ([]*emit.Func, error)
	table() unit.Lit
	stages() []unit.Decl // in Go
	start() string       // the statements that make $e
	sizes() string       // further arguments of Run
	about() string
	memory() string // which outputs may be operands
}

// single is an equation without products.
type single struct{ *lowering }

func (s single) stages() (decls []unit.Decl) {
	for _, st := range s.plan.stages {
		decls = append(decls, s.portable(st))
	}
	return decls
}

func (s single) sizes() string  { return "" }
func (s single) memory() string { return unit.Overlap + s.inPlace() }

func (s single) about() string {
	return "Matrices are m x n, of any strides; kernels are for rows that are contiguous. " + s.lowering.about()
}

// start takes rows and columns from the first matrix.
func (s single) start() string {
	rows, cols := "", ""
	for _, p := range slices.Backward(s.API.Params) {
		if strings.HasPrefix(p.Type, "layout.Matrix") && !s.bitSlot(p.Slot) {
			rows, cols = p.Name+".Rows", p.Name+".Cols"
		}
	}
	return fmt.Sprintf("$e := epilogue.New($name, %s, %s)\n$binds\n", rows, cols)
}

// elem is the element type of n as Go writes it.
func (n *node) elem() string { return n.t.Go() }

// params are the parameters of the generated function.
func (l *lowering) params() (ps []unit.Param) {
	take := func(p *unit.Param, elem, typ, function string) {
		p.Elem, p.Type, p.Bind = elem, typ, fmt.Sprintf("epilogue.%s(&$e, %q, %s)", function, p.Name, p.Name)
	}
	for i, n := range l.outs {
		p := unit.Param{Name: l.Outs[i].Name, Elem: n.elem(), Role: unit.Output, Slot: i}
		typ := simd.OperandType(p.Elem, n.pattern)
		switch {
		case l.outBits[i]:
			take(&p, "uint8", bitMatrix, "OutBits")
		case n.pattern == gemm.FullPattern:
			take(&p, p.Elem, typ, "Out")
		case n.pattern == gemm.ScalarPattern:
			take(&p, p.Elem, "*"+typ, "OutScalar")
		default:
			take(&p, p.Elem, typ, "Out"+n.pattern.String())
		}
		p.Arg = unit.Taken(p.Type, p.Elem, -1-i)
		ps = append(ps, p)
	}
	for k, n := range l.operands {
		p := unit.Param{Name: n.name, Elem: n.elem(), Role: unit.Operand, Slot: len(l.outs) + k}
		simd.Style{}.Operand(&p, n.pattern)
		if n.bits {
			take(&p, "uint8", bitMatrix, "Bits")
		}
		p.Arg = unit.Taken(p.Type, p.Elem, l.index(n))
		ps = append(ps, p)
	}
	return ps
}

// bitMatrix is the type of a parameter of bits.
const bitMatrix = "layout.Matrix[uint8]"

// index is the number of a node among all.
func (l *lowering) index(n *node) int {
	i := slices.Index(l.nodes, n)
	if i < 0 {
		panic("tpp: a node of another equation")
	}
	return i
}

// expression writes n of its arguments' names.
func (l *lowering) expression(n *node, args []string) string {
	switch n.kind {
	case apply:
		e := fmt.Sprintf("%s(%s)", l.calls[n].Expr, strings.Join(args, ", "))
		if n.t == dtype.F32 || n.t == dtype.F64 {
			return fmt.Sprintf("%s(%s)", n.elem(), e) // rounded, whatever is inlined
		}
		return e
	case convert:
		from := n.args[0]
		x := args[0]
		if from.t != dtype.F32 && from.t != dtype.F64 {
			x += ".Float32()"
		}
		if n.t == dtype.F32 || n.t == dtype.F64 {
			return fmt.Sprintf("%s(%s)", n.elem(), x)
		}
		return fmt.Sprintf("dtype.To%s(%s)", strings.TrimPrefix(n.elem(), "dtype."), x)
	}
	panic("tpp: not an operator")
}
