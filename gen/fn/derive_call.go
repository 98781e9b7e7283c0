package fn

import "math"

// The derivatives of functions of package vmath: of the call n, whose operands are x and y. They are evaluated
// so that they do not cancel where the function is flat: that of math.Tanh is not 1 - n*n.

// call returns the tangent of a call, dx and dy being those of its operands.
func (t *tangents) call(n, dx, dy *node) *node {
	x := n.args[0]
	num := func(v float64) *node { return t.float(n.t, v) }
	if two := binaryTangents[n.name]; two != nil {
		y := n.args[1]
		return t.plus(t.twice(dx, func() *node { return two[0](t, num, n, x, y) }), t.twice(dy, func() *node { return two[1](t, num, n, x, y) }))
	}
	if dx == nil {
		return nil
	}
	if over := unaryOver[n.name]; over != nil {
		return t.over(dx, over(t, num, n, x))
	}
	return t.scaled(dx, unaryTangents[n.name](t, num, n, x))
}

// twice multiplies by a factor that is not made if it is not needed.
func (t *tangents) twice(d *node, factor func() *node) *node {
	if d == nil {
		return nil
	}
	return t.scaled(d, factor())
}

type constants func(float64) *node

// unaryTangents multiply the tangent of x.
var unaryTangents = map[string]func(t *tangents, num constants, n, x *node) *node{
	"math.Exp":   func(t *tangents, num constants, n, x *node) *node { return n },
	"math.Exp2":  func(t *tangents, num constants, n, x *node) *node { return t.times(num(math.Ln2), n) },
	"math.Expm1": func(t *tangents, num constants, n, x *node) *node { return t.calls("math.Exp", x) },
	"math.Tanh": func(t *tangents, num constants, n, x *node) *node { // 4e/(1+e)^2 of e = exp(-2|x|)
		e := t.calls("math.Exp", t.times(num(-2), t.unary(opAbs, x)))
		one := t.binary(opAdd, num(1), e)
		return t.over(t.times(num(4), e), t.binary(opMul, one, one))
	},
	"math.Erf":  func(t *tangents, num constants, n, x *node) *node { return t.times(num(2/math.SqrtPi), t.bell(x)) },
	"math.Erfc": func(t *tangents, num constants, n, x *node) *node { return t.times(num(-2/math.SqrtPi), t.bell(x)) },
	"math.Sin":  func(t *tangents, num constants, n, x *node) *node { return t.calls("math.Cos", x) },
	"math.Cos":  func(t *tangents, num constants, n, x *node) *node { return t.minus(t.calls("math.Sin", x)) },
	"math.Tan": func(t *tangents, num constants, n, x *node) *node {
		return t.binary(opAdd, num(1), t.binary(opMul, n, n))
	},
	"math.Acos": func(t *tangents, num constants, n, x *node) *node {
		return t.over(num(-1), t.unary(opSqrt, t.within(x, num)))
	},
	"math.Sinh": func(t *tangents, num constants, n, x *node) *node { return t.calls("math.Cosh", x) },
	"math.Cosh": func(t *tangents, num constants, n, x *node) *node { return t.calls("math.Sinh", x) },
	"math.Cbrt": func(t *tangents, num constants, n, x *node) *node { return t.over(num(1.0/3), t.binary(opMul, n, n)) },
}

// unaryOver divide the tangent of x.
var unaryOver = map[string]func(t *tangents, num constants, n, x *node) *node{
	"math.Log":   func(t *tangents, num constants, n, x *node) *node { return x },
	"math.Log2":  func(t *tangents, num constants, n, x *node) *node { return t.times(num(math.Ln2), x) },
	"math.Log10": func(t *tangents, num constants, n, x *node) *node { return t.times(num(math.Ln10), x) },
	"math.Log1p": func(t *tangents, num constants, n, x *node) *node { return t.binary(opAdd, num(1), x) },
	"math.Asin":  func(t *tangents, num constants, n, x *node) *node { return t.unary(opSqrt, t.within(x, num)) },
	"math.Atan": func(t *tangents, num constants, n, x *node) *node {
		return t.binary(opAdd, num(1), t.binary(opMul, x, x))
	},
	"math.Asinh": func(t *tangents, num constants, n, x *node) *node {
		return t.node(opCall, n.t, "math.Hypot", 0, num(1), x)
	},
	"math.Acosh": func(t *tangents, num constants, n, x *node) *node {
		return t.unary(opSqrt, t.binary(opMul, t.binary(opSub, x, num(1)), t.binary(opAdd, x, num(1))))
	},
	"math.Atanh": func(t *tangents, num constants, n, x *node) *node { return t.within(x, num) },
}

// binaryTangents multiply the tangents of x and of y.
var binaryTangents = map[string]*[2]func(t *tangents, num constants, n, x, y *node) *node{
	"math.Pow": {
		func(t *tangents, num constants, n, x, y *node) *node {
			switch {
			case y.isConst() && y.float() == 0:
				return num(0)
			case y.isConst() && y.float() == 2:
				return t.times(num(2), x)
			}
			d := t.times(y, t.node(opCall, n.t, "math.Pow", 0, x, t.binary(opSub, y, num(1))))
			return t.sel(t.cmp("eq", y, num(0)), num(0), d)
		},
		func(t *tangents, num constants, n, x, y *node) *node {
			flat := t.and(t.cmp("eq", x, num(0)), t.cmp("ge", y, num(0)))
			return t.sel(flat, num(0), t.times(n, t.calls("math.Log", x)))
		},
	},
	"math.Atan2": { // of (x, y) as math.Atan2 has them: the ordinate first
		func(t *tangents, num constants, n, x, y *node) *node { return t.over(y, t.squares(x, y)) },
		func(t *tangents, num constants, n, x, y *node) *node { return t.minus(t.over(x, t.squares(x, y))) },
	},
	"math.Hypot": { // 0 at the origin, which is among the subgradients
		func(t *tangents, num constants, n, x, y *node) *node {
			return t.sel(t.cmp("eq", n, num(0)), num(0), t.over(x, n))
		},
		func(t *tangents, num constants, n, x, y *node) *node {
			return t.sel(t.cmp("eq", n, num(0)), num(0), t.over(y, n))
		},
	},
	"math.Mod": {
		func(t *tangents, num constants, n, x, y *node) *node { return num(1) },
		func(t *tangents, num constants, n, x, y *node) *node { return num(0) }, // y is a constant
	},
}

// calls is a function of one operand.
func (g *graph) calls(name string, x *node) *node { return g.node(opCall, x.t, name, 0, x) }

// bell is exp(-x*x).
func (g *graph) bell(x *node) *node {
	return g.calls("math.Exp", g.unary(opNeg, g.binary(opMul, x, x)))
}

// within is 1 - x*x, which does not cancel near 1.
func (g *graph) within(x *node, num constants) *node {
	return g.binary(opMul, g.binary(opSub, num(1), x), g.binary(opAdd, num(1), x))
}

func (g *graph) squares(x, y *node) *node {
	return g.binary(opAdd, g.binary(opMul, x, x), g.binary(opMul, y, y))
}
