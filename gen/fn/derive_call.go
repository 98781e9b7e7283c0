package fn

import "math"

// A callRow says of a function of package vmath what it can be, and how fast it grows.
type callRow struct {
	ends  interval // of the values, the error allowed for; none: anything
	over  bool     // slope is what the tangent of the operand is divided by, not multiplied
	slope slopeRule
	by2   slopeRule // of functions of two operands: the slope by the second
}

// A slopeRule is made of a call and its operands. It is evaluated so that it does not cancel where the function is
// flat: that of math.Tanh is not 1 - n*n.
type slopeRule func(c call) *node

type call struct {
	*tangents
	n, x, y *node
}

func (c call) num(v float64) *node { return c.float(c.n.t, v) }

// slack is more than any of the functions is off by.
const slack = 1 + 1e-6

var symmetric = interval{-slack, slack}

var callRows map[string]callRow

func init() { // a literal would refer to itself, through intervals
	callRows = map[string]callRow{
		"math.Exp":   {slope: func(c call) *node { return c.n }}, // its ends are made of those of its operand
		"math.Exp2":  {ends: interval{0, math.Inf(1)}, slope: func(c call) *node { return c.times(c.num(math.Ln2), c.n) }},
		"math.Expm1": {ends: interval{-slack, math.Inf(1)}, slope: func(c call) *node { return c.calls("math.Exp", c.x) }},
		"math.Log":   {over: true, slope: func(c call) *node { return c.x }},
		"math.Log2":  {over: true, slope: func(c call) *node { return c.times(c.num(math.Ln2), c.x) }},
		"math.Log10": {over: true, slope: func(c call) *node { return c.times(c.num(math.Ln10), c.x) }},
		"math.Log1p": {over: true, slope: func(c call) *node { return c.binary(opAdd, c.num(1), c.x) }},
		"math.Tanh": {ends: symmetric, slope: func(c call) *node { // 4e/(1+e)^2 of e = exp(-2|x|)
			e := c.calls("math.Exp", c.times(c.num(-2), c.unary(opAbs, c.x)))
			one := c.binary(opAdd, c.num(1), e)
			return c.over(c.times(c.num(4), e), c.binary(opMul, one, one))
		}},
		"math.Erf":  {ends: symmetric, slope: func(c call) *node { return c.times(c.num(2/math.SqrtPi), c.bell(c.x)) }},
		"math.Erfc": {ends: interval{0, 2 * slack}, slope: func(c call) *node { return c.times(c.num(-2/math.SqrtPi), c.bell(c.x)) }},
		"math.Sin":  {ends: symmetric, slope: func(c call) *node { return c.calls("math.Cos", c.x) }},
		"math.Cos":  {ends: symmetric, slope: func(c call) *node { return c.minus(c.calls("math.Sin", c.x)) }},
		"math.Tan":  {slope: func(c call) *node { return c.binary(opAdd, c.num(1), c.binary(opMul, c.n, c.n)) }},
		"math.Asin": {ends: interval{-math.Pi / 2 * slack, math.Pi / 2 * slack}, over: true, slope: func(c call) *node { return c.unary(opSqrt, c.within()) }},
		"math.Acos": {ends: interval{0, math.Pi * slack}, slope: func(c call) *node { return c.over(c.num(-1), c.unary(opSqrt, c.within())) }},
		"math.Atan": {ends: interval{-math.Pi / 2 * slack, math.Pi / 2 * slack}, over: true, slope: func(c call) *node {
			return c.binary(opAdd, c.num(1), c.binary(opMul, c.x, c.x))
		}},
		"math.Sinh":  {slope: func(c call) *node { return c.calls("math.Cosh", c.x) }},
		"math.Cosh":  {ends: interval{1 / slack, math.Inf(1)}, slope: func(c call) *node { return c.calls("math.Sinh", c.x) }},
		"math.Asinh": {over: true, slope: func(c call) *node { return c.node(opCall, c.n.t, "math.Hypot", 0, c.num(1), c.x) }},
		"math.Acosh": {ends: interval{0, math.Inf(1)}, over: true, slope: func(c call) *node {
			return c.unary(opSqrt, c.binary(opMul, c.binary(opSub, c.x, c.num(1)), c.binary(opAdd, c.x, c.num(1))))
		}},
		"math.Atanh": {over: true, slope: call.within},
		"math.Cbrt":  {slope: func(c call) *node { return c.over(c.num(1.0/3), c.binary(opMul, c.n, c.n)) }},

		"math.Pow": {
			slope: func(c call) *node {
				switch {
				case c.y.isConst() && c.y.float() == 0:
					return c.num(0)
				case c.y.isConst() && c.y.float() == 2:
					return c.times(c.num(2), c.x)
				}
				d := c.times(c.y, c.node(opCall, c.n.t, "math.Pow", 0, c.x, c.binary(opSub, c.y, c.num(1))))
				return c.sel(c.cmp("eq", c.y, c.num(0)), c.num(0), d)
			},
			by2: func(c call) *node {
				flat := c.and(c.cmp("eq", c.x, c.num(0)), c.cmp("ge", c.y, c.num(0)))
				return c.sel(flat, c.num(0), c.times(c.n, c.calls("math.Log", c.x)))
			},
		},
		"math.Atan2": { // of (x, y) as math.Atan2 has them: the ordinate first
			ends:  interval{-math.Pi * slack, math.Pi * slack},
			slope: func(c call) *node { return c.over(c.y, c.squares()) },
			by2:   func(c call) *node { return c.minus(c.over(c.x, c.squares())) },
		},
		"math.Hypot": { // 0 at the origin, which is among the subgradients
			ends:  interval{0, math.Inf(1)},
			slope: func(c call) *node { return c.sel(c.cmp("eq", c.n, c.num(0)), c.num(0), c.over(c.x, c.n)) },
			by2:   func(c call) *node { return c.sel(c.cmp("eq", c.n, c.num(0)), c.num(0), c.over(c.y, c.n)) },
		},
		"math.Mod": { // the second operand is a constant, which its ends are made of
			slope: func(c call) *node { return c.num(1) },
			by2:   func(c call) *node { return c.num(0) },
		},
	}
}

// call returns the tangent of a call, dx and dy being those of its operands. A slope is not made if it is not
// needed.
func (t *tangents) call(n, dx, dy *node) *node {
	row, c := callRows[n.name], call{tangents: t, n: n, x: n.args[0]}
	var sum *node
	if row.by2 != nil {
		c.y = n.args[1]
	}
	switch {
	case dx == nil:
	case row.over:
		sum = t.over(dx, row.slope(c))
	default:
		sum = t.scaled(dx, row.slope(c))
	}
	if dy != nil {
		sum = t.plus(sum, t.scaled(dy, row.by2(c)))
	}
	return sum
}

// calls is a function of one operand.
func (g *graph) calls(name string, x *node) *node { return g.node(opCall, x.t, name, 0, x) }

// bell is exp(-x*x).
func (g *graph) bell(x *node) *node {
	return g.calls("math.Exp", g.unary(opNeg, g.binary(opMul, x, x)))
}

// within is 1 - x*x, which does not cancel near 1.
func (c call) within() *node {
	return c.binary(opMul, c.binary(opSub, c.num(1), c.x), c.binary(opAdd, c.num(1), c.x))
}

// squares is x*x + y*y.
func (c call) squares() *node {
	return c.binary(opAdd, c.binary(opMul, c.x, c.x), c.binary(opMul, c.y, c.y))
}
