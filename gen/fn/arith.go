package fn

import (
	"go/ast"
	"go/token"
	"slices"
)

var predicates = map[token.Token]string{
	token.EQL: "eq", token.NEQ: "ne", token.LSS: "lt", token.LEQ: "le", token.GTR: "gt", token.GEQ: "ge",
}

// compare evaluates a comparison.
func (t *translator) compare(at ast.Node, op token.Token, x, y value) value {
	switch {
	case x.bad() || y.bad():
		return value{}
	case x.n == nil || y.n == nil: // arrays and structs: equal if all parts are
		if len(x.parts) != len(y.parts) || x.slice || y.slice {
			return t.fail(at, "these cannot be compared in a lane")
		}
		all := t.bool(true)
		for i := range x.parts {
			all = t.both(all, t.compare(at, token.EQL, x.parts[i], y.parts[i]).n)
		}
		if op == token.NEQ {
			all = t.negated(all)
		}
		return value{n: all}
	case x.n.t.Storage(): // == compares bits there
		u := storageBits(x.n.t)
		return value{n: t.cmp(predicates[op], t.reread(u, x.n), t.reread(u, y.n))}
	case x.n.t == Bool:
		d := t.binary(opXor, x.n, y.n)
		if op == token.EQL {
			d = t.not(d)
		}
		return value{n: d}
	}
	return value{n: t.cmp(predicates[op], x.n, y.n)}
}

// operate evaluates a binary operator, the second operand of which is still to be evaluated.
func (t *translator) operate(at ast.Node, op token.Token, x value, y ast.Expr) value {
	if row := operatorOf(op); row != nil && row.run != nil {
		return row.run(t, at, op, x, y)
	}
	return t.arith(at, op, x, t.expr(y))
}

func operatorOf(op token.Token) *binaryForm {
	return rowOf(binaryForms, func(r *binaryForm) bool { return slices.Contains(r.toks, op) })
}

// compared evaluates a comparison, logic the operators of truth values.
func (t *translator) compared(at ast.Node, op token.Token, x value, y ast.Expr) value {
	return t.compare(at, op, x, t.expr(y))
}

func (t *translator) logic(_ ast.Node, op token.Token, xv value, e ast.Expr) value {
	x := xv.n
	var y *node
	t.assume(x, op == token.LAND, func() { y = t.expr(e).n })
	switch {
	case x == nil || y == nil:
		return value{}
	case op == token.LAND:
		return value{n: t.and(x, y)}
	}
	return value{n: t.or(x, y)}
}

// arith evaluates an operator of two values.
func (t *translator) arith(at ast.Node, op token.Token, xv, yv value) value {
	x, y, row := xv.n, yv.n, operatorOf(op)
	switch {
	case xv.bad() || yv.bad():
		return value{}
	case row == nil || x == nil || y == nil || x.t != y.t:
		return t.fail(at, "the operator %s has no meaning in a lane for these operands", op)
	}
	t.pos = operatorPos(at)
	return row.arith(t, at, op, x, y)
}

// quotient evaluates x / y, remainder x % y.
func (t *translator) quotient(at ast.Node, _ token.Token, x, y *node) value {
	if x.t.Float() {
		return value{n: t.binary(opDiv, x, y)}
	}
	return t.divide(at, opQuo, x, y)
}

func (t *translator) remainder(at ast.Node, _ token.Token, x, y *node) value {
	return t.divide(at, opRem, x, y)
}
