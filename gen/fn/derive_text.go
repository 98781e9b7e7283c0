package fn

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/layout/reduce"
)

// text writes functions that have no Go source, as derivatives have none, as Go. A value that is used
// once stands where it is used, so that branches compute what they need. Any other is a variable.
type text struct {
	f       *Func
	twin    map[*node]*node // of a generic function: nodes of f, which is of float64, to those of float32
	uses    map[*node]int
	names   map[*node]string
	taken   map[string]bool
	b       bytes.Buffer
	imports map[string]bool
}

// Text returns the derivative f as the declaration of a Go function, with the packages that it
// imports. If twin is not nil, f is of float64 and twin is the same function of float32. The
// declaration is then generic if both differ in constants only; otherwise ok is false.
func (f *Func) Text(name string, twin *Func) (decl []byte, imports []string, ok bool, err error) {
	x := &text{f: f, uses: map[*node]int{}, names: map[*node]string{}, taken: map[string]bool{name: true, "T": true}, imports: map[string]bool{}}
	if twin != nil {
		x.twin = map[*node]*node{}
		for i, n := range f.out {
			if !x.alike(n, twin.out[i]) {
				return nil, nil, false, nil
			}
		}
	}
	x.function(name)
	decl, err = format.Source(x.b.Bytes())
	for path := range x.imports {
		imports = append(imports, path)
	}
	slices.Sort(imports)
	return decl, imports, true, err
}

// alike notes that b is what a is in float32, if it is.
func (x *text) alike(a, b *node) bool {
	if seen := x.twin[a]; seen != nil {
		return seen == b
	}
	if a.op == opRounded && b.op != opRounded { // of T(math.F(float64(x))), which float32 has as one operation of x
		x.twin[a] = b
		return x.alike(a.args[0], b)
	}
	if a.op != b.op || a.name != b.name || len(a.args) != len(b.args) || a.t != b.t && (a.t != Float64 || b.t != Float32) ||
		a.bits != b.bits && !(a.isConst() && a.t.Float()) || !slices.Equal(a.table, b.table) {
		return false
	}
	x.twin[a] = b
	for i := range a.args {
		if !x.alike(a.args[i], b.args[i]) {
			return false
		}
	}
	return true
}

// typ is how Go writes the type of n.
func (x *text) typ(n *node) string {
	if x.generic(n) {
		return "T"
	}
	if n.t.Storage() {
		x.imports[dtypePath] = true
	}
	return n.t.String()
}

func (x *text) generic(n *node) bool { return x.twin != nil && x.twin[n] != nil && x.twin[n].t != n.t }

func (x *text) function(name string) {
	f := x.f
	params := f.paramNames()
	order := reachable(f.out)
	of := make([]*node, len(params)) // the nodes of the parameters, as far as they are used
	for _, n := range order {
		if n.op == opParam {
			of[n.bits] = n
		}
		for _, a := range n.args {
			x.uses[a]++
		}
	}
	for _, n := range f.out {
		x.uses[n]++
	}
	inst := ""
	if x.twin != nil {
		inst = "[T float32 | float64]"
	}
	for _, p := range params {
		x.taken[p] = true
	}
	var list, results []string
	for i, p := range params {
		t := f.Params[i].String()
		if x.twin != nil && f.Params[i] == Float64 {
			t = "T"
		}
		if of[i] != nil {
			x.names[of[i]], t = p, x.typ(of[i])
		} else {
			p = "_"
		}
		if f.Params[i].Storage() {
			x.imports[dtypePath] = true
		}
		if last := len(list) - 1; last >= 0 && strings.HasSuffix(list[last], " "+t) {
			list[last] = strings.TrimSuffix(list[last], " "+t) // x, y T
		}
		list = append(list, p+" "+t)
	}
	for _, r := range f.Results {
		t := r.String()
		if x.twin != nil && r == Float64 {
			t = "T"
		}
		results = append(results, t)
	}
	fmt.Fprintf(&x.b, "func %s%s(%s) (%s) {\n", name, inst, strings.Join(list, ", "), strings.Join(results, ", "))
	for _, n := range order {
		switch {
		case n.op == opParam:
		case n.isConst():
			x.constants(n)
		case x.uses[n] > 1 && !(n.op == opNeg && x.names[n.args[0]] != ""):
			x.variable(n)
		}
	}
	if len(f.out) == 1 {
		x.result(f.out[0])
	} else {
		var out []string
		for _, n := range f.out {
			out = append(out, x.expr(n))
		}
		x.line("return %s", strings.Join(out, ", "))
	}
	x.b.WriteString("}\n")
}

// paramNames are the names that the source has, and for gradients of results d with theirs.
func (f *Func) paramNames() []string {
	var names []string
	base := f
	if f.gradient != nil {
		base = f.gradient.of
		names = base.paramNames()
	} else {
		for i := range f.Params {
			names = append(names, f.root.sig.Params().At(i).Name())
		}
	}
	for i := len(names); i < len(f.Params); i++ {
		names = append(names, "dy")
	}
	if q := f.gradient; q != nil {
		of := func(i int) string { // a result
			own := f.root.sig.Results().At(i).Name()
			switch {
			case len(base.Results) == 1:
				return "y"
			case own != "" && own != "_":
				return own
			}
			return fmt.Sprintf("y%d", i+1)
		}
		at := len(base.Params)
		for i, r := range base.Results {
			if differs(r) && !slices.Contains(q.unread, i) {
				names[at] = "d" + of(i)
				at++
			}
		}
		for _, r := range q.reduced {
			all := [...]string{reduce.Sum: "Sum", reduce.SumSquares: "Squares", reduce.LogSumExp: "LogSumExp"}[r.How]
			if r.How == reduce.LogSumExp {
				names[at] = of(r.Result) + all
				at++
			}
			names[at] = "d" + of(r.Result) + all
			at++
		}
	}
	seen := map[string]bool{"math": true, "bits": true, "dtype": true, "T": true, "max": true, "min": true, "float32": true, "float64": true}
	for i, n := range names {
		if n == "" || n == "_" {
			n = fmt.Sprintf("x%d", i+1)
		}
		for seen[n] || !token.IsIdentifier(n) {
			n += "_"
		}
		seen[n], names[i] = true, n
	}
	return names
}

func (x *text) line(format string, args ...any) { fmt.Fprintf(&x.b, format+"\n", args...) }

// name makes a name for a variable.
func (x *text) name(prefix string) string {
	for i := 1; ; i++ {
		if s := fmt.Sprint(prefix, i); !x.taken[s] {
			x.taken[s] = true
			return s
		}
	}
}

// constants declares a constant that differs by more than rounding between the two types.
func (x *text) constants(n *node) {
	if !x.generic(n) {
		return
	}
	wide, single := n.float(), x.twin[n].float()
	if float64(float32(wide)) == single || wide != wide && single != single {
		return
	}
	s := x.name("k")
	x.line("%s := T(%s)\nif T(1e-300) != 0 { // of float64\n%[1]s = %[3]s\n}", s, x.float(single, 32), x.float(wide, 64))
	x.names[n] = s
}

// variable declares a variable for n.
func (x *text) variable(n *node) {
	if n.op == opSelect || guarded(n) {
		s := x.name("v")
		x.line("var %s %s", s, x.typ(n))
		x.assign(s, n)
		x.names[n] = s
		return
	}
	e := x.operation(n)
	s := x.name("v")
	x.line("%s := %s", s, e)
	x.names[n] = s
}

// guarded reports whether Go would panic where n is computed but not used.
func guarded(n *node) bool {
	return n.op == opTable || (n.op == opQuo || n.op == opRem) && !n.args[1].isConst()
}

// assign sets a variable, which is zero, to what n is.
func (x *text) assign(s string, n *node) {
	switch {
	case x.names[n] != "" || n.isConst():
		x.line("%s = %s", s, x.expr(n))
	case n.op == opSelect:
		x.line("if %s {", x.expr(n.args[0]))
		x.assign(s, n.args[1])
		for n = n.args[2]; n.op == opSelect && x.names[n] == "" && x.plain(n.args[0]); n = n.args[2] {
			x.line("} else if %s {", x.expr(n.args[0]))
			x.assign(s, n.args[1])
		}
		if !n.isConst() || n.bits != 0 {
			x.line("} else {")
			x.assign(s, n)
		}
		x.line("}")
	case n.op == opTable:
		at := x.expr(n.args[0])
		x.line("if i := uint64(%s); i < %d {\n%s = [...]%s{%s}[i]\n}", at, len(n.table), s, x.typ(n), x.table(n))
	case guarded(n):
		x.line("if %s != 0 {\n%s = %s\n}", x.expr(n.args[1]), s, x.operation(n))
	default:
		x.line("%s = %s", s, x.expr(n))
	}
}

// plain reports whether n is an expression without statements before it.
func (x *text) plain(n *node) bool {
	return n.isConst() || x.names[n] != "" ||
		n.op != opSelect && n.op != opVMax && n.op != opVMin && !guarded(n) && !slices.ContainsFunc(n.args, func(a *node) bool { return !x.plain(a) })
}

func (x *text) table(n *node) string {
	var list []string
	for _, bits := range n.table {
		list = append(list, x.literal(&node{op: opConst, t: n.t, bits: truncateTo(n.t, bits)}))
	}
	return strings.Join(list, ", ")
}

// result returns n.
func (x *text) result(n *node) {
	for n.op == opSelect && x.names[n] == "" {
		x.line("if %s {", x.expr(n.args[0]))
		x.result(n.args[1])
		x.line("}")
		n = n.args[2]
	}
	x.line("return %s", x.expr(n))
}

// By are the names of the parameters that a derivative is taken by.
func (f *Func) By() (names []string) {
	all := f.paramNames()
	for _, i := range f.gradient.by {
		names = append(names, all[i])
	}
	return names
}

// Generic returns the derivative f of float64 and of float32, if what it is of is generic and may be either; else nil.
func (f *Func) Generic() (wide, single *Func, err error) {
	base := f.gradient.of.root
	tps := base.sig.TypeParams()
	if tps.Len() != 1 || !base.args[tps.At(0)].Float() || base.ref.Name == "" {
		return nil, nil, nil
	}
	for _, t := range []Type{Float64, Float32} {
		r := Ref{Package: base.ref.Package, Name: base.ref.Name, File: base.ref.File, Line: base.ref.Line, Args: []Type{t}, By: f.gradient.by}
		g, err := f.prog.Lookup(r)
		if err != nil {
			return nil, nil, err
		}
		wide, single = single, g
	}
	return wide, single, nil
}
