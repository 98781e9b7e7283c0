package fn

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Func is a Go function as an expression of its operands, the same in every lane.
type Func struct {
	Name    string // as in act.GELU[float32], for messages
	Params  []Type
	Results []Type

	prog     *Program
	root     *root
	graph    *graph          // that the nodes are of
	gradient *gradient       // what it is the derivative of, nil if it is none
	out      []*node         // the results
	order    []*node         // all that they are computed from, operands first
	fused    map[*node]*node // of a sum or difference: the operand that is fused into it
	inside   map[*node]bool  // nodes that are computed as part of another
	uses     map[*node]int   // how often a node is an operand or a result
	cost     map[string]int
	ops      int    // the sum of cost
	kept     []fact // the promises that lowering relies on
}

// translate executes the function that was asked for.
func (p *Program) translate(r *root) (*Func, error) {
	t := &translator{prog: p, graph: graph{memo: map[nodeKey]*node{}}, seen: map[Problem]bool{}, globals: map[*types.Var]value{}}
	f := &Func{Name: r.ref.String(), prog: p, root: r, graph: &t.graph}
	fr := &frame{src: r.src, decl: r.node, args: r.args, sig: r.sig, defined: r.ref.defined}
	t.frame = fr
	sig := r.sig
	if sig.Recv() != nil || sig.Variadic() {
		return nil, p.refuse(f.Name, r.pos, "methods and variable numbers of parameters are not translated; make it a plain function")
	}
	var vals []value
	for i := range sig.Params().Len() {
		u := t.scalar(r.typ, sig.Params().At(i).Type())
		if u != Invalid && r.ref.Params != nil && r.ref.Params[i] != u {
			t.fail(r.typ, "parameter %d of %s is %v, not %v", i+1, f.Name, u, r.ref.Params[i])
		}
		vals = append(vals, value{n: t.raw(opParam, u, "", uint64(i))})
		f.Params = append(f.Params, u)
		t.promise(r.ref.within, vals[i].n)
	}
	t.facts = slices.Clone(t.promises)
	for i := range sig.Results().Len() {
		f.Results = append(f.Results, t.scalar(r.typ, sig.Results().At(i).Type()))
	}
	if len(f.Results) == 0 {
		t.fail(r.typ, "%s has no result, so all it could have is an effect", f.Name)
	}
	if r.body == nil {
		t.fail(r.typ, "%s has no Go source to translate", f.Name)
	}
	switch {
	case len(t.problems) > 0:
	case r.op != nil:
		var x []*node
		for _, v := range vals {
			x = append(x, v.n)
		}
		n, why := r.op(t, x)
		if n == nil {
			t.fail(r.typ, "%s: %s", f.Name, why)
		}
		f.out = []*node{n}
	default:
		t.execute(f, fr, vals)
	}
	if len(t.problems) > 0 {
		slices.SortStableFunc(t.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
		})
		return nil, &Error{f.Name, t.problems}
	}
	if err := f.finish(); err != nil {
		return nil, err
	}
	return f, nil
}

// finish computes what follows from the results.
func (f *Func) finish() error {
	f.order = reachable(f.out)
	f.kept = f.graph.promises
	if slices.ContainsFunc(f.order, func(n *node) bool { return n.op == opTable }) {
		f.kept = nil // an index is kept inside by what is known of it without them
	}
	f.fuse()
	f.schedule()
	if err := f.count(); err != nil {
		return err
	}
	if f.ops > maxOps {
		return f.prog.refuse(f.Name, f.root.pos, "%s unrolls to %d operations; %d is the limit", f.Name, f.ops, maxOps)
	}
	return nil
}

// execute runs the body and takes its results.
func (t *translator) execute(f *Func, fr *frame, vals []value) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stop); !ok {
				panic(r)
			}
		}
	}()
	t.frame = nil
	for i, v := range t.enter(f.root.pos, fr, f.root.typ, f.root.body, vals) {
		switch {
		case v.n != nil && v.n.t == f.Results[i]:
			f.out = append(f.out, v.n)
		case len(t.problems) == 0:
			t.failAt(f.root.pos, "result %d of %s has no value", i+1, f.Name)
		}
	}
}

// Widest returns the widest element type that any lane of the function holds. The
// caller picks the number of lanes so that this fits a register.
func (f *Func) Widest() emit.Elem {
	widest := emit.I8
	for _, n := range f.order {
		if e := n.t.Elem(); e.Bits() > widest.Bits() || e.Bits() == widest.Bits() && e.Float() {
			widest = e
		}
		if e := between(n); e.Bits() > widest.Bits() {
			widest = e
		}
	}
	return widest
}

// between returns the type that an operation goes through, or None: the integer of a
// conversion, or what integers are divided in.
func between(n *node) emit.Elem {
	if n.op == opQuo || n.op == opRem {
		return divideIn(n)
	}
	if n.op != opConv || n.t.Int() == n.args[0].t.Int() {
		return emit.None
	}
	if n.bits == 64 {
		return emit.I64
	}
	return emit.I32
}

// Call is a use of a function that is not exact.
type Call struct {
	Name string // as in math.Exp
	Type Type
	ULP  float64 // the largest error, in units in the last place of Type
	N    int     // how often it is called
}

// Accuracy lists the functions whose results are not rounded correctly.
func (f *Func) Accuracy() []Call {
	count := map[Call]int{}
	for _, n := range f.order {
		if n.op != opCall {
			continue
		}
		if ulp := mathULP(n.name, n.t); ulp > 0 {
			count[Call{Name: n.name, Type: n.t, ULP: ulp}]++
		}
	}
	var out []Call
	for c, n := range count {
		c.N = n
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Call) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
	})
	return out
}

// Notes are facts about the translation that its author may want to know, such as where
// it takes wider lanes than its operands, and where a NaN becomes an integer.
func (f *Func) Notes() []string {
	var notes []string
	wide := slices.Contains(f.Params, Float64) || slices.Contains(f.Results, Float64)
	for _, n := range f.order {
		switch {
		case !wide && (n.t == Float64 && !n.isConst() && n.op != opConv || n.op == opCmp && n.args[0].t == Float64):
			wide = true
			notes = append(notes, f.prog.place(n.pos)+": this runs in float64 lanes, half as many to a register; "+
				"convert to float32 around each operation if that is not meant")
		case n.op == opConv && n.t.Int() && n.args[0].t.Float() && !number(n.args[0], f.graph.numbers()):
			notes = append(notes, f.prog.place(n.pos)+": a NaN here becomes whatever integer the machine makes of it, as in Go")
		}
	}
	return notes
}

// Cost returns how many operations of each kind the function is, by their names
// in the IR. Constants are not counted.
func (f *Func) Cost() map[string]int { return maps.Clone(f.cost) }

// count makes IR of the function, to count its operations.
func (f *Func) count() error {
	const lanes = 4
	var args []emit.Arg
	for i, p := range f.Params {
		args = append(args, emit.Arg{Name: fmt.Sprintf("x%d", i), Type: emit.Scalar(p.Elem()), Offset: 8 * i})
	}
	built, err := emit.Build(f.Name, args, func(b *emit.Builder) {
		var in []*emit.Value
		for i, a := range args {
			in = append(in, b.Param(a.Name, emit.Vector(f.Params[i].Elem(), lanes)))
		}
		if _, err := f.Emit(b, lanes, in); err != nil {
			b.Refuse("%v", err)
		}
	})
	if err != nil {
		return err
	}
	f.cost, f.ops = map[string]int{}, 0
	built.Body.Walk(func(op *emit.Op) {
		if name := op.Def.Name; name != "const" && name != "param" {
			f.cost[name]++
			f.ops++
		}
	})
	return nil
}
