package fn

import "math"

// fold computes an operation on constants. The second result is false if the
// operands are not constants, or if the result is the machine's business.
func (g *graph) fold(o op, t Type, name string, bits uint64, args []*node) (*node, bool) {
	for _, a := range args {
		if !a.isConst() {
			return nil, false
		}
	}
	if len(args) == 0 {
		return nil, false
	}
	x := args[0]
	switch o {
	case opCmp:
		return g.bool(holds(name, x, args[1])), true
	case opNot:
		return g.bool(x.bits == 0), true
	case opBits:
		return g.bitsConst(t, x.bits), true
	case opConv:
		return g.foldConv(t, x)
	}
	if t.Float() {
		v := make([]float64, len(args))
		for i, a := range args {
			v[i] = a.float()
		}
		f, r := ops[o].floats, 0.0
		if f != nil {
			r = f(v)
		}
		return g.float(t, r), f != nil && (o != opFMA || t == Float64)
	}
	if f := ops[o].ints; f != nil {
		return g.bitsConst(t, f(&node{op: o, t: t, bits: bits}, args)), true
	}
	return nil, false
}

func (g *graph) foldConv(t Type, x *node) (*node, bool) {
	switch {
	case !x.t.Int() && !t.Int():
		return g.float(t, x.float()), true
	case x.t.Int() && t.Int():
		return g.bitsConst(t, uint64(x.int())), true
	case x.t.Float():
		f := math.Trunc(x.float())
		switch {
		case !fits(t, interval{f, f}):
			return nil, false
		case t == Uint64:
			return g.bitsConst(t, uint64(f)), true
		}
		return g.bitsConst(t, uint64(int64(f))), true
	case t == Float32 && x.t == Uint64: // through float64 it would round twice
		return g.bitsConst(t, uint64(math.Float32bits(float32(x.bits)))), true
	case t == Float32:
		return g.bitsConst(t, uint64(math.Float32bits(float32(x.int())))), true
	case x.t == Uint64:
		return g.float(t, float64(x.bits)), true
	}
	return g.float(t, float64(x.int())), true
}

// holds evaluates a predicate on two constants of one type.
func holds(pred string, x, y *node) bool {
	var lt, eq bool
	unordered := false
	switch {
	case x.t.Float():
		a, b := x.float(), y.float()
		lt, eq, unordered = a < b, a == b, a != a || b != b
	case x.t.Signed():
		lt, eq = x.int() < y.int(), x.int() == y.int()
	default:
		lt, eq = x.bits < y.bits, x.bits == y.bits
	}
	switch pred {
	case "eq":
		return eq
	case "ne":
		return !eq
	case "lt":
		return lt
	case "le":
		return lt || eq
	case "gt":
		return !lt && !eq && !unordered
	}
	return !lt && !unordered
}
