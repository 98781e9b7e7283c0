package fn

import (
	"math"
	mathbits "math/bits"
)

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
		r, ok := foldFloat(o, t, v)
		return g.float(t, r), ok
	}
	switch o {
	case opMax, opMin:
		if bits = x.bits; holds("lt", x, args[1]) == (o == opMax) {
			bits = args[1].bits
		}
	case opAdd:
		bits = x.bits + args[1].bits
	case opSub:
		bits = x.bits - args[1].bits
	case opMul:
		bits = x.bits * args[1].bits
	case opAnd:
		bits = x.bits & args[1].bits
	case opOr:
		bits = x.bits | args[1].bits
	case opXor:
		bits = x.bits ^ args[1].bits
	case opShl:
		bits = x.bits << bits
	case opShr:
		bits = x.bits >> bits
	case opSar:
		s := 64 - t.Bits()
		bits = uint64(int64(x.bits<<s) >> s >> bits)
	case opQuo, opRem:
		bits = quotient(o, x, args[1])
	case opShlBy:
		bits = x.bits << args[1].bits
	case opShrBy:
		bits = x.bits >> args[1].bits
	case opSarBy:
		bits = uint64(x.int() >> args[1].bits)
	case opOnes:
		bits = uint64(mathbits.OnesCount64(x.bits))
	case opLeading:
		bits = uint64(t.Bits() - mathbits.Len64(x.bits))
	default:
		return nil, false
	}
	return g.bitsConst(t, bits), true
}

// quotient returns the bits of x / y or x % y; y is not 0.
func quotient(o op, x, y *node) uint64 {
	switch {
	case x.t.Signed() && y.int() == -1: // also of the least number, which has no opposite
		if o == opRem {
			return 0
		}
		return -x.bits
	case x.t.Signed() && o == opQuo:
		return uint64(x.int() / y.int())
	case x.t.Signed():
		return uint64(x.int() % y.int())
	case o == opQuo:
		return x.bits / y.bits
	}
	return x.bits % y.bits
}

// foldFloat computes in float64; the caller rounds to t. For float32 that rounds
// as if once, except for a fused multiply-add.
func foldFloat(o op, t Type, v []float64) (float64, bool) {
	if f, ok := mathOps[o]; ok {
		return f.value(v), true
	}
	switch o {
	case opAdd:
		return v[0] + v[1], true
	case opSub:
		return v[0] - v[1], true
	case opMul:
		return v[0] * v[1], true
	case opDiv:
		return v[0] / v[1], true
	case opNeg:
		return -v[0], true
	case opFMA:
		return math.FMA(v[0], v[1], v[2]), t == Float64
	case opMax:
		return max(v[0], v[1]), true
	case opMin:
		return min(v[0], v[1]), true
	case opVMax:
		if v[0] > v[1] {
			return v[0], true
		}
		return v[1], true
	case opVMin:
		if v[0] < v[1] {
			return v[0], true
		}
		return v[1], true
	case opRounded:
		return v[0], true
	}
	return 0, false
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
