package fn

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
)

// exit is one way out of a list of statements: a return, a break or a continue.
// Exits are listed in the order of the source, and the first whose mask holds is
// the one that is taken.
type exit struct {
	to   ast.Node // the loop or switch that is left; nil for a return
	next bool     // with to: continue
	mask *node
	vals []value // of a return
	env  env     // of a break or continue
}

func (e exit) same(f exit) bool { return e.to == f.to && e.next == f.next }

// flow is the outcome of a list of statements: the exits, and whether lanes are
// left that reach the end, with the variables in the frame.
type flow struct {
	exits []exit
	falls bool
}

var falls = flow{falls: true}

// join returns one exit in place of x and y, which lead to the same place; x is
// taken where c holds.
func (t *translator) join(c, mask *node, x, y exit) exit {
	out := exit{to: x.to, next: x.next, mask: mask}
	if x.to != nil {
		out.env = t.merge(c, x.env, y.env)
		return out
	}
	for i := range x.vals {
		out.vals = append(out.vals, t.choose(c, x.vals[i], y.vals[i]))
	}
	return out
}

// fewExits is up to how many exits are joined from the last to the first, as selects inside
// each other. That takes no masks but their own, and keeps all of them to the end. More are
// joined from the first on, with one mask of the lanes that have left.
const fewExits = 4

// compact joins neighbours that lead to the same place.
func (t *translator) compact(list []exit) []exit {
	var out []exit
	if len(list) > fewExits {
		for _, e := range list {
			if n := len(out); n > 0 && out[n-1].same(e) {
				out[n-1] = t.join(out[n-1].mask, t.either(out[n-1].mask, e.mask), out[n-1], e)
				continue
			}
			out = append(out, e)
		}
		return out
	}
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if n := len(out); n > 0 && out[n-1].same(e) {
			out[n-1] = t.join(e.mask, t.either(e.mask, out[n-1].mask), e, out[n-1])
			continue
		}
		out = append(out, e)
	}
	slices.Reverse(out)
	return out
}

// either and both are or and and of masks; nil stands for one that was refused.
func (t *translator) either(x, y *node) *node {
	if x == nil || y == nil {
		return nil
	}
	return t.or(x, y)
}

func (t *translator) both(x, y *node) *node {
	if x == nil || y == nil {
		return nil
	}
	return t.and(x, y)
}

func (t *translator) negated(x *node) *node {
	if x == nil {
		return nil
	}
	return t.not(x)
}

// assume runs body knowing that c is as said.
func (t *translator) assume(c *node, is bool, body func()) {
	n := len(t.facts)
	if c != nil && !c.isConst() {
		t.facts = append(t.facts, fact{cond: c, is: is})
	}
	body()
	t.facts = t.facts[:n]
}

// block executes statements. Code after an exit is executed in the knowledge that the
// exit was not taken.
func (t *translator) block(list []ast.Stmt) flow {
	for i, s := range list {
		f := t.stmt(s)
		if !f.falls || len(f.exits) == 0 {
			if !f.falls {
				return f
			}
			continue
		}
		return t.then(f, func() flow { return t.block(list[i+1:]) })
	}
	return falls
}

// then executes rest for the lanes that f lets through.
func (t *translator) then(f flow, rest func() flow) flow {
	if !f.falls {
		return f
	}
	n := len(t.facts)
	for _, e := range f.exits {
		if e.mask != nil {
			t.facts = append(t.facts, fact{cond: e.mask})
		}
	}
	r := rest()
	t.facts = t.facts[:n]
	return flow{append(slices.Clip(f.exits), r.exits...), r.falls}
}

// land takes the exits to a place out of f: those lanes go on with the others.
func (t *translator) land(f flow, to ast.Node, next bool) flow {
	want := exit{to: to, next: next}
	var landed, rest []exit
	elsewhere := t.bool(true) // lanes that have not landed
	for _, e := range f.exits {
		if e.same(want) {
			landed = append(landed, e)
			elsewhere = t.both(elsewhere, t.negated(e.mask))
			continue
		}
		e.mask = t.both(elsewhere, e.mask)
		rest = append(rest, e)
	}
	if len(landed) > fewExits {
		landed = t.compact(landed)
	}
	for i := len(landed) - 1; i >= 0; i-- {
		if e := landed[i]; f.falls {
			t.env = t.merge(e.mask, e.env, t.env)
		} else {
			t.env, f.falls = e.env, true
		}
	}
	return flow{rest, f.falls}
}

// branch executes the two sides of a condition.
func (t *translator) branch(c *node, then, otherwise func() flow) flow {
	switch {
	case c != nil && c.isBool(true):
		return then()
	case c != nil && c.isBool(false):
		return otherwise()
	}
	before := t.env
	var f, g flow
	t.env = maps.Clone(before)
	t.assume(c, true, func() { f = then() })
	after := t.env
	t.env = maps.Clone(before)
	t.assume(c, false, func() { g = otherwise() })
	switch {
	case f.falls && g.falls:
		t.env = t.merge(c, after, t.env)
	case f.falls:
		t.env = after
	}
	x, y := t.compact(f.exits), t.compact(g.exits)
	out := flow{falls: f.falls || g.falls}
	if len(x) == 1 && len(y) == 1 && x[0].same(y[0]) && c != nil && x[0].mask != nil && y[0].mask != nil {
		out.exits = []exit{t.join(c, t.sel(c, x[0].mask, y[0].mask), x[0], y[0])}
		return out
	}
	for _, e := range x {
		e.mask = t.both(c, e.mask)
		out.exits = append(out.exits, e)
	}
	for _, e := range y {
		e.mask = t.both(t.negated(c), e.mask)
		out.exits = append(out.exits, e)
	}
	return out
}

// stmt executes one statement.
func (t *translator) stmt(s ast.Stmt) flow {
	t.tick(s)
	node := reflect.TypeOf(s)
	if row := rowOf(stmtForms, func(r *stmtForm) bool { return r.node == node }); row != nil {
		return row.run(t, s)
	}
	for _, r := range refusedStmts {
		if reflect.TypeOf(r.node) == node {
			t.fail(s, "%s", r.why)
			return falls
		}
	}
	t.fail(s, "this statement has no meaning in a lane")
	return falls
}

// ifStmt executes an if.
func (t *translator) ifStmt(s *ast.IfStmt) flow {
	return t.then(t.optional(s.Init), func() flow {
		c := t.expr(s.Cond).n
		return t.branch(c, func() flow { return t.block(s.Body.List) }, func() flow { return t.optional(s.Else) })
	})
}

// increment executes x++ and x--.
func (t *translator) increment(s *ast.IncDecStmt) {
	o := token.ADD
	if s.Tok == token.DEC {
		o = token.SUB
	}
	x := t.expr(s.X)
	if u := t.typeOf(s.X); !x.bad() && u != Invalid {
		one := t.bitsConst(u, 1)
		if u.Float() {
			one = t.float(u, 1)
		}
		t.store(s.X, t.arith(s, o, x, value{n: one}))
	}
}

// exprStmt executes an expression for nothing.
func (t *translator) exprStmt(s *ast.ExprStmt) flow {
	if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && t.isBuiltin(call) == "panic" {
		t.fail(s, "%s", refusedBuiltins["panic"])
		return flow{exits: []exit{{mask: t.bool(true), vals: t.badResults()}}}
	}
	t.values(s.X)
	return falls
}

// optional executes a statement that may be missing.
func (t *translator) optional(s ast.Stmt) flow {
	if s == nil {
		return falls
	}
	return t.stmt(s)
}

// returned evaluates the operands of a return.
func (t *translator) returned(s *ast.ReturnStmt) []value {
	n := t.sig.Results().Len()
	switch {
	case len(s.Results) == n && n > 0:
		vals := make([]value, n)
		for i, e := range s.Results {
			vals[i] = t.exprAs(e, t.sig.Results().At(i).Type())
		}
		return vals
	case len(s.Results) == 0:
		return t.named()
	}
	vals := t.values(s.Results[0])
	if len(vals) != n {
		return t.badResults()
	}
	return vals
}

// named returns the values of the named results.
func (t *translator) named() []value {
	var vals []value
	for _, o := range t.results {
		vals = append(vals, t.env[o])
	}
	return vals
}

func (t *translator) badResults() []value { return make([]value, t.sig.Results().Len()) }

// declare executes a declaration; constants and types have been seen to by the
// type checker.
func (t *translator) declare(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		vs := s.(*ast.ValueSpec)
		var vals []value
		switch {
		case len(vs.Values) == len(vs.Names):
			for i, e := range vs.Values {
				vals = append(vals, t.exprAs(e, t.objectType(vs.Names[i])))
			}
		case len(vs.Values) == 1:
			vals = t.values(vs.Values[0])
		}
		for i, name := range vs.Names {
			o := t.src.info.Defs[name]
			switch {
			case o == nil || name.Name == "_":
			case vs.Values == nil:
				t.env[o] = t.zero(name, o.Type())
			case i < len(vals):
				t.env[o] = vals[i]
			}
		}
	}
}

func (t *translator) objectType(id *ast.Ident) types.Type {
	if o := t.src.info.ObjectOf(id); o != nil {
		return o.Type()
	}
	return nil
}

// assign executes =, := and the operators with =.
func (t *translator) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		t.store(s.Lhs[0], t.operate(s, assignOps[s.Tok], t.expr(s.Lhs[0]), s.Rhs[0]))
		return
	}
	var vals []value
	if len(s.Lhs) == len(s.Rhs) {
		for i, e := range s.Rhs {
			var to types.Type
			if id, ok := s.Lhs[i].(*ast.Ident); ok && id.Name != "_" {
				to = t.objectType(id)
			} else if tv, ok := t.src.info.Types[s.Lhs[i]]; ok {
				to = tv.Type
			}
			vals = append(vals, t.exprAs(e, to))
		}
	} else {
		vals = t.values(s.Rhs[0])
	}
	var places []place // found before anything is assigned
	for _, l := range s.Lhs {
		places = append(places, t.place(l))
	}
	for i, p := range places {
		v := value{}
		if i < len(vals) {
			v = vals[i]
		}
		p.set(v)
	}
}

var assignOps = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND,
	token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR, token.SHL_ASSIGN: token.SHL,
	token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}
