package fn

import (
	"fmt"
	"strings"
)

// The statements of the writer.

func (w *writer) stmt(depth int, indent string) string {
	w.size--
	in := indent + "\t"
	kind := w.n(18)
	if depth <= 1 && kind >= 4 && kind <= 9 { // no more blocks inside
		kind = w.n(4)
	}
	switch kind {
	case 0:
		t := w.typ()
		x := w.expr(t, 3)
		name := w.fresh()
		return fmt.Sprintf("%s%s := %s\n", indent, name, x) + w.declared(name, t, indent)
	case 1:
		t := w.typ()
		return fmt.Sprintf("%s%s = %s\n", indent, w.settable(t), w.expr(t, 3))
	case 2: // known when the function is translated
		t := w.typ()
		w.next++
		name := fmt.Sprintf("c%d", w.next)
		text := fmt.Sprintf("%sconst k%s = %s\n%[1]svar %[2]s %[4]v = k%[2]s\n%[1]s_ = %[2]s\n", indent, name, w.constant(t), t)
		w.fixed = append(w.fixed, variable{name, t})
		return text
	case 3:
		return w.opAssign(indent)
	case 4, 5:
		return w.ifStmt(depth, indent)
	case 6:
		return w.rangeStmt(depth, indent)
	case 7:
		return w.switchStmt(depth, indent)
	case 8:
		return w.tagSwitch(depth, indent)
	case 9:
		return fmt.Sprintf("%s{\n%s%s}\n", indent, w.scope(depth, in), indent)
	case 10:
		return fmt.Sprintf("%sif %s {\n%s%s}\n", indent, w.expr(Bool, 2), w.ret(in), indent)
	case 11:
		return w.arrayStmt(indent)
	case 12:
		t := w.typ()
		x, y := w.settable(t), w.settable(t)
		if x == "_" || y == "_" {
			return ""
		}
		return fmt.Sprintf("%s%s, %s = %s, %s\n", indent, x, y, y, w.right(t, 2))
	case 13:
		return w.multi(indent)
	case 14: // what a conversion needs to be in range, from a path
		v := w.pickVar(Float32)
		if v == "" {
			return ""
		}
		return fmt.Sprintf("%sif !(%s >= -100 && %s %s 100) {\n%s%s}\n", indent, v, v, w.oneOf("<=", "<"), w.ret(in), indent)
	case 15:
		return w.leave(indent)
	case 16:
		return w.structStmt(indent)
	}
	return fmt.Sprintf("%s%s = %s\n", indent, w.settable(Float32), w.sumOfProducts(Float32, 2))
}

func (w *writer) pickVar(t Type) string {
	for i := range w.vars {
		if v := w.vars[len(w.vars)-1-i]; v.t == t {
			return v.name
		}
	}
	return ""
}

func (w *writer) opAssign(indent string) string {
	t := w.typ()
	to := w.settable(t)
	if to == "_" || t == Bool {
		return ""
	}
	switch n := w.n(6); {
	case n == 0:
		return fmt.Sprintf("%s%s%s\n", indent, to, w.oneOf("++", "--"))
	case t.Float():
		return fmt.Sprintf("%s%s %s= %s\n", indent, to, w.oneOf("+", "-", "*", "/"), w.right(t, 3))
	case n == 1:
		return fmt.Sprintf("%s%s %s= %s\n", indent, to, w.oneOf("<<", ">>"), w.count(t))
	}
	return fmt.Sprintf("%s%s %s= %s\n", indent, to, w.oneOf("+", "-", "*", "&", "|", "^", "&^"), w.right(t, 2))
}

func (w *writer) ifStmt(depth int, indent string) string {
	in := indent + "\t"
	vars := len(w.vars)
	defer func() { w.vars = w.vars[:vars] }()
	var b strings.Builder
	if w.n(4) == 3 {
		t := w.typ()
		x := w.expr(t, 2)
		w.next++
		name := fmt.Sprintf("i%d", w.next)
		w.vars = append(w.vars, variable{name, t})
		fmt.Fprintf(&b, "%sif %s := %s; %s == %s || %s {\n", indent, name, x, name, w.right(t, 1), w.expr(Bool, 2))
	} else {
		fmt.Fprintf(&b, "%sif %s {\n", indent, w.expr(Bool, 3))
	}
	b.WriteString(w.scope(depth, in))
	switch w.n(4) {
	case 0:
	case 1:
		fmt.Fprintf(&b, "%s} else if %s {\n%s", indent, w.expr(Bool, 2), w.scope(depth, in))
	default:
		fmt.Fprintf(&b, "%s} else {\n%s", indent, w.scope(depth, in))
	}
	fmt.Fprintf(&b, "%s}\n", indent)
	return b.String()
}

// rangeStmt writes a loop with a constant number of trips, in one of four forms.
func (w *writer) rangeStmt(depth int, indent string) string {
	in := indent + "\t"
	w.next++
	i := fmt.Sprintf("n%d", w.next)
	l := &label{name: fmt.Sprintf("loop%d", w.next)}
	n := 1 + w.n(4)
	head, first := "", ""
	vars, loops := len(w.vars), len(w.loops)
	switch form := w.n(4); {
	case form == 3 && len(w.arrays) > 0:
		a := w.arrays[w.n(len(w.arrays))]
		n = a.n
		x := i + "x"
		head = fmt.Sprintf("for %s, %s := range %s", i, x, a.name)
		first = fmt.Sprintf("%s_, _ = %s, %s\n", in, i, x)
		w.vars = append(w.vars, variable{x, a.t})
	case form == 2:
		head = fmt.Sprintf("for %s := %d; %s >= 0; %s--", i, n-1, i, i)
	case form == 1:
		head = fmt.Sprintf("for %s := 0; %s < %d; %s += %d", i, i, n, i, 1+w.n(2))
	default:
		head = fmt.Sprintf("for %s := range %d", i, n)
		first = fmt.Sprintf("%s_ = %s\n", in, i)
	}
	w.loops = append(w.loops, loop{i, n})
	w.labels = append(w.labels, l)
	body := w.scope(depth, in)
	if body == "" {
		body = w.opAssign(in)
	}
	w.labels = w.labels[:len(w.labels)-1]
	w.vars, w.loops = w.vars[:vars], w.loops[:loops]
	text := ""
	if l.used {
		text = fmt.Sprintf("%s%s:\n", indent[1:], l.name)
	}
	return fmt.Sprintf("%s%s%s {\n%s%s%s}\n", text, indent, head, first, body, indent)
}

// leave writes a conditional break or continue.
func (w *writer) leave(indent string) string {
	if len(w.labels) == 0 {
		return ""
	}
	text := w.oneOf("break", "continue")
	if l := w.labels[w.n(len(w.labels))]; w.n(3) == 2 {
		l.used = true
		text += " " + l.name
	}
	return fmt.Sprintf("%sif %s {\n%s\t%s\n%s}\n", indent, w.expr(Bool, 2), indent, text, indent)
}

func (w *writer) switchStmt(depth int, indent string) string {
	in := indent + "\t"
	var b strings.Builder
	fmt.Fprintf(&b, "%sswitch {\n", indent)
	cases := 1 + w.n(3)
	def := w.n(cases + 1)
	for i := range cases {
		fmt.Fprintf(&b, "%scase %s:\n", indent, w.expr(Bool, 2))
		end := w.n(6)
		if end == 4 {
			fmt.Fprintf(&b, "%sif %s {\n%s\tbreak\n%s}\n", in, w.expr(Bool, 1), in, in)
		}
		b.WriteString(w.scope(depth, in))
		if end == 5 && (i < cases-1 || i == def) {
			b.WriteString(in + "fallthrough\n")
		}
		if i == def {
			fmt.Fprintf(&b, "%sdefault:\n%s", indent, w.scope(depth, in))
		}
	}
	fmt.Fprintf(&b, "%s}\n", indent)
	return b.String()
}

func (w *writer) tagSwitch(depth int, indent string) string {
	in := indent + "\t"
	t := w.typ()
	if t == Bool {
		t = Int32
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%sswitch %s {\n", indent, w.expr(t, 2))
	used := map[string]bool{}
	for range 1 + w.n(3) {
		c := w.constant(t)
		if used[c] {
			continue
		}
		used[c] = true
		fmt.Fprintf(&b, "%scase %s, %s:\n%s", indent, c, w.expr(t, 1), w.scope(depth, in))
	}
	fmt.Fprintf(&b, "%s}\n", indent)
	return b.String()
}

func (w *writer) arrayStmt(indent string) string {
	w.next++
	a := array{fmt.Sprintf("a%d", w.next), []Type{Float32, Float64, Int32, Uint8, Bool}[w.n(5)], 1 + w.n(4)}
	text := ""
	switch w.n(4) {
	case 0:
		text = fmt.Sprintf("%svar %s [%d]%v\n", indent, a.name, a.n, a.t)
	case 1:
		text = fmt.Sprintf("%s%s := [...]%v{%d: %s}\n", indent, a.name, a.t, a.n-1, w.right(a.t, 2))
	case 2: // a copy, not the same array
		for _, b := range w.arrays {
			if b.t == a.t {
				a.n = b.n
				text = fmt.Sprintf("%s%s := %s\n", indent, a.name, b.name)
			}
		}
	}
	if text == "" {
		var list []string
		for range a.n {
			list = append(list, w.right(a.t, 2))
		}
		text = fmt.Sprintf("%s%s := [%d]%v{%s}\n", indent, a.name, a.n, a.t, strings.Join(list, ", "))
	}
	w.arrays = append(w.arrays, a)
	return text + fmt.Sprintf("%s_ = %s\n", indent, a.name)
}

func (w *writer) structStmt(indent string) string {
	w.next++
	s := fmt.Sprintf("s%d", w.next)
	text := fmt.Sprintf("%s%s := pair{b: %s, a: %s}\n", indent, s, w.right(Int32, 2), w.right(Float32, 2))
	text += fmt.Sprintf("%s%s.c[%d] = %s\n", indent, s, w.n(2), w.right(Float64, 2))
	if w.n(3) == 2 {
		t := s + "t"
		text += fmt.Sprintf("%s%s := %s\n%s%s.a += %s\n%sif %s != %s {\n%s\t%s = %s\n%s}\n", indent, t, s, indent, t, w.right(Float32, 1), indent, s, t, indent, s, t, indent)
	}
	text += fmt.Sprintf("%s_ = %s\n", indent, s)
	w.vars = append(w.vars, variable{s + ".a", Float32}, variable{s + ".b", Int32}, variable{fmt.Sprintf("%s.c[%d]", s, w.n(2)), Float64})
	return text
}

func (w *writer) multi(indent string) string {
	w.next++
	x, y := fmt.Sprintf("x%d", w.next), fmt.Sprintf("y%d", w.next)
	for _, s := range w.funcs {
		if len(s.out) == 2 && w.n(2) == 1 {
			text := fmt.Sprintf("%s%s, %s := %s\n", indent, x, y, w.callOf(s, 1))
			return text + w.declared(x, s.out[0], indent) + w.declared(y, s.out[1], indent)
		}
	}
	t := []Type{Float32, Float64, Int32, Uint8}[w.n(4)]
	text := fmt.Sprintf("%s%s, %s := ordered(%s, %s)\n", indent, x, y, w.expr(t, 2), w.right(t, 2))
	return text + w.declared(x, t, indent) + w.declared(y, t, indent)
}
