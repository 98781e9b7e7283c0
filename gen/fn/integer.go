package fn

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Products, quotients and shifts of integers. Machines have few of them on lanes of 8
// bits, so those go through 16, and shifts by a variable through 32.

// atLeast returns t, or the type like it with that many bits if that is wider.
func atLeast(t Type, bits int) Type {
	for t.Bits() < bits {
		t++ // the next has twice as many
	}
	return t
}

// in computes f of x in a wider type and cuts the result down again.
func (t *translator) in(wide Type, x *node, f func(x *node) *node) *node {
	return t.convert(x.t, 0, f(t.convert(wide, 0, x)))
}

// product multiplies.
func (t *translator) product(x, y *node) *node {
	if !x.t.Int() || x.t.Bits() > 8 {
		return t.binary(opMul, x, y)
	}
	wide := atLeast(x.t, 16)
	return t.in(wide, x, func(x *node) *node { return t.binary(opMul, x, t.convert(wide, 0, y)) })
}

// shifted shifts by a constant below the width.
func (t *translator) shifted(o op, x *node, by uint64) *node {
	if x.t.Bits() > 8 || by == 0 {
		return t.node(o, x.t, "", by, x)
	}
	return t.in(atLeast(x.t, 16), x, func(x *node) *node { return t.node(o, x.t, "", by, x) })
}

// divide evaluates an integer quotient or remainder.
func (t *translator) divide(at ast.Node, o op, x, y *node) value {
	switch {
	case y.isInt(0):
		return t.fail(at, "this divides by zero")
	case !nonzero(y, t.facts):
		name := "the divisor"
		switch e := at.(type) {
		case *ast.BinaryExpr:
			name = types.ExprString(e.Y)
		case *ast.AssignStmt:
			name = types.ExprString(e.Rhs[0])
		}
		return t.fail(at, "%s may be 0, where Go panics; return something else first, as in if %[1]s == 0 { return 0 }", name)
	case !x.t.Signed() && y.isConst() && y.bits&(y.bits-1) == 0: // as everybody writes it
		if o == opRem {
			return value{n: t.and(x, t.bitsConst(x.t, y.bits-1))}
		}
		return value{n: t.shifted(opShr, x, uint64(y.log2()))}
	}
	if !nonzero(y, nil) { // in lanes that go another way it may be
		y = t.strictly(func() *node { return t.sel(t.cmp("eq", y, t.bitsConst(y.t, 0)), t.bitsConst(y.t, 1), y) })
	}
	return value{n: t.node(o, x.t, "", t.signs(x, y), x, y)}
}

// signs says which of the operands of a division are known not to be negative.
func (t *translator) signs(x, y *node) (bits uint64) {
	if rangeOf(x, t.facts).lo >= 0 {
		bits |= 1
	}
	if rangeOf(y, t.facts).lo >= 0 {
		bits |= 2
	}
	return bits
}

// shift evaluates a shift, by the number that the expression count has. A number that
// Go shifts out is gone, however far it is shifted.
func (t *translator) shift(_ ast.Node, op token.Token, x value, count ast.Expr) value {
	n := t.expr(count).n
	switch {
	case x.n == nil || n == nil:
		return value{}
	case !n.isConst():
		return t.shiftBy(op, x.n, n, count)
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

// shiftBy shifts by a variable, in 32 or 64 bits. Lanes that are shifted by more than
// those get what Go says by a select.
func (t *translator) shiftBy(op token.Token, x, n *node, count ast.Expr) value {
	if r := rangeOf(n, t.facts); n.t.Signed() && r.lo < 0 {
		name := types.ExprString(count)
		return t.fail(count, "the shift count may be negative, where Go panics; shift by uint(%s), which then is more than any width, or return first if it is below 0", name)
	}
	wide := atLeast(x.t, 32)
	bits := wide.Bits()
	c := t.convert(unsigned(wide), 0, n) // of a count that is wider, what is cut off is looked at below
	within := t.bool(true)
	if all := rangeOf(n, nil); all.lo < 0 || all.hi >= float64(bits) {
		own := t.convert(unsigned(n.t), 0, n) // a negative number, in lanes that go another way, is a large one
		within = t.strictly(func() *node { return t.cmp("lt", own, t.bitsConst(own.t, uint64(bits))) })
		c = t.and(c, t.bitsConst(c.t, uint64(bits-1)))
	}
	c = t.convert(wide, 0, c)
	return value{n: t.in(wide, x, func(x *node) *node {
		switch {
		case op == token.SHL:
			return t.sel(within, t.binary(opShlBy, x, c), t.bitsConst(wide, 0))
		case wide.Signed():
			return t.binary(opSarBy, x, t.sel(within, c, t.bitsConst(wide, uint64(bits-1))))
		}
		return t.sel(within, t.binary(opShrBy, x, c), t.bitsConst(wide, 0))
	})}
}

// unsigned returns the type of t's width without sign.
func unsigned(t Type) Type {
	if t.Signed() {
		return t + Uint8 - Int8
	}
	return t
}
