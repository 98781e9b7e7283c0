package fn

import (
	"go/ast"
	"go/token"
)

func init() {
	binaryForms = []binaryForm{
		{form{"x + y", "rounded once; integers wrap. A product of floats in it may be fused, see below", "Arithmetic"}, "numbers", []token.Token{token.ADD}, direct(opAdd), nil},
		{form{"x - y", "as +", "Arithmetic"}, "numbers", []token.Token{token.SUB}, direct(opSub), nil},
		{form{"x * y", "rounded once, unless it is fused; integers wrap", "Arithmetic"}, "numbers", []token.Token{token.MUL}, func(t *translator, _ ast.Node, _ token.Token, x, y *node) value { return value{n: t.product(x, y)} }, nil},
		{form{"x / y", "floats: rounded once. Integers: towards zero; the divisor is a constant, or known not to be 0", "Quotients"}, "numbers", []token.Token{token.QUO}, (*translator).quotient, nil},
		{form{"x % y", "what is left of that division", "Quotients"}, "integers", []token.Token{token.REM}, (*translator).remainder, nil},
		{form{"x & y", "bit by bit", "BitOperators"}, "integers", []token.Token{token.AND}, direct(opAnd), nil},
		{form{"x | y", "bit by bit", "BitOperators"}, "integers", []token.Token{token.OR}, direct(opOr), nil},
		{form{"x ^ y", "bit by bit", "BitOperators"}, "integers", []token.Token{token.XOR}, direct(opXor), nil},
		{form{"x &^ y", "bit by bit", "BitOperators"}, "integers", []token.Token{token.AND_NOT}, func(t *translator, _ ast.Node, _ token.Token, x, y *node) value {
			return value{n: t.and(x, t.binary(opXor, y, t.bitsConst(y.t, ^uint64(0))))}
		}, nil},
		{form{"x << k, x >> k", "by a constant, or a number known not to be negative; what is moved out is gone, and >> keeps the sign if the type has one", "Shifts"}, "integers", []token.Token{token.SHL, token.SHR}, nil, (*translator).shift},
		{form{"x == y, x != y", "as in Go: a NaN equals nothing. Also of truth values, of arrays and structs, and of the types of package dtype, which compare bits", "Comparisons"}, "all", []token.Token{token.EQL, token.NEQ}, nil, (*translator).compared},
		{form{"x < y, x <= y, x > y, x >= y", "as in Go: false if one is a NaN", "Comparisons"}, "numbers", []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, nil, (*translator).compared},
		{form{"x && y, x || y", "both sides are computed", "Logic"}, "truth values", []token.Token{token.LAND, token.LOR}, nil, (*translator).logic},
	}
	unaryForms = []unaryForm{
		{form{"+x", "x", "Unary"}, "numbers", token.ADD, func(t *translator, x *node) value { return value{n: x} }},
		{form{"-x", "floats: the sign changes, also that of 0 and NaN. Integers: 0 - x", "Unary"}, "numbers", token.SUB, func(t *translator, x *node) value {
			if x.t.Float() {
				return value{n: t.unary(opNeg, x)}
			}
			return value{n: t.binary(opSub, t.bitsConst(x.t, 0), x)}
		}},
		{form{"^x", "every bit changes", "Unary"}, "integers", token.XOR, func(t *translator, x *node) value {
			return value{n: t.binary(opXor, x, t.bitsConst(x.t, ^uint64(0)))}
		}},
		{form{"!x", "as in Go", "Logic"}, "truth values", token.NOT, func(t *translator, x *node) value { return value{n: t.not(x)} }},
	}
}

// direct is an operator that is one operation.
func direct(o op) func(*translator, ast.Node, token.Token, *node, *node) value {
	return func(t *translator, _ ast.Node, _ token.Token, x, y *node) value { return value{n: t.binary(o, x, y)} }
}
