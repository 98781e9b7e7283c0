package fn

import "math"

// Tangents have pieces: what selects choose from. Nodes are shared, so that there may be many more ways to a piece than
// nodes; each node is looked at once.

// pieces is what is known of the pieces of tangents.
type pieces struct {
	rising map[*node]*node
	flats  map[*node]flat
}

// flat says where a tangent is 0 because nothing there depends on the operands, not by what the numbers are, and what
// it is elsewhere.
type flat struct{ where, elsewhere *node }

// above is whether a tangent is above 0.
func (g *graph) above(d *node) *node {
	if up, ok := g.rising[d]; ok {
		return up
	}
	up := g.bool(false)
	switch r := rangeOf(d, g.promises); {
	case d.op == opSelect:
		up = g.node(opSelect, Bool, "", 0, d.args[0], g.above(d.args[1]), g.above(d.args[2]))
	case d.op == opNeg && d.args[0].op == opSelect:
		s := d.args[0]
		up = g.node(opSelect, Bool, "", 0, s.args[0], g.above(g.minus(s.args[1])), g.above(g.minus(s.args[2])))
	case r.lo > 0:
		up = g.bool(true)
	case r.hi > 0:
		up = g.cmp("gt", d, g.float(d.t, 0))
	}
	if g.rising == nil {
		g.rising = map[*node]*node{}
	}
	g.rising[d] = up
	return up
}

// unit reports whether a tangent is 0, 1 or -1 wherever it is. A product with it is then a selection, so that
// 0 times an infinity is 0.
func unit(n *node) bool {
	seen := map[*node]bool{}
	var all func(n *node) bool
	all = func(n *node) bool {
		if n.op != opSelect {
			return n.isConst() && (n.float() == 0 || math.Abs(n.float()) == 1)
		}
		if seen[n] {
			return true
		}
		seen[n] = true
		return all(n.args[1]) && all(n.args[2])
	}
	return all(n)
}

// each puts f of each number in the place of it.
func (g *graph) each(n *node, f func(float64) *node) *node {
	done := map[*node]*node{}
	var of func(n *node) *node
	of = func(n *node) *node {
		if done[n] == nil {
			if n.op == opSelect {
				done[n] = g.pick(n.args[0], of(n.args[1]), of(n.args[2]))
			} else {
				done[n] = f(n.float())
			}
		}
		return done[n]
	}
	return of(n)
}

// scaled is tangent d times a factor.
func (g *graph) scaled(d, by *node) *node {
	if d == nil || by == nil {
		return nil
	}
	var piece func(d *node) *node
	piece = func(d *node) *node {
		if d.op == opSelect && unit(d.args[1]) != unit(d.args[2]) { // by itself is less work than by times 1
			return g.pick(d.args[0], piece(d.args[1]), piece(d.args[2]))
		}
		return g.times(by, d)
	}
	return g.linear(d, d.t, piece)
}

// linear is f of a tangent, f being linear and its result of type t. If nothing depends on the operands the
// tangent is 0, and so is f of it, even if f multiplies by an infinity or divides by 0.
func (g *graph) linear(d *node, t Type, f func(*node) *node) *node {
	at := g.flat(d)
	if at.where.isBool(true) {
		return nil
	}
	return g.pick(at.where, g.float(t, 0), f(at.elsewhere))
}

// flat returns where a tangent is flat.
func (g *graph) flat(d *node) flat {
	if at, ok := g.flats[d]; ok {
		return at
	}
	at := flat{g.bool(d.isZero()), d}
	switch d.op {
	case opSelect:
		x, y := g.flat(d.args[1]), g.flat(d.args[2])
		at.where = g.node(opSelect, Bool, "", 0, d.args[0], x.where, y.where)
		switch {
		case x.where.isBool(true):
			at.elsewhere = y.elsewhere
		case y.where.isBool(true):
			at.elsewhere = x.elsewhere
		default:
			at.elsewhere = g.sel(d.args[0], x.elsewhere, y.elsewhere)
		}
	case opNeg:
		at = g.flat(d.args[0])
		at.elsewhere = g.minus(at.elsewhere)
	case opAdd, opSub:
		x, y := g.flat(d.args[0]), g.flat(d.args[1])
		at.where = g.and(x.where, y.where)
		at.elsewhere = g.binary(d.op, x.unless(at.where, d.args[0]), y.unless(at.where, d.args[1]))
	}
	if g.flats == nil {
		g.flats = map[*node]flat{}
	}
	g.flats[d] = at
	return at
}

// unless returns what a tangent d, which is flat as it says, is where c does not hold.
func (at flat) unless(c, d *node) *node {
	if at.where == c {
		return at.elsewhere
	}
	return d
}
