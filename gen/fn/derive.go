package fn

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// Derivatives are computed forward. Each node has a tangent, how fast it grows with one operand,
// as nodes of the same graph, so that both share what they have in common. There is one pass for
// each operand asked for, and functions of lanes have few. Backward, a branch that is not taken
// would still be multiplied by 0, and 0 times an infinity is NaN. Forward, its tangent is not
// selected.
//
// At a kink of a function, the derivative is that of the piece on which all operands that it is taken
// by decrease together by the same amount: "from the left". A comparison of equal numbers is decided
// by how fast they change, and if that is equal, too, as the function does.

// gradient is what makes a Func a derivative.
type gradient struct {
	of      *Func
	by      []int
	reduced []emit.Reduced // as in [emit.Derivative]
	unread  []int
}

// Derivative returns the derivative of f. It takes the operands of f and, for each float result,
// the gradient by that result. It returns the gradients by the operands that by numbers, or by all
// float operands if by is empty. They are float32 for the storage types of package dtype. At kinks
// it is the derivative from the left. That of rounding is 0, of a conversion between floats 1. The
// error says where bits of a number become another number.
func (f *Func) Derivative(by ...int) (*Func, error) { return f.derivative(&gradient{of: f, by: by}) }

func (f *Func) derivative(q *gradient) (*Func, error) {
	by := q.by
	if len(by) == 0 {
		by = nil
		for i, p := range f.Params {
			if differs(p) {
				by = append(by, i)
			}
		}
	}
	if err := f.differentiable(by); err != nil {
		return nil, err
	}
	g := f.graph
	d := &Func{Name: "the derivative of " + f.Name, Params: slices.Clone(f.Params), prog: f.prog, root: f.root, graph: g, gradient: &gradient{f, by, q.reduced, q.unread}}
	up := d.pulls(q) // what multiplies the tangent of each result
	all := &tangents{graph: g, f: f, at: by, known: map[*node]*node{}, limits: map[*node]*node{}}
	all.all = all
	for k, i := range by {
		t := all
		if len(by) > 1 {
			t = &tangents{graph: g, f: f, at: by[k : k+1], known: map[*node]*node{}, all: all}
		}
		var sum *node
		for k, out := range f.out {
			if up[k] != nil {
				g.pos = out.pos
				sum = g.plus(sum, g.as(lane(f.Params[i]), g.scaled(t.of(out), up[k])))
			}
		}
		d.Results = append(d.Results, lane(f.Params[i]))
		d.out = append(d.out, cmp.Or(sum, g.float(lane(f.Params[i]), 0)))
		if t.err != nil {
			return nil, t.err
		}
	}
	if all.err != nil {
		return nil, all.err
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	return d, nil
}

// pulls adds parameters to d, a derivative. It returns the gradient by each result that is a float: the sum
// of its own and of those that come through the reductions of its numbers.
func (d *Func) pulls(q *gradient) []*node {
	f, g := q.of, d.graph
	param := func(result int) *node {
		t := f.Results[result]
		g.pos = f.out[result].pos
		x := g.raw(opParam, t, "", uint64(len(d.Params)))
		d.Params = append(d.Params, t)
		return g.as(lane(t), x)
	}
	up := make([]*node, len(f.Results))
	for i, r := range f.Results {
		if differs(r) && !slices.Contains(q.unread, i) {
			up[i] = param(i)
		}
	}
	for _, r := range q.reduced {
		x := g.as(lane(f.Results[r.Result]), f.out[r.Result])
		var slope *node // of what they come to, by x
		switch r.How {
		case reduce.Sum:
			slope = g.float(x.t, 1)
		case reduce.SumSquares:
			slope = g.times(g.float(x.t, 2), x)
		case reduce.LogSumExp:
			slope = g.calls("math.Exp", g.binary(opSub, x, param(r.Result)))
		}
		up[r.Result] = g.plus(up[r.Result], g.times(slope, param(r.Result)))
	}
	return up
}

// differentiable refuses operands and results that nothing depends on smoothly.
func (f *Func) differentiable(by []int) error {
	for k, i := range by {
		switch {
		case i < 0 || i >= len(f.Params):
			return f.prog.refuse(f.Name, f.root.pos, "%s has %d operands, and no operand %d, counting from 0, to derive by", f.Name, len(f.Params), i)
		case !differs(f.Params[i]):
			return f.prog.refuse(f.Name, f.root.pos, "operand %d of %s, counting from 0, is of %v, which has no derivative; leave it out", i, f.Name, f.Params[i])
		case slices.Contains(by[:k], i):
			return f.prog.refuse(f.Name, f.root.pos, "operand %d of %s, counting from 0, is listed twice", i, f.Name)
		}
	}
	switch {
	case len(by) == 0:
		return f.prog.refuse(f.Name, f.root.pos, "%s has no float operand, so it has no derivative", f.Name)
	case !slices.ContainsFunc(f.Results, differs):
		return f.prog.refuse(f.Name, f.root.pos, "%s has no float result, so it has no derivative", f.Name)
	}
	return nil
}

// differs reports whether a type is of numbers that change by little.
func differs(t Type) bool { return t.Float() || t.Storage() }

// lane is the type that tangents of a type have.
func lane(t Type) Type {
	if t.Storage() {
		return Float32
	}
	return t
}

// tangents are how fast nodes grow with some operands, all at the same speed.
type tangents struct {
	*graph
	f      *Func
	at     []int           // the operands
	known  map[*node]*node // nil is 0
	all    *tangents       // those by all that are asked for, which decide at kinks
	limits map[*node]*node // of all: conditions as operands grow smaller
	bits   map[*node]bool  // integers that have bits of what depends on the operands
	err    error
}

// of returns the tangent of n, nil if it is 0.
func (t *tangents) of(n *node) *node {
	if !differs(n.t) || n.isConst() {
		return nil
	}
	if d, ok := t.known[n]; ok {
		return d
	}
	pos := t.pos
	t.pos = n.pos
	d := t.rule(n)
	t.known[n], t.pos = d, pos
	return d
}

// rule returns the tangent of n from those of its operands.
func (t *tangents) rule(n *node) *node {
	var x, y *node // the operands, and their tangents
	var dx, dy *node
	if n.op != opSelect && n.op != opParam {
		for i, a := range n.args[:min(len(n.args), 2)] {
			if i == 0 {
				x, dx = a, t.of(a)
			} else {
				y, dy = a, t.of(a)
			}
		}
	}
	switch n.op {
	case opParam:
		if !slices.Contains(t.at, int(n.bits)) {
			return nil
		}
		return t.float(lane(n.t), 1)
	case opAdd:
		return t.plus(dx, dy)
	case opSub:
		return t.plus(dx, t.minus(dy))
	case opMul:
		if x == y && dx != nil {
			return t.scaled(dx, t.binary(opMul, t.float(x.t, 2), x))
		}
		return t.plus(t.scaled(dx, y), t.scaled(dy, x))
	case opFMA:
		return t.plus(t.plus(t.scaled(dx, y), t.scaled(dy, x)), t.of(n.args[2]))
	case opDiv:
		return t.plus(t.over(dx, y), t.minus(t.scaled(dy, t.over(n, y))))
	case opNeg:
		return t.minus(dx)
	case opSqrt:
		return t.scaled(dx, t.over(t.float(n.t, 0.5), n))
	case opFloor, opCeil, opTrunc, opEven, opAway:
		return nil // 0 wherever there is one
	case opAbs:
		return t.side(t.limit("lt", x, t.float(x.t, 0)), t.minus(dx), dx, n.t)
	case opSign:
		size := t.side(t.limit("lt", x, t.float(x.t, 0)), t.minus(dx), dx, n.t)
		return t.times(size, t.binary(opSign, t.float(n.t, 1), y))
	case opMax, opMathMax:
		return t.side(t.limit("lt", x, y), dy, dx, n.t)
	case opMin, opMathMin:
		return t.side(t.limit("gt", x, y), dy, dx, n.t)
	case opVMax:
		return t.side(t.limit("gt", x, y), dx, dy, n.t)
	case opVMin:
		return t.side(t.limit("lt", x, y), dx, dy, n.t)
	case opSelect:
		return t.side(t.condition(n.args[0]), t.of(n.args[1]), t.of(n.args[2]), lane(n.t))
	case opRounded:
		return dx
	case opConv:
		if x.t.Int() {
			return t.number(n, x)
		}
		return t.as(lane(n.t), dx)
	case opBits, opTable:
		return t.number(n, x)
	case opCall:
		return t.call(n, dx, dy)
	}
	panic(fmt.Sprintf("fn: no derivative of operation %d of %v", n.op, n.t)) // a row is missing above
}

// number returns the tangent of n, which is made of the integer x. It is 0, since an integer jumps,
// unless x has the bits of a float.
func (t *tangents) number(n, x *node) *node {
	if t.err == nil && (x.t.Int() || n.op == opBits) && t.ofBits(x) {
		t.err = t.f.prog.refuse(t.f.Name, n.pos, "%s has no derivative here: this number is made of the bits of another; compute with the number, as math.Abs, math.Copysign and math.Exp2 do", t.f.Name)
	}
	return nil
}

// ofBits reports whether an integer has bits of a number that depends on the operands.
func (t *tangents) ofBits(x *node) bool {
	if b, ok := t.bits[x]; ok {
		return b
	}
	b := false
	switch {
	case x.t == Bool:
	case x.op == opBits && differs(x.args[0].t):
		b = t.of(x.args[0]) != nil
	case x.op == opConv && !x.args[0].t.Int(): // which rounds
	case x.op == opBits && !x.t.Int():
		b = t.ofBits(x.args[0])
	default:
		b = slices.ContainsFunc(x.args, t.ofBits)
	}
	if t.bits == nil {
		t.bits = map[*node]bool{}
	}
	t.bits[x] = b
	return b
}

// side selects between tangents.
func (t *tangents) side(c, x, y *node, typ Type) *node {
	if x == nil && y == nil {
		return nil
	}
	zero := t.float(typ, 0)
	return t.pick(c, cmp.Or(x, zero), cmp.Or(y, zero))
}

// pick is x where c holds, else y; what two conditions in turn give is given by either.
func (g *graph) pick(c, x, y *node) *node {
	if y.op == opSelect && y.args[1] == x {
		return g.sel(g.or(c, y.args[0]), x, y.args[2])
	}
	return g.sel(c, x, y)
}

// limit compares x and y as the operands grow smaller.
func (t *tangents) limit(pred string, x, y *node) *node {
	own := t.cmp(pred, x, y)
	if !x.t.Float() || own.isConst() || pred == "eq" || pred == "ne" {
		return own
	}
	a := t.all
	rise := a.plus(a.of(x), a.minus(a.of(y))) // of x - y, which falls that fast
	if rise == nil {
		return own
	}
	less, more, equal := t.cmp("lt", x, y), t.cmp("gt", x, y), t.cmp("eq", x, y)
	down, up := t.above(rise), t.above(t.minus(rise))
	// At equal numbers the comparison is with a strict predicate, down if pred is of "less", unless neither moves.
	switch {
	case down.isBool(true):
		return t.cmp(map[string]string{"lt": "le", "le": "le", "gt": "gt", "ge": "gt"}[pred], x, y)
	case up.isBool(true):
		return t.cmp(map[string]string{"lt": "lt", "le": "lt", "gt": "ge", "ge": "ge"}[pred], x, y)
	}
	switch pred {
	case "lt":
		return t.or(less, t.and(equal, down))
	case "le":
		return t.or(less, t.and(equal, t.not(up)))
	case "gt":
		return t.or(more, t.and(equal, up))
	}
	return t.or(more, t.and(equal, t.not(down)))
}

// condition is a truth value as the operands grow smaller.
func (t *tangents) condition(c *node) *node {
	if c.isConst() || c.t != Bool {
		return c
	}
	if l, ok := t.all.limits[c]; ok {
		return l
	}
	l := c
	switch c.op {
	case opCmp:
		l = t.limit(c.name, c.args[0], c.args[1])
	case opNot:
		l = t.not(t.condition(c.args[0]))
	case opAnd, opOr, opXor:
		l = t.binary(c.op, t.condition(c.args[0]), t.condition(c.args[1]))
	}
	t.all.limits[c] = l
	return l
}

// as converts a tangent, which may be nil.
func (g *graph) as(t Type, x *node) *node {
	if x == nil || x.t == t {
		return x
	}
	return g.linear(x, t, func(x *node) *node { return g.convert(t, 0, x) })
}

// plus adds, times multiplies, minus negates, and over divides by y, where nil is 0.
func (g *graph) plus(x, y *node) *node {
	switch {
	case x == nil || x.isZero():
		return y
	case y == nil || y.isZero():
		return x
	case x.op == opSelect && y.op == opSelect && x.args[0] == y.args[0] &&
		(x.args[1].isZero() || y.args[1].isZero() || x.args[2].isZero() || y.args[2].isZero()):
		return g.sel(x.args[0], g.plus(x.args[1], y.args[1]), g.plus(x.args[2], y.args[2]))
	case y.op == opNeg:
		return g.binary(opSub, x, y.args[0])
	case x.op == opNeg:
		return g.binary(opSub, y, x.args[0])
	}
	return g.binary(opAdd, x, y)
}

func (g *graph) times(x, y *node) *node {
	if x == nil || y == nil {
		return nil
	}
	if !unit(x) {
		x, y = y, x
	}
	switch {
	case unit(x):
		return g.each(x, func(sign float64) *node {
			switch sign {
			case 1:
				return y
			case -1:
				return g.minus(y)
			}
			return g.float(y.t, 0)
		})
	case x.op == opNeg:
		return g.minus(g.times(x.args[0], y))
	case y.op == opNeg:
		return g.minus(g.times(x, y.args[0]))
	case y.isConst():
		x, y = y, x
	}
	return g.binary(opMul, x, y)
}

func (n *node) isZero() bool { return n.isConst() && n.t.Float() && n.float() == 0 }

func (g *graph) minus(x *node) *node {
	switch {
	case x == nil || x.isZero():
		return x
	case unit(x):
		return g.each(x, func(v float64) *node { return g.float(x.t, 0-v) })
	case x.op == opSelect && (x.args[1].isZero() || x.args[2].isZero()):
		return g.sel(x.args[0], g.minus(x.args[1]), g.minus(x.args[2]))
	}
	return g.unary(opNeg, x)
}

func (g *graph) over(x, y *node) *node {
	switch {
	case x == nil || x.isZero():
		return x
	case x.op == opSelect && unit(x):
		return g.each(x, func(v float64) *node { return g.over(g.float(x.t, v), y) })
	}
	return g.linear(x, x.t, func(x *node) *node {
		if x.op == opNeg {
			return g.minus(g.over(x.args[0], y))
		}
		return g.binary(opDiv, x, y)
	})
}
