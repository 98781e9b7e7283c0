package fn

import (
	"go/token"
)

// op is what a node computes.
type op uint8

// The operations. Those of floating-point numbers round once, in their type.
const (
	opConst   op = iota
	opParam      // bits is the number of the parameter
	opAdd        // integers wrap
	opSub        //
	opMul        //
	opDiv        // of floats only
	opNeg        // of floats: the sign bit changes
	opFMA        // x*y + z
	opSqrt       //
	opFloor      //
	opCeil       //
	opTrunc      //
	opEven       // to the nearest integer, ties to even
	opAway       // to the nearest integer, ties away from zero
	opAbs        // of floats: the sign bit is cleared
	opSign       // x with the sign of y
	opMax        // Go's max of floats: a NaN wins, then +0 over -0
	opMin        //
	opMathMax    // math.Max: +Inf wins, then a NaN, then +0 over -0
	opMathMin    //
	opVMax       // x if x > y, else y
	opVMin       // x if x < y, else y
	opCall       // name(args...)
	opCmp        // name of (x, y)
	opSelect     // y if x, else z
	opAnd        // of integers and truth values
	opOr         //
	opXor        //
	opNot        // of a truth value
	opShl        // by bits, less than the width
	opShr        // zeros come in
	opSar        // the sign comes in
	opConv       // to another type; a float to an integer is in range by proof
	opBits       // the same bits read as another type
	opRounded    // the operand; a product under it is not fused
	opQuo        // of integers, towards zero; y is not 0; bits 1 and 2 say that x and y are not negative
	opRem        // what opQuo leaves, with the sign of x
	opShlBy      // x << y; y is below the width
	opShrBy      // zeros come in
	opSarBy      // the sign comes in
	opOnes       // how many bits are set
	opLeading    // how many zeros a number without sign begins with
	opTable      // element x of table, which name stands for; x is below its length
)

// node is one value of the expression that a function computes. Nodes with the
// same operation and operands are the same node.
type node struct {
	op    op
	t     Type
	name  string // cmp: the predicate; call: the function, as "math.Exp"; rounded: "quotient" if it was one
	bits  uint64 // const, param, shifts
	args  []*node
	table []uint64  // of opTable: the bits of its elements
	id    int       // in order of making: operands before users
	pos   token.Pos // where it was made first
}

type nodeKey struct {
	op      op
	t       Type
	name    string
	bits    uint64
	x, y, z *node
}

// graph makes nodes.
type graph struct {
	memo map[nodeKey]*node
	n    int
	pos  token.Pos // of nodes being made
	pieces
	promises []fact // the ranges of parameters
}

// raw returns the node without any simplification.
func (g *graph) raw(o op, t Type, name string, bits uint64, args ...*node) *node {
	k := nodeKey{op: o, t: t, name: name, bits: bits}
	for i, a := range args {
		switch i {
		case 0:
			k.x = a
		case 1:
			k.y = a
		default:
			k.z = a
		}
	}
	if n := g.memo[k]; n != nil {
		return n
	}
	n := &node{op: o, t: t, name: name, bits: bits, args: args, id: g.n, pos: g.pos}
	g.n++
	g.memo[k] = n
	return n
}

// bitsConst returns a constant by its bits.
func (g *graph) bitsConst(t Type, bits uint64) *node {
	return g.raw(opConst, t, "", truncateTo(t, bits))
}

// float returns x rounded to t.
func (g *graph) float(t Type, x float64) *node { return g.bitsConst(t, floatBits(t, x)) }

func (g *graph) bool(x bool) *node {
	if x {
		return g.bitsConst(Bool, 1)
	}
	return g.bitsConst(Bool, 0)
}

func (n *node) isConst() bool { return n.op == opConst }

// isBool reports whether n is the constant x.
func (n *node) isBool(x bool) bool { return n.isConst() && n.t == Bool && (n.bits == 1) == x }

// isInt reports whether n is an integer constant with the value x.
func (n *node) isInt(x int64) bool { return n.isConst() && n.t.Int() && n.int() == x }

// int returns an integer constant as a two's complement number.
func (n *node) int() int64 { return intOf(n.t, n.bits) }

// float returns a floating-point constant.
func (n *node) float() float64 { return floatOf(n.t, n.bits) }

func intOf(t Type, bits uint64) int64 {
	if !t.Signed() {
		return int64(bits)
	}
	s := 64 - t.Bits()
	return int64(bits<<s) >> s
}

func truncateTo(t Type, bits uint64) uint64 {
	if t.Bits() < 64 {
		bits &= 1<<t.Bits() - 1
	}
	return bits
}

// floatOf and floatBits read and write a floating-point number, of a storage type
// too.
func floatOf(t Type, bits uint64) float64 { return t.Elem().Decode(bits) }

func floatBits(t Type, x float64) uint64 { return t.Elem().Encode(x) }

// reachable returns the nodes that the given ones are computed from, operands
// first.
func reachable(from []*node) []*node {
	var order []*node
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.args {
			visit(a)
		}
		order = append(order, n)
	}
	for _, n := range from {
		visit(n)
	}
	return order
}
