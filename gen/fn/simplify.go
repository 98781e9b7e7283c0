package fn

import "math"

// node returns a node that computes o, or one that means the same in every bit.
func (g *graph) node(o op, t Type, name string, bits uint64, args ...*node) *node {
	if n, ok := g.fold(o, t, name, bits, args); ok {
		return n
	}
	if n := g.narrow(o, t, name, bits, args); n != nil {
		return n
	}
	if n := g.promised(o, name, args); n != nil {
		return n
	}
	switch {
	case o == opCmp:
		if args[0] == args[1] && !args[0].t.Float() {
			return g.bool(name == "eq" || name == "le" || name == "ge")
		}
	case t == Bool:
		return g.truth(o, args)
	case o == opSelect:
		return g.choice(t, args[0], args[1], args[2])
	case o == opConv:
		return g.conv(t, bits, args[0])
	case o == opRounded:
		if x := args[0]; product(x) == nil {
			return x
		}
	case o == opBits && args[0].op == opBits:
		return g.reread(t, args[0].args[0])
	case t.Float():
		if n := g.simpleFloat(o, t, args); n != nil {
			return n
		}
	default:
		if n := g.simpleInt(o, t, bits, args); n != nil {
			return n
		}
	}
	return g.raw(o, t, name, bits, args...)
}

// product returns the multiplication that x is, or is but for its sign, or nil.
func product(x *node) *node {
	if x.op == opNeg {
		x = x.args[0]
	}
	if x.op != opMul || !x.t.Float() {
		return nil
	}
	return x
}

// unary and binary are node for operations without name or bits.
func (g *graph) unary(o op, x *node) *node     { return g.node(o, x.t, "", 0, x) }
func (g *graph) binary(o op, x, y *node) *node { return g.node(o, x.t, "", 0, x, y) }

func (g *graph) cmp(pred string, x, y *node) *node { return g.node(opCmp, Bool, pred, 0, x, y) }
func (g *graph) not(x *node) *node                 { return g.unary(opNot, x) }
func (g *graph) and(x, y *node) *node              { return g.binary(opAnd, x, y) }
func (g *graph) or(x, y *node) *node               { return g.binary(opOr, x, y) }
func (g *graph) sel(c, x, y *node) *node           { return g.node(opSelect, x.t, "", 0, c, x, y) }
func (g *graph) convert(t Type, bits uint64, x *node) *node {
	return g.node(opConv, t, "", bits, x)
}
func (g *graph) reread(t Type, x *node) *node {
	if x.t == t {
		return x
	}
	return g.node(opBits, t, "", 0, x)
}

var inverse = map[string]string{"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}

// truth simplifies operations on truth values.
func (g *graph) truth(o op, args []*node) *node {
	x := args[0]
	switch o {
	case opNot:
		switch {
		case x.op == opNot:
			return x.args[0]
		case x.op == opCmp && (!x.args[0].t.Float() || x.name == "eq" || x.name == "ne"): // a NaN is neither < nor >=
			return g.cmp(inverse[x.name], x.args[0], x.args[1])
		}
	case opSelect:
		c, y, z := x, args[1], args[2]
		switch {
		case c.isConst():
			if c.bits == 1 {
				return y
			}
			return z
		case y == z:
			return y
		case y.isBool(true):
			return g.or(c, z)
		case y.isBool(false):
			return g.and(g.not(c), z)
		case z.isBool(true):
			return g.or(g.not(c), y)
		case z.isBool(false):
			return g.and(c, y)
		}
		return g.or(g.and(c, y), g.and(g.not(c), z))
	case opAnd, opOr:
		y := args[1]
		for range 2 {
			switch {
			case x.isConst() && (x.bits == 1) == (o == opAnd), x == y:
				return y
			case x.isConst():
				return x
			case g.not(x) == y:
				return g.bool(o == opOr)
			case y.op == o && (y.args[0] == x || y.args[1] == x): // x and (x and z)
				return y
			}
			if dual := opAnd + opOr - o; y.op == dual { // x or (not x and z) is x or z
				for i, a := range y.args {
					switch {
					case a == x:
						return x
					case a == g.not(x):
						return g.binary(o, x, y.args[1-i])
					}
				}
			}
			x, y = y, x
		}
		if x.op == opNot && y.op == opNot {
			return g.not(g.binary(opAnd+opOr-o, x.args[0], y.args[0]))
		}
		return g.raw(o, Bool, "", 0, x, y)
	case opXor:
		y := args[1]
		for range 2 {
			switch {
			case x.isBool(false):
				return y
			case x.isBool(true):
				return g.not(y)
			}
			x, y = y, x
		}
		if x == y {
			return g.bool(false)
		}
	}
	return g.raw(o, Bool, "", 0, args...)
}

// choice simplifies a select.
func (g *graph) choice(t Type, c, x, y *node) *node {
	switch {
	case c.isBool(true) || x == y:
		return x
	case c.isBool(false):
		return y
	case c.op == opNot:
		return g.sel(c.args[0], y, x)
	case x.op == opSelect && x.args[0] == c:
		return g.sel(c, x.args[1], y)
	case y.op == opSelect && y.args[0] == c:
		return g.sel(c, x, y.args[2])
	}
	if c.op == opCmp && t.Float() {
		switch a, b := c.args[0], c.args[1]; {
		// NaN and equal zeros give the second operand, in Go's words and in VMAXPS.
		case c.name == "gt" && x == a && y == b, c.name == "lt" && x == b && y == a:
			return g.binary(opVMax, x, y)
		case c.name == "lt" && x == a && y == b, c.name == "gt" && x == b && y == a:
			return g.binary(opVMin, x, y)
		}
	}
	if c.op == opCmp && t.Signed() {
		switch a, b := c.args[0], c.args[1]; {
		case (c.name == "gt" || c.name == "ge") && x == a && y == b, (c.name == "lt" || c.name == "le") && x == b && y == a:
			return g.binary(opMax, x, y)
		case (c.name == "lt" || c.name == "le") && x == a && y == b, (c.name == "gt" || c.name == "ge") && x == b && y == a:
			return g.binary(opMin, x, y)
		}
	}
	return g.raw(opSelect, t, "", 0, c, x, y)
}

// onlyOnTheWay reports whether the integer conversion x changes nothing of a conversion
// of its result to t. That one goes through an integer of that many bits if t is a
// float.
func onlyOnTheWay(t Type, bits uint64, x *node) bool {
	from := x.args[0].t
	switch {
	case t.Storage():
		return false
	case !t.Int(): // the number has to stay the same one
		return bits == 32 && from.Bits() < x.t.Bits() && (x.t.Signed() || !from.Signed())
	case t.Bits() <= x.t.Bits():
		return true
	}
	return x.t.Bits() >= from.Bits() && (x.t.Signed() == from.Signed() || x.t.Signed() && x.t.Bits() > from.Bits())
}

// conv simplifies a conversion. The bits say which integer is between, if one is.
func (g *graph) conv(t Type, bits uint64, x *node) *node {
	switch {
	case x.t == t && t.Float():
		return g.unary(opRounded, x)
	case x.t == t:
		return x
	case t == Float32 && x.t == Float64:
		if x.op == opConv && x.args[0].t == Float32 {
			return g.unary(opRounded, x.args[0])
		}
		if x.op == opCall || x.op == opSqrt || x.op == opFMA { // T(math.F(float64(e))) is one operation of T
			if args := g.narrowed(x.args); args != nil {
				return g.node(x.op, Float32, x.name, 0, args...)
			}
		}
	case t.Storage() && x.op == opConv && x.t == Float64 && x.args[0].t == Float32:
		return g.convert(t, 0, x.args[0])
	case t == Float64 && (x.t.Int() && x.t.Bits() <= 16): // exact in float32, and so narrow may see it
		return g.raw(opConv, t, "", 0, g.convert(Float32, 32, x))
	case x.t.Float() && t.Int() && x.op == opConv && x.args[0].t == Float32:
		return g.raw(opConv, t, "", bits, x.args[0])
	case x.t.Int() && x.op == opConv && x.args[0].t.Int() && onlyOnTheWay(t, bits, x):
		return g.convert(t, bits, x.args[0])
	}
	return g.raw(opConv, t, "", bits, x)
}

func (g *graph) simpleFloat(o op, t Type, args []*node) *node {
	x := args[0]
	one := func(n *node) bool { return n.isConst() && n.float() == 1 }
	switch o {
	case opNeg:
		if x.op == opNeg {
			return x.args[0]
		}
	case opAbs:
		if x.op == opNeg || x.op == opAbs {
			return g.unary(opAbs, x.args[0])
		}
	case opMul:
		if one(x) {
			return args[1]
		}
		if one(args[1]) {
			return x
		}
	case opDiv:
		// Dividing by a power of two and multiplying by its inverse round alike.
		if y := args[1]; y.isConst() && y.float() != 0 {
			inv := 1 / y.float()
			if frac, _ := math.Frexp(y.float()); math.Abs(frac) == 0.5 && !math.IsInf(inv, 0) && floatOf(t, floatBits(t, inv)) == inv && inv != 0 {
				return g.node(opRounded, t, "quotient", 0, g.binary(opMul, x, g.float(t, inv)))
			}
		}
	case opSub:
		if y := args[1]; y.isConst() && y.bits == 0 { // x - 0 is x, x + 0 is not
			return x
		}
	case opMathMax, opMathMin: // infinity or NaN is a question only where both may be
		for _, a := range args {
			if a.isConst() && a.float()-a.float() == 0 {
				return g.binary(o-opMathMax+opMax, x, args[1])
			}
		}
	case opFloor, opCeil, opTrunc, opEven, opAway:
		switch x.op {
		case opFloor, opCeil, opTrunc, opEven, opAway:
			return x
		}
	}
	return nil
}

func (g *graph) simpleInt(o op, t Type, bits uint64, args []*node) *node {
	x := args[0]
	var y *node
	if len(args) > 1 {
		y = args[1]
	}
	switch o {
	case opAdd, opOr, opXor:
		if x.isInt(0) {
			return y
		}
		if y.isInt(0) {
			return x
		}
	case opSub:
		if y.isInt(0) {
			return x
		}
	case opMul, opAnd:
		for range 2 {
			unit := int64(1)
			if o == opAnd {
				unit = int64(truncateTo(t, ^uint64(0)))
				if t.Signed() {
					unit = -1
				}
			}
			switch {
			case x.isInt(unit):
				return y
			case x.isInt(0):
				return x
			}
			x, y = y, x
		}
	case opShl, opShr, opSar:
		if bits == 0 {
			return x
		}
	case opQuo:
		if y.isInt(1) {
			return x
		}
	case opRem:
		if y.isInt(1) {
			return g.bitsConst(t, 0)
		}
	}
	return nil
}
