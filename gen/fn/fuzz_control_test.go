package fn

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Loops and switches of the evaluator.

// loopEnd returns what a loop does after a trip that ended so.
func loopEnd(c control, label string) (control, bool) {
	mine := c.label == "" || c.label == label
	switch {
	case c.kind == token.ILLEGAL, c.kind == token.CONTINUE && mine:
		return control{}, false
	case c.kind == token.BREAK && mine:
		return control{}, true
	}
	return c, true
}

func (e *evaluator) rangeOver(s *ast.RangeStmt, label string) control {
	x := e.expr(s.X)
	n := int64(len(x.parts))
	if x.parts == nil && x.t.Int() {
		if x.loose {
			stopWith("loose", "a number of trips")
		}
		n = x.signed()
	} else if x.parts == nil && x.t != Invalid {
		stopWith("unknown", "range over %v", x.t)
	}
	for i := range n {
		e.tick()
		if s.Key != nil {
			e.store(s.Key, num{t: e.rangeKey(s, x), bits: uint64(i)})
		}
		if s.Value != nil {
			e.store(s.Value, x.parts[i])
		}
		if c, leave := loopEnd(e.block(s.Body.List), label); leave {
			return c
		}
	}
	return control{}
}

func (e *evaluator) rangeKey(s *ast.RangeStmt, x num) Type {
	if x.parts == nil && x.t.Int() {
		return x.t
	}
	return Int64
}

func (e *evaluator) switchOn(s *ast.SwitchStmt, label string) control {
	e.maybe(s.Init)
	tag := num{t: Bool, bits: 1}
	if s.Tag != nil {
		tag = e.expr(s.Tag)
	}
	from := -1
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for _, x := range c.List {
			if from >= 0 && s.Body.List[from].(*ast.CaseClause).List != nil {
				break
			}
			eq := e.binary(token.EQL, tag, e.expr(x))
			if eq.loose {
				stopWith("loose", "a case")
			}
			if eq.bits != 0 {
				from = i
			}
		}
		if c.List == nil && from < 0 {
			from = i
		}
	}
	for from >= 0 {
		c := e.block(s.Body.List[from].(*ast.CaseClause).Body)
		switch {
		case c.kind == token.FALLTHROUGH:
			from++
			continue
		case c.kind == token.BREAK && (c.label == "" || c.label == label):
			return control{}
		}
		return c
	}
	return control{}
}

func (e *evaluator) typeSwitch(s *ast.TypeSwitchStmt, label string) control {
	e.maybe(s.Init)
	var assert *ast.TypeAssertExpr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		assert, _ = ast.Unparen(a.X).(*ast.TypeAssertExpr)
	case *ast.AssignStmt:
		assert, _ = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr)
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		stopWith("unknown", "a switch over types")
	}
	x := e.expr(call.Args[0])
	typ := e.typ(e.info.Types[call.Args[0]].Type)
	var chosen *ast.CaseClause
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil && chosen == nil {
			chosen = c
		}
		for _, want := range c.List {
			if types.Identical(e.typ(e.info.Types[want].Type), typ) && (chosen == nil || chosen.List == nil) {
				chosen = c
			}
		}
	}
	if chosen == nil {
		return control{}
	}
	if o := e.info.Implicits[chosen]; o != nil {
		e.vars[o] = x
	}
	if c := e.block(chosen.Body); c.kind != token.BREAK || c.label != "" && c.label != label {
		return c
	}
	return control{}
}
