package fn

import (
	"go/ast"
	"go/token"
	"math/bits"
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

// quotient evaluates x / y.
func (t *translator) quotient(at ast.Node, op token.Token, x, y *node) value {
	if x.t.Float() {
		return value{n: t.binary(opDiv, x, y)}
	}
	return t.divide(at, op, x, y)
}

// divide evaluates an integer quotient or remainder. Machines have no vector
// division of integers, so the divisor must be a power of two.
func (t *translator) divide(at ast.Node, op token.Token, x, y *node) value {
	switch {
	case !y.isConst():
		return t.fail(at, "integers can be divided by a constant power of two only; convert to a float to divide by a variable")
	case y.bits == 0:
		return t.fail(at, "this divides by zero")
	case x.isConst():
		return value{n: t.bitsConst(x.t, divided(op, x, y))}
	}
	size, negative := y.bits, false
	if x.t.Signed() && y.int() < 0 {
		size, negative = truncateTo(x.t, -y.bits), true
	}
	if size&(size-1) != 0 {
		return t.fail(at, "integers can be divided by a constant power of two only, and %d is none; convert to a float to divide by it", y.int())
	}
	k := uint64(bits.TrailingZeros64(size))
	mask := t.bitsConst(x.t, size-1)
	if !x.t.Signed() {
		if op == token.REM {
			return value{n: t.and(x, mask)}
		}
		return value{n: t.shifted(opShr, x, k)}
	}
	// Go rounds towards zero: size-1 is added to a negative number first.
	sum := t.binary(opAdd, x, t.and(t.shifted(opSar, x, uint64(x.t.Bits()-1)), mask))
	if op == token.REM {
		return value{n: t.binary(opSub, x, t.and(sum, t.binary(opXor, mask, t.bitsConst(x.t, ^uint64(0)))))}
	}
	q := t.shifted(opSar, sum, k)
	if negative {
		q = t.binary(opSub, t.bitsConst(x.t, 0), q)
	}
	return value{n: q}
}

func divided(op token.Token, x, y *node) uint64 {
	switch {
	case x.t.Signed() && op == token.QUO && y.int() == -1:
		return -x.bits // also of the least number, which has no opposite
	case x.t.Signed() && op == token.QUO:
		return uint64(x.int() / y.int())
	case x.t.Signed():
		return uint64(x.int() % y.int())
	case op == token.QUO:
		return x.bits / y.bits
	}
	return x.bits % y.bits
}

func (t *translator) shifted(o op, x *node, by uint64) *node { return t.node(o, x.t, "", by, x) }

// shift evaluates a shift by a constant count.
func (t *translator) shift(at ast.Node, op token.Token, x value, count ast.Expr) value {
	n := t.expr(count).n
	switch {
	case x.n == nil || n == nil:
		return value{}
	case !n.isConst():
		return t.fail(count, "the shift count is not a constant; multiply, or select between constant shifts")
	case n.t.Signed() && n.int() < 0:
		return t.fail(count, "the shift count is negative")
	}
	wide := n.bits >= uint64(x.n.t.Bits())
	switch {
	case op == token.SHR && x.n.t.Signed():
		return value{n: t.shifted(opSar, x.n, min(n.bits, uint64(x.n.t.Bits()-1)))}
	case wide:
		return value{n: t.bitsConst(x.n.t, 0)}
	case op == token.SHR:
		return value{n: t.shifted(opShr, x.n, n.bits)}
	}
	return value{n: t.shifted(opShl, x.n, n.bits)}
}
