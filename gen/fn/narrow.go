package fn

import "math"

// narrow computes in float32 what gives the same number there: operations of
// float64 that do not round, on operands that are float32 numbers. So
// math.Floor(float64(x)) of a float32 takes no float64 lanes, and neither does a
// clamp around it. Nil means that there is nothing to gain.
func (g *graph) narrow(o op, t Type, name string, bits uint64, args []*node) *node {
	switch o {
	case opFloor, opCeil, opTrunc, opEven, opAway, opAbs, opNeg, opSign, opMax, opMin, opMathMax, opMathMin, opVMax, opVMin:
		if t != Float64 {
			return nil
		}
		if in := g.narrowed(args); in != nil {
			return g.raw(opConv, Float64, "", 0, g.node(o, Float32, name, bits, in...))
		}
	case opCmp:
		if args[0].t != Float64 {
			return nil
		}
		if in := g.narrowed(args); in != nil {
			return g.node(o, t, name, bits, in...)
		}
		if x, y := args[0], args[1]; y.isConst() && x.op == opConv && x.args[0].t == Float32 {
			return g.between(name, x.args[0], y.float())
		} else if x.isConst() && y.op == opConv && y.args[0].t == Float32 {
			return g.between(mirror[name], y.args[0], x.float())
		}
	case opSelect:
		if t != Float64 {
			return nil
		}
		if in := g.narrowed(args[1:]); in != nil {
			return g.raw(opConv, Float64, "", 0, g.sel(args[0], in[0], in[1]))
		}
	}
	return nil
}

// between compares a float32 with a number c that lies between two of them.
func (g *graph) between(pred string, x *node, c float64) *node {
	near := float32(c)
	below, above := near, near
	if float64(near) < c {
		above = math.Nextafter32(near, float32(math.Inf(1)))
	} else {
		below = math.Nextafter32(near, float32(math.Inf(-1)))
	}
	switch pred {
	case "gt", "ge":
		return g.cmp("ge", x, g.float(Float32, float64(above)))
	case "lt", "le":
		return g.cmp("le", x, g.float(Float32, float64(below)))
	}
	return g.bool(pred == "ne")
}

// narrowed returns the operands as float32 if that loses nothing and at least one
// of them was float32 before.
func (g *graph) narrowed(args []*node) []*node {
	var in []*node
	some := false
	for _, a := range args {
		switch {
		case a.op == opConv && a.args[0].t == Float32:
			in = append(in, a.args[0])
			some = true
		case a.isConst():
			c := g.float(Float32, a.float())
			if f := c.float(); f != a.float() && a.float() == a.float() {
				return nil
			}
			in = append(in, c)
		default:
			return nil
		}
	}
	if !some {
		return nil
	}
	return in
}
