package fn

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
)

// forStmt unrolls a loop of which it is known how often it runs at most.
func (t *translator) forStmt(s *ast.ForStmt) flow {
	return t.then(t.optional(s.Init), func() flow { return t.land(t.trip(s, 0), s, false) })
}

// trip executes trip n of a loop and those after it.
func (t *translator) trip(s *ast.ForStmt, n int) flow {
	if s.Cond != nil {
		c := t.expr(s.Cond).n
		switch {
		case c == nil:
			return falls
		case c.isBool(false):
			return falls
		case !c.isConst() && n == maxTrips:
			t.fail(s.Cond, "this loop may run more than %d times; count its trips up to a constant, as in for i := 0; i < %[1]d && ...; i++", maxTrips)
			return falls
		case !c.isConst(): // the lanes where it does not hold leave here
			out := exit{to: s, mask: t.not(c), env: t.env}
			t.env = maps.Clone(t.env)
			return t.then(flow{[]exit{out}, true}, func() flow { return t.once(s, n) })
		}
	}
	return t.once(s, n)
}

// once executes the body of a loop for trip n, and the trips after it.
func (t *translator) once(s *ast.ForStmt, n int) flow {
	if n == maxTrips {
		t.fail(s, "the loop runs more than %d times; that many trips are not unrolled", maxTrips)
		return falls
	}
	f := t.land(t.block(s.Body.List), s, true)
	return t.then(f, func() flow {
		return t.then(t.optional(s.Post), func() flow { return t.trip(s, n+1) })
	})
}

// rangeStmt unrolls a range over a constant or something of known length.
func (t *translator) rangeStmt(s *ast.RangeStmt) flow {
	n, elems := 0, []value(nil)
	typ := t.src.info.Types[s.X].Type
	if typ == nil {
		t.untyped(s.X)
		return falls
	}
	switch u := typ.Underlying().(type) {
	case *types.Array, *types.Slice:
		x := t.expr(s.X)
		if x.bad() {
			return falls
		}
		n, elems = len(x.parts), x.parts
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			t.fail(s.X, "ranging over %s has no meaning in a lane; range over a constant, an array or a slice literal", types.Default(typ))
			return falls
		}
		x := t.expr(s.X)
		switch {
		case x.bad():
			return falls
		case !x.n.isConst():
			t.fail(s.X, "how often this loop runs is not known before the function runs; give it a constant number of trips, and select inside")
			return falls
		}
		n = int(max(0, min(x.n.int(), maxTrips+1)))
	default:
		t.fail(s.X, "ranging over %s has no meaning in a lane; range over a constant, an array or a slice literal", types.Default(typ))
		return falls
	}
	if n > maxTrips {
		t.fail(s, "the loop runs more than %d times; that many trips are not unrolled", maxTrips)
		return falls
	}
	var trip func(i int) flow
	trip = func(i int) flow {
		if i == n {
			return falls
		}
		t.tick(s)
		if s.Key != nil {
			u := Int64
			if id, ok := s.Key.(*ast.Ident); !ok || id.Name != "_" {
				u = t.typeOf(s.Key)
			}
			if u != Invalid {
				t.store(s.Key, value{n: t.bitsConst(u, uint64(i))})
			}
		}
		if s.Value != nil {
			t.store(s.Value, elems[i])
		}
		return t.then(t.land(t.block(s.Body.List), s, true), func() flow { return trip(i + 1) })
	}
	return t.land(trip(0), s, false)
}

// jump executes break and continue.
func (t *translator) jump(s *ast.BranchStmt) flow {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		t.fail(s, "%s is not translated; use if and else", s.Tok)
		return falls
	}
	return flow{exits: []exit{{to: t.target(s), next: s.Tok == token.CONTINUE, mask: t.bool(true), env: t.env}}}
}

// target returns the statement that a break or continue is about.
func (t *translator) target(s *ast.BranchStmt) ast.Node {
	var found ast.Node
	ast.Inspect(t.decl, func(n ast.Node) bool {
		if n == nil || s.Pos() < n.Pos() || n.End() <= s.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.LabeledStmt:
			if s.Label != nil && n.Label.Name == s.Label.Name {
				found = n.Stmt
			}
		case *ast.ForStmt, *ast.RangeStmt: // the innermost is seen last
			if s.Label == nil {
				found = n
			}
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			if s.Label == nil && s.Tok == token.BREAK {
				found = n
			}
		}
		return true
	})
	return found
}

// switchStmt executes a switch as a chain of ifs.
func (t *translator) switchStmt(s *ast.SwitchStmt) flow {
	return t.then(t.optional(s.Init), func() flow {
		var tag value
		if s.Tag != nil {
			if tag = t.expr(s.Tag); tag.bad() {
				return falls
			}
		}
		var clauses []*ast.CaseClause
		var def *ast.CaseClause
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			if c.List == nil {
				def = c
				continue
			}
			clauses = append(clauses, c)
		}
		var chain func(i int) flow
		chain = func(i int) flow {
			if i == len(clauses) {
				if def == nil {
					return falls
				}
				return t.block(t.body(s, def))
			}
			c := clauses[i]
			cond := t.bool(false)
			for _, e := range c.List {
				if s.Tag == nil {
					cond = t.either(cond, t.expr(e).n)
				} else {
					cond = t.either(cond, t.compare(e, token.EQL, tag, t.exprAs(e, t.src.info.Types[s.Tag].Type)).n)
				}
			}
			return t.branch(cond, func() flow { return t.block(t.body(s, c)) }, func() flow { return chain(i + 1) })
		}
		return t.land(chain(0), s, false)
	})
}

// body returns the statements of a case, with those that it falls through to.
func (t *translator) body(s *ast.SwitchStmt, c *ast.CaseClause) []ast.Stmt {
	var list []ast.Stmt
	on := false
	for _, x := range s.Body.List {
		x := x.(*ast.CaseClause)
		if x != c && !on {
			continue
		}
		on = false
		stmts := x.Body
		if n := len(stmts); n > 0 {
			if b, ok := stmts[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				stmts, on = stmts[:n-1], true
			}
		}
		list = append(list, stmts...)
		if !on {
			break
		}
	}
	return list
}

// typeSwitch executes "switch any(x).(type)" of a number: which case is taken is
// known, since the type arguments are.
func (t *translator) typeSwitch(s *ast.TypeSwitchStmt) flow {
	return t.then(t.optional(s.Init), func() flow {
		var assert *ast.TypeAssertExpr
		switch a := s.Assign.(type) {
		case *ast.ExprStmt:
			assert, _ = ast.Unparen(a.X).(*ast.TypeAssertExpr)
		case *ast.AssignStmt:
			assert, _ = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr)
		}
		var inner ast.Expr
		if assert != nil {
			if call, ok := ast.Unparen(assert.X).(*ast.CallExpr); ok && len(call.Args) == 1 && t.src.info.Types[call.Fun].IsType() {
				inner = call.Args[0]
			}
		}
		if inner == nil {
			t.fail(s, "a switch over types has a meaning only as switch any(x).(type) with a number x")
			return falls
		}
		x := t.expr(inner)
		if x.bad() {
			return falls
		}
		if t.defined {
			t.fail(s, "which case is taken depends on a type argument that is not one of float32, int32 and so on themselves; use those")
			return falls
		}
		typ := t.src.info.Types[inner].Type
		var def *ast.CaseClause
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			if c.List == nil {
				def = c
			}
			for _, e := range c.List {
				if ct := t.src.info.Types[e].Type; ct != nil && typ != nil && t.identical(ct, typ) {
					return t.typeCase(s, c, x)
				}
			}
		}
		if def == nil {
			return falls
		}
		return t.typeCase(s, def, x)
	})
}

func (t *translator) typeCase(s *ast.TypeSwitchStmt, c *ast.CaseClause, x value) flow {
	if o := t.src.info.Implicits[c]; o != nil {
		if _, iface := o.Type().Underlying().(*types.Interface); !iface {
			t.env[o] = x
		}
	}
	return t.land(t.block(c.Body), s, false)
}

// identical reports whether two types are one type in this call.
func (t *translator) identical(x, y types.Type) bool {
	if u := t.lane(x); u.Storage() {
		return u == t.lane(y)
	}
	return types.Identical(t.dynamic(x), t.dynamic(y))
}

// dynamic returns the type with the type arguments of this call put in.
func (t *translator) dynamic(typ types.Type) types.Type {
	if tp, ok := types.Unalias(typ).(*types.TypeParam); ok {
		return t.args[tp].goType()
	}
	return types.Unalias(typ)
}
