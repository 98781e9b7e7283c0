package tpp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// lowering is a spec on its way to a unit.
type lowering struct {
	Spec
	*plan
	c      *unit.Context
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
	ps := l.params()
	if err := unit.CheckNames(ps, s.Name, s.Name+"Opt"); err != nil {
		return fail(err)
	}
	u.Decls = append(l.entry(ps, q), q.stages()...)
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
	start(ps []unit.Param, e string) string // the statements that make e, of parameters
	sizes() string                          // further arguments of Run
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
func (s single) start(ps []unit.Param, e string) string {
	rows, cols := "", ""
	for _, p := range slices.Backward(ps) {
		if strings.HasPrefix(p.Type, "layout.Matrix") && !s.bitSlot(p.Slot) {
			rows, cols = p.Name+".Rows", p.Name+".Cols"
		}
	}
	return fmt.Sprintf("%s := run.NewEpilogue($name, %s, %s)\n%s", e, rows, cols, unit.Binds(ps, e))
}

// plan checks the equation, finds its functions and orders it.
func (s Spec) plan(c *unit.Context) (*lowering, error) {
	g, err := s.graph()
	if err != nil {
		return nil, err
	}
	l := &lowering{Spec: s, c: c, v: unit.Lower(s.Name), calls: map[*node]unit.Call{}, costs: map[*node]int{}, widest: map[*node]int{}}
	type known struct {
		fn   string
		call unit.Call
		wide emit.Elem
	}
	var functions []known
	for _, n := range g.nodes {
		l.bits = max(l.bits, gemm.ElemOf(n.t).Bits())
		l.costs[n] = 1
		if n.kind != apply {
			continue
		}
		at := -1
		key := functionKey(n.fn)
		for i, f := range functions {
			if f.fn == key {
				at = i
			}
		}
		if at < 0 {
			call, err := c.Call("", fmt.Sprintf("%sStep%d", s.Name, len(functions)+1), n.fn)
			if err != nil {
				return nil, err
			}
			wide, err := c.Widest(n.fn)
			if err != nil {
				return nil, err
			}
			if call.Decls != "" {
				l.decls = append(l.decls, unit.Text(call.Decls))
			}
			at, functions = len(functions), append(functions, known{key, call, wide})
		}
		l.calls[n] = functions[at].call
		l.widest[n] = functions[at].wide.Bits()
		l.bits = max(l.bits, l.widest[n])
		if l.costs[n], err = l.count(n); err != nil {
			return nil, err
		}
	}
	if g.widths != nil {
		l.plan = &plan{graph: g} // of its parts there are some
		return l, nil
	}
	l.plan = newPlan(g, func(n *node) int { return l.costs[n] })
	if k := l.slots(); k > kernel.MaxSlots {
		return nil, fmt.Errorf("it has %d outputs, operands and results of columns that are kept between its %d walks over the rows; the limit is %d: divide it between two specs", k, len(l.stages), kernel.MaxSlots)
	}
	return l, nil
}

// functionKey tells functions apart as far as generated code does.
func functionKey(f any) string {
	if d, ok := f.(emit.Derivative); ok {
		return fmt.Sprintf("d%v%s", d.By, functionKey(d.Of))
	}
	return fmt.Sprint(reflect.ValueOf(f).Pointer(), reflect.TypeOf(f))
}

// count is how many operations the function of n takes.
func (l *lowering) count(n *node) (int, error) {
	f, err := emit.Build("count", nil, func(b *emit.Builder) {
		var args []*emit.Value
		for _, a := range n.args {
			args = append(args, b.Const(emit.Vector(gemm.ElemOf(a.t), 2), 1))
		}
		b.Apply(n.fn, args...)
	})
	if err == nil {
		err = l.c.Inline(f)
	}
	if err != nil {
		return 0, err
	}
	ops := 0
	f.Body.Walk(func(op *emit.Op) {
		if op.Def.Name != "const" && op.Def.Name != "bitcast" {
			ops++
		}
	})
	return ops, nil
}

// kernels are the stages for a target.
func (l *lowering) kernels(t emit.Target) ([]*emit.Func, error) {
	var fs []*emit.Func
	for _, st := range l.stages {
		f, err := l.kernel(st, t)
		if err != nil {
			return nil, err
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// kernel is one stage: as many vectors of each pass at once as find registers, from what is
// worth it down to one. If there are too many matrices for general registers, addresses of some are computed
// where they are used.
func (l *lowering) kernel(st *stage, t emit.Target) (f *emit.Func, err error) {
	for _, early := range []int{kernel.MaxSlots, 4, 2, 0} {
		if f, err = l.unrolled(st, t, early); err != nil || l.c.Fits(t, f.Clone()) == nil {
			break
		}
	}
	return f, err
}

// unrolled is kernel with so many addresses of matrices in registers.
func (l *lowering) unrolled(st *stage, t emit.Target, early int) (*emit.Func, error) {
	name := fmt.Sprintf("%s_%s_stage%d", l.v, t.Name, st.number)
	unroll := make([]int, len(st.passes))
	for i, q := range st.passes {
		unroll[i] = l.worth(st, q)
	}
	for {
		k := &stageKernel{plan: l.plan, st: st, lanes: t.Bits / l.bits, unroll: unroll, early: early}
		f, err := k.build(name)
		if err == nil {
			err = l.c.Inline(f)
		}
		if err != nil {
			return nil, err
		}
		if l.c.Fits(t, f.Clone()) == nil {
			return f, nil
		}
		most := 0
		for i, u := range unroll {
			if u > unroll[most] && !contains(st.passes[i].order, l.words) || contains(st.passes[most].order, l.words) {
				most = i
			}
		}
		if unroll[most] == 1 || contains(st.passes[most].order, l.words) {
			f.Spills = true // the rest is the backend's: registers that are read least go to the stack
			return f, nil
		}
		unroll[most] /= 2
	}
}

// worth is how many vectors a pass should do at once: enough for additions to wait for each
// other no longer than the rest takes.
func (l *lowering) worth(st *stage, q *pass) int {
	if l.words != nil && contains(q.order, l.words) {
		return 4 // what a block of random words makes
	}
	ops := l.work(st, q)
	if ops <= 8 {
		return 4
	}
	return 1 // a processor looks far enough ahead to begin with the next
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
			p.Type, p.Bind = "layout.Matrix["+n.elem()+"]", "run.Out"
		case gemm.ScalarPattern:
			p.Type, p.Bind = "*"+n.elem(), "run.OutScalar"
		default:
			p.Type, p.Bind = "[]"+n.elem(), "run.Out"+patternOf[n.pattern]
		}
		if l.outBits[i] {
			p.Elem, p.Type, p.Bind = "uint8", bitMatrix, "run.OutBits"
		}
		p.Bind, p.Arg = fmt.Sprintf("%s(&$e, %q, %s)", p.Bind, p.Name, p.Name), unit.Taken(p.Type, p.Elem, -1-i)
		ps = append(ps, p)
	}
	for k, n := range l.operands {
		p := unit.Param{Name: n.name, Elem: n.elem(), Role: unit.Operand, Slot: len(l.outs) + k}
		p.Bind = fmt.Sprintf("run.%s(&$e, %q, %s)", patternOf[n.pattern], p.Name, p.Name)
		switch n.pattern {
		case gemm.FullPattern:
			p.Type = "layout.Matrix[" + n.elem() + "]"
		case gemm.ScalarPattern:
			p.Type, p.Bind = n.elem(), fmt.Sprintf("run.Scalar(&$e, %s)", p.Name)
		default:
			p.Type = "[]" + n.elem()
		}
		if n.bits {
			p.Elem, p.Type = "uint8", bitMatrix
			p.Bind = fmt.Sprintf("run.Bits(&$e, %q, %s)", p.Name, p.Name)
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
