package fn

import (
	"math"
	mathbits "math/bits"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
)

// An opRow is what an operation is in Go, what it makes of constants, and what it is in the IR.
type opRow struct {
	math   string // the function of package math that it is, "" for others
	infix  string // Go's operator
	floats func(v []float64) float64
	ints   func(n *node, x []*node) uint64 // n has the type and the bits of the operation, which is not made yet
	lower  func(l *lowering, n *node, x []*emit.Value) *emit.Value
}

// ops has a row for each operation but a parameter and a constant. What selects, calls, converts or
// compares has its constants in fold.go. A sum of floats is computed in float64, and the caller rounds it
// to the type. For float32 that rounds as if once, except for a fused multiply-add.
var ops [opTable + 1]opRow

func init() { // a literal would refer to itself, through intervals
	ops = [...]opRow{
		opAdd: {infix: "+", floats: ofTwo(func(x, y float64) float64 { return x + y }), ints: onBits(func(x, y uint64) uint64 { return x + y }), lower: build2((*emit.Builder).Add)},
		opSub: {infix: "-", floats: ofTwo(func(x, y float64) float64 { return x - y }), ints: onBits(func(x, y uint64) uint64 { return x - y }), lower: build2((*emit.Builder).Sub)},
		opMul: {infix: "*", floats: ofTwo(func(x, y float64) float64 { return x * y }), ints: onBits(func(x, y uint64) uint64 { return x * y }), lower: build2((*emit.Builder).Mul)},
		opDiv: {infix: "/", floats: ofTwo(func(x, y float64) float64 { return x / y }), lower: func(l *lowering, n *node, x []*emit.Value) *emit.Value {
			if l.f.near(n) {
				return l.b.DivNear(x[0], x[1])
			}
			return l.b.Div(x[0], x[1])
		}},
		opNeg: {floats: ofOne(func(x float64) float64 { return -x }), lower: build1((*emit.Builder).NegF)},
		opFMA: {math: "FMA", floats: func(v []float64) float64 { return math.FMA(v[0], v[1], v[2]) }, lower: func(l *lowering, _ *node, x []*emit.Value) *emit.Value {
			return l.b.FMA(x[2], x[0], x[1])
		}},
		opRounded: {floats: ofOne(func(x float64) float64 { return x }), lower: func(_ *lowering, _ *node, x []*emit.Value) *emit.Value { return x[0] }},

		opSqrt:    {math: "Sqrt", floats: ofOne(math.Sqrt), lower: build1((*emit.Builder).Sqrt)},
		opFloor:   {math: "Floor", floats: ofOne(math.Floor), lower: rounds("floor")},
		opCeil:    {math: "Ceil", floats: ofOne(math.Ceil), lower: rounds("ceil")},
		opTrunc:   {math: "Trunc", floats: ofOne(math.Trunc), lower: rounds("trunc")},
		opEven:    {math: "RoundToEven", floats: ofOne(math.RoundToEven), lower: rounds("rne")},
		opAway:    {math: "Round", floats: ofOne(math.Round), lower: build1(vmath.Round)},
		opAbs:     {math: "Abs", floats: ofOne(math.Abs), lower: build1((*emit.Builder).AbsF)},
		opSign:    {math: "Copysign", floats: ofTwo(math.Copysign), lower: build2((*emit.Builder).CopySign)},
		opMathMax: {math: "Max", floats: ofTwo(math.Max), lower: build2(vmath.MathMax)},
		opMathMin: {math: "Min", floats: ofTwo(math.Min), lower: build2(vmath.MathMin)},

		opMax: {floats: ofTwo(func(x, y float64) float64 { return max(x, y) }), ints: larger(0), lower: extreme(vmath.Max)},
		opMin: {floats: ofTwo(func(x, y float64) float64 { return min(x, y) }), ints: larger(1), lower: extreme(vmath.Min)},
		opVMax: {floats: ofTwo(func(x, y float64) float64 {
			if x > y {
				return x
			}
			return y
		}), lower: build2((*emit.Builder).Max)},
		opVMin: {floats: ofTwo(func(x, y float64) float64 {
			if x < y {
				return x
			}
			return y
		}), lower: build2((*emit.Builder).Min)},

		opAnd: {infix: "&", ints: onBits(func(x, y uint64) uint64 { return x & y }), lower: build2((*emit.Builder).And)},
		opOr:  {infix: "|", ints: onBits(func(x, y uint64) uint64 { return x | y }), lower: build2((*emit.Builder).Or)},
		opXor: {infix: "^", ints: onBits(func(x, y uint64) uint64 { return x ^ y }), lower: build2((*emit.Builder).Xor)},
		opNot: {lower: build1((*emit.Builder).Not)},

		opShl:     {ints: func(n *node, x []*node) uint64 { return x[0].bits << n.bits }, lower: buildBy((*emit.Builder).Shl)},
		opShr:     {ints: func(n *node, x []*node) uint64 { return x[0].bits >> n.bits }, lower: buildBy((*emit.Builder).Shr)},
		opSar:     {ints: func(n *node, x []*node) uint64 { return uint64(intOf(n.t, x[0].bits) >> n.bits) }, lower: buildBy((*emit.Builder).Sar)},
		opShlBy:   {ints: onBits(func(x, y uint64) uint64 { return x << y }), lower: build2((*emit.Builder).Shl)},
		opShrBy:   {ints: onBits(func(x, y uint64) uint64 { return x >> y }), lower: build2((*emit.Builder).Shr)},
		opSarBy:   {ints: func(_ *node, x []*node) uint64 { return uint64(x[0].int() >> x[1].bits) }, lower: build2((*emit.Builder).Sar)},
		opQuo:     {infix: "/", ints: quotient, lower: (*lowering).divide},
		opRem:     {infix: "%", ints: quotient, lower: (*lowering).divide},
		opOnes:    {ints: func(_ *node, x []*node) uint64 { return uint64(mathbits.OnesCount64(x[0].bits)) }, lower: build1((*emit.Builder).OnesCount)},
		opLeading: {ints: func(n *node, x []*node) uint64 { return uint64(n.t.Bits() - mathbits.Len64(x[0].bits)) }, lower: build1((*emit.Builder).LeadingZeros)},

		opCall: {lower: (*lowering).call},
		opCmp: {lower: func(l *lowering, n *node, x []*emit.Value) *emit.Value {
			return l.compare(n.args[0].t, n.name, x[0], x[1])
		}},
		opSelect: {lower: func(l *lowering, _ *node, x []*emit.Value) *emit.Value { return l.b.Select(x[0], x[1], x[2]) }},
		opConv:   {lower: func(l *lowering, n *node, x []*emit.Value) *emit.Value { return l.convert(n, x[0]) }},
		opBits:   {lower: func(l *lowering, n *node, x []*emit.Value) *emit.Value { return l.reread(n.t.Elem(), x[0]) }},
		opTable:  {lower: func(l *lowering, n *node, x []*emit.Value) *emit.Value { return l.b.Table(n.t.Elem(), n.table, x[0]) }},
		opParam:  {lower: func(l *lowering, n *node, _ []*emit.Value) *emit.Value { return l.args[n.bits] }},
	}
	for o, row := range ops {
		if row.math != "" { // whatever package vmath has of this name
			mathFuncs["math."+row.math] = func(t *translator, x []*node) (*node, string) { return t.node(op(o), Float64, "", 0, x...), "" }
		}
	}
}

// ofOne and ofTwo are functions of numbers, and onBits of the bits of integers.
func ofOne(f func(x float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0]) }
}

func ofTwo(f func(x, y float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0], v[1]) }
}

func onBits(f func(x, y uint64) uint64) func(*node, []*node) uint64 {
	return func(_ *node, x []*node) uint64 { return f(x[0].bits, x[1].bits) }
}

// larger is the larger of two integers, if first is 0, or the one that is not.
func larger(first int) func(*node, []*node) uint64 {
	return func(_ *node, x []*node) uint64 {
		if holds("lt", x[0], x[1]) {
			return x[1-first].bits
		}
		return x[first].bits
	}
}

// quotient is x / y or x % y; y is not 0.
func quotient(n *node, v []*node) uint64 {
	switch x, y := v[0], v[1]; {
	case x.t.Signed() && y.int() == -1: // also of the least number, which has no opposite
		if n.op == opRem {
			return 0
		}
		return -x.bits
	case x.t.Signed() && n.op == opQuo:
		return uint64(x.int() / y.int())
	case x.t.Signed():
		return uint64(x.int() % y.int())
	case n.op == opQuo:
		return x.bits / y.bits
	default:
		return x.bits % y.bits
	}
}

// build1 and build2 are operations that the builder has, and buildBy one whose second operand is a constant.
func build1(f func(b *emit.Builder, x *emit.Value) *emit.Value) func(*lowering, *node, []*emit.Value) *emit.Value {
	return func(l *lowering, _ *node, x []*emit.Value) *emit.Value { return f(l.b, x[0]) }
}

func build2(f func(b *emit.Builder, x, y *emit.Value) *emit.Value) func(*lowering, *node, []*emit.Value) *emit.Value {
	return func(l *lowering, _ *node, x []*emit.Value) *emit.Value { return f(l.b, x[0], x[1]) }
}

func buildBy(f func(b *emit.Builder, x, y *emit.Value) *emit.Value) func(*lowering, *node, []*emit.Value) *emit.Value {
	return func(l *lowering, n *node, x []*emit.Value) *emit.Value {
		return f(l.b, x[0], l.constant(n.t.Elem(), n.bits))
	}
}

// extreme is max or min: f of floats.
func extreme(f func(b *emit.Builder, x, y *emit.Value) *emit.Value) func(*lowering, *node, []*emit.Value) *emit.Value {
	return func(l *lowering, n *node, x []*emit.Value) *emit.Value {
		if n.t.Float() {
			return f(l.b, x[0], x[1])
		}
		return l.extreme(n, x)
	}
}

func rounds(how string) func(*lowering, *node, []*emit.Value) *emit.Value {
	return func(l *lowering, _ *node, x []*emit.Value) *emit.Value { return l.b.Round(how, x[0]) }
}
