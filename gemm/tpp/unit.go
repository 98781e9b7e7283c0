package tpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// lowering is a spec on its way to a unit.
type lowering struct {
	Spec
	*plan
	c      *unit.Context
	api    unit.Operation
	v      string // the name that variables begin with
	calls  map[*node]unit.Call
	decls  []unit.Decl // copies of functions
	bits   int         // of the widest element
	costs  map[*node]int
	widest map[*node]int // bits that the function of a node takes
}

// Lower is that of a unit.Spec.
func (s Spec) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	fail := func(err error) (*unit.Unit, error) { return nil, fmt.Errorf("tpp: %s: %w", s.Name, err) }
	if t := targets[0]; t.Arch != "amd64" {
		return fail(fmt.Errorf("equations have no kernels for %s; list CPU targets", t.Name))
	}
	l, err := s.plan(c)
	if err != nil {
		return fail(err)
	}
	var q program = single{l}
	if l.widths != nil {
		if q, err = l.asChain(); err != nil {
			return fail(err)
		}
	}
	u := &unit.Unit{Name: s.Name}
	variants := unit.Lit{Type: "[]*equation.Variant"}
	oracle := &unit.Oracle{}
	for _, t := range targets {
		fs, err := q.kernels(t)
		if err != nil {
			return fail(err)
		}
		var names []string
		for _, f := range fs {
			names = append(names, f.Name)
		}
		u.Variants = append(u.Variants, unit.Variant{Target: t, Funcs: unit.Kernels("equation.Args", fs...)})
		variants = variants.With(unit.Field{Value: unit.Expr(fmt.Sprintf("{ISA: %q, Stages: []equation.Kernel{%s}}", t.Name, strings.Join(names, ", ")))})
		oracle.ISAs = append(oracle.ISAs, t.Name)
	}
	u.Listed = []unit.Var{{Name: l.v + "Variants", Type: variants.Type, Value: variants}}
	for _, call := range l.calls {
		u.Imports = append(u.Imports, call.Imports...)
	}
	u.Imports = append(u.Imports, unit.Module+"cpu/run/equation")
	l.api = unit.Operation{Name: s.Name, Params: l.params()}
	if err := unit.CheckNames(l.api.Params, s.Name, s.Name+"Opt"); err != nil {
		return fail(err)
	}
	ps := l.api.Params
	u.Decls = append(l.entry(q), q.stages()...)
	u.Imports = append(u.Imports, q.imports()...)
	u.Copies = l.decls
	l.oracle(oracle, ps)
	u.Oracle = oracle
	return u, nil
}

// program is what becomes of an equation: stages one after the other, or a chain.
type program interface {
	kernels(t emit.Target) ([]*emit.Func, error)
	table() unit.Lit
	stages() []unit.Decl // in Go
	imports() []string
	start() string // the statements that make $e
	sizes() string // further arguments of Run
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

func (s single) imports() []string { return nil }
func (s single) sizes() string     { return "" }
func (s single) memory() string    { return "an output shares memory with anything else" + s.inPlace() }

func (s single) about() string {
	return "Matrices are m x n, of any strides; kernels are for rows that are contiguous. " + s.lowering.about()
}

// start takes rows and columns from the first matrix.
func (s single) start() string {
	rows, cols := "", ""
	for _, p := range slices.Backward(s.api.Params) {
		if strings.HasPrefix(p.Type, "layout.Matrix") && !s.bitSlot(p.Slot) {
			rows, cols = p.Name+".Rows", p.Name+".Cols"
		}
	}
	return fmt.Sprintf("$e := epilogue.New($name, %s, %s)\n$binds\n", rows, cols)
}

// elem is the element type of n as Go writes it.
func (n *node) elem() string { return n.t.Go() }

// patternOf is what the run time calls a pattern.
var patternOf = map[gemm.Pattern]string{gemm.FullPattern: "Full", gemm.RowPattern: "PerRow", gemm.ColumnPattern: "PerColumn", gemm.ScalarPattern: "Scalar"}

// params are the parameters of the generated function.
func (l *lowering) params() (ps []unit.Param) {
	for i, n := range l.outs {
		p := unit.Param{Name: l.Outs[i].Name, Elem: n.elem(), Role: unit.Output, Slot: i}
		switch n.pattern {
		case gemm.FullPattern:
			p.Type, p.Bind = "layout.Matrix["+n.elem()+"]", "epilogue.Out"
		case gemm.ScalarPattern:
			p.Type, p.Bind = "*"+n.elem(), "epilogue.OutScalar"
		default:
			p.Type, p.Bind = "[]"+n.elem(), "epilogue.Out"+patternOf[n.pattern]
		}
		if l.outBits[i] {
			p.Elem, p.Type, p.Bind = "uint8", bitMatrix, "epilogue.OutBits"
		}
		p.Bind, p.Arg = fmt.Sprintf("%s(&$e, %q, %s)", p.Bind, p.Name, p.Name), unit.Taken(p.Type, p.Elem, -1-i)
		ps = append(ps, p)
	}
	for k, n := range l.operands {
		p := unit.Param{Name: n.name, Elem: n.elem(), Role: unit.Operand, Slot: len(l.outs) + k}
		p.Bind = fmt.Sprintf("epilogue.%s(&$e, %q, %s)", patternOf[n.pattern], p.Name, p.Name)
		switch n.pattern {
		case gemm.FullPattern:
			p.Type = "layout.Matrix[" + n.elem() + "]"
		case gemm.ScalarPattern:
			p.Type, p.Bind = n.elem(), fmt.Sprintf("epilogue.Scalar(&$e, %s)", p.Name)
		default:
			p.Type = "[]" + n.elem()
		}
		if n.bits {
			p.Elem, p.Type = "uint8", bitMatrix
			p.Bind = fmt.Sprintf("epilogue.Bits(&$e, %q, %s)", p.Name, p.Name)
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
	for i, x := range l.nodes {
		if x == n {
			return i
		}
	}
	panic("tpp: a node of another equation")
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
