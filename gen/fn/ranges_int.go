package fn

import (
	"math"
	"math/bits"
)

// Intervals of what only integers have.

// without returns what is left of x if it is not the one number that y is.
func without(x, y interval) interval {
	switch {
	case y.lo != y.hi || math.Abs(y.lo) >= 1<<53:
	case x.lo == y.lo:
		x.lo++
	case x.hi == y.lo:
		x.hi--
	}
	return x
}

// integer returns the interval of a node from those of its operands.
func (r *ranger) integer(n *node) interval {
	full, x := typeRange(n.t), r.of(n.args[0])
	size := func(x interval) float64 { return max(math.Abs(x.lo), math.Abs(x.hi)) }
	switch n.op {
	case opOnes, opLeading:
		return interval{0, float64(n.t.Bits())}
	case opShrBy:
		if x.lo >= 0 {
			return interval{0, x.hi}
		}
	case opSarBy:
		return interval{min(x.lo, 0), max(x.hi, 0)}
	case opRem:
		if n.args[1].isConst() || size(r.of(n.args[1])) < 1<<53 {
			most := min(size(x), size(r.of(n.args[1]))-1)
			return interval{max(-most, min(x.lo, 0)), min(most, max(x.hi, 0))}
		}
		return interval{min(x.lo, 0), max(x.hi, 0)}
	case opQuo:
		y := r.of(n.args[1])
		if size(x) >= 1<<53 || size(y) >= 1<<53 || x.lo > x.hi || y.lo > y.hi {
			return full
		}
		v := interval{-size(x), size(x)}
		if y.lo > 0 || y.hi < 0 { // monotone in both
			v = interval{math.Inf(1), math.Inf(-1)}
			for _, a := range []float64{x.lo, x.hi} {
				for _, b := range []float64{y.lo, y.hi} {
					q := math.Trunc(a / b)
					v = v.hull(interval{q, q})
				}
			}
			if x.lo <= 0 && x.hi >= 0 {
				v = v.hull(interval{0, 0})
			}
		}
		if v.within(full) {
			return v
		}
	}
	return full
}

// nonzero reports whether an integer is not 0 wherever the facts hold.
func nonzero(n *node, facts []fact) bool {
	if r := rangeOf(n, facts); r.lo > 0 || r.hi < 0 {
		return true
	}
	for _, f := range facts {
		if says(f.cond, f.is, n) {
			return true
		}
	}
	switch n.op {
	case opConst:
		return n.bits != 0
	case opOr:
		return nonzero(n.args[0], facts) || nonzero(n.args[1], facts)
	case opConv:
		from := n.args[0].t
		return from.Int() && from.Bits() <= n.t.Bits() && nonzero(n.args[0], facts)
	case opSub: // the opposite
		return n.args[0].isInt(0) && nonzero(n.args[1], facts)
	case opSelect:
		with := func(is bool) []fact { return append(facts[:len(facts):len(facts)], fact{cond: n.args[0], is: is}) }
		return nonzero(n.args[1], with(true)) && nonzero(n.args[2], with(false))
	case opMax, opMin:
		return nonzero(n.args[0], facts) && nonzero(n.args[1], facts)
	}
	return false
}

// says reports whether a condition says that n is not 0.
func says(c *node, is bool, n *node) bool {
	switch {
	case c.op == opNot:
		return says(c.args[0], !is, n)
	case c.op == opAnd && is, c.op == opOr && !is:
		return says(c.args[0], is, n) || says(c.args[1], is, n)
	case c.op == opCmp:
		x, y := c.args[0], c.args[1]
		name := map[bool]string{true: "ne", false: "eq"}[is]
		return c.name == name && (x == n && y.isInt(0) || y == n && x.isInt(0))
	}
	return false
}

// log2 returns which power of two a constant is.
func (n *node) log2() int { return bits.TrailingZeros64(n.bits) }
