package fn

import (
	"go/ast"
	"go/token"
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

// arith evaluates a binary operator other than shifts and comparisons.
func (t *translator) arith(at ast.Node, op token.Token, xv, yv value) value {
	x, y := xv.n, yv.n
	switch {
	case xv.bad() || yv.bad():
		return value{}
	case x == nil || y == nil || x.t != y.t:
		return t.fail(at, "the operator %s has no meaning in a lane for these operands", op)
	}
	float := x.t.Float()
	switch op {
	case token.ADD:
		return value{n: t.binary(opAdd, x, y)}
	case token.SUB:
		return value{n: t.binary(opSub, x, y)}
	case token.MUL:
		return value{n: t.product(x, y)}
	case token.QUO:
		if float {
			return value{n: t.binary(opDiv, x, y)}
		}
		return t.divide(at, opQuo, x, y)
	case token.REM:
		return t.divide(at, opRem, x, y)
	case token.AND:
		return value{n: t.and(x, y)}
	case token.OR:
		return value{n: t.or(x, y)}
	case token.XOR:
		return value{n: t.binary(opXor, x, y)}
	case token.AND_NOT:
		return value{n: t.and(x, t.binary(opXor, y, t.bitsConst(y.t, ^uint64(0))))}
	}
	return t.fail(at, "the operator %s has no meaning in a lane", op)
}
