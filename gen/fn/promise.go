package fn

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/ranges"
)

// Promises are the ranges of operands that a spec states. They are facts on every path, so that what needs a proof has it,
// such as a conversion without a clamp, and a comparison that they decide is not made. An operand that breaks
// its promise may give any number. It must not reach memory that is not the function's. So what keeps an index in a table,
// and a divisor from 0, is decided without them.

// promise notes the range of a parameter, if it has one.
func (g *graph) promise(within []ranges.Range, param *node) {
	if i := int(param.bits); i < len(within) && within[i] != (ranges.Range{}) {
		g.promises = append(g.promises, fact{cond: param, within: &interval{within[i].Low, within[i].High}})
	}
}

// strictly makes nodes as if nothing was promised.
func (g *graph) strictly(f func() *node) *node {
	kept := g.promises
	g.promises = nil
	n := f()
	g.promises = kept
	return n
}

// numbers are the parameters that are promised not to be NaN.
func (g *graph) numbers() (list []*node) {
	for _, f := range g.promises {
		list = append(list, f.cond)
	}
	return list
}

// promised returns what an operation comes to wherever the promises hold: a comparison whose outcome is known, and
// an operand that a maximum, a minimum or a size always is. Nil means that they do not tell.
func (g *graph) promised(o op, name string, args []*node) *node {
	if g.promises == nil {
		return nil
	}
	switch o {
	case opCmp:
		if is, ok := g.decided(name, args[0], args[1]); ok {
			return g.bool(is)
		}
	case opMax, opMathMax, opVMax, opMin, opMathMin, opVMin: // zeros differ in sign, so equal numbers tell nothing
		wins := "gt"
		if o == opMin || o == opMathMin || o == opVMin {
			wins = "lt"
		}
		x, y := args[0], args[1]
		if is, ok := g.decided(wins, x, y); ok && is {
			return x
		}
		if is, ok := g.decided(wins, y, x); ok && is {
			return y
		}
	case opAbs:
		x := args[0]
		switch r := rangeOf(x, g.promises); {
		case r.lo > r.hi || !number(x, g.numbers()):
		case r.lo > 0:
			return x
		case r.hi < 0:
			return g.unary(opNeg, x)
		}
	}
	return nil
}

// decided returns the outcome of a comparison that the promises tell.
func (g *graph) decided(name string, x, y *node) (is, ok bool) {
	if t := x.t; !t.Float() && (!t.Int() || t.Bits() > 32) { // whose intervals are not exact
		return false, false
	}
	a, b := rangeOf(x, g.promises), rangeOf(y, g.promises)
	if a.lo > a.hi || b.lo > b.hi { // no number
		return false, false
	}
	nums := g.numbers()
	numbers := number(x, nums) && number(y, nums)
	if name == "gt" || name == "ge" {
		name, a, b = mirror[name], b, a
	}
	// Where there may be a NaN, all but ne do not hold.
	switch apart := a.hi < b.lo || b.hi < a.lo; name {
	case "lt":
		return a.hi < b.lo, a.lo >= b.hi || numbers && a.hi < b.lo
	case "le":
		return a.hi <= b.lo, a.lo > b.hi || numbers && a.hi <= b.lo
	case "eq":
		return false, apart
	case "ne":
		return true, apart
	}
	return false, false
}

// Promises says of which numbers the function is, an operand a line: those whose range is stated.
func (f *Func) Promises() (lines []string) {
	for _, p := range f.graph.promises {
		name := fmt.Sprintf("operand %d", p.cond.bits+1)
		if i := int(p.cond.bits); i < f.root.sig.Params().Len() && f.root.sig.Params().At(i).Name() != "" {
			name = f.root.sig.Params().At(i).Name()
		}
		bits := 32
		if p.cond.t.Int() || p.cond.t == Float64 {
			bits = 64
		}
		lines = append(lines, name+" is "+ranges.Range{Low: p.within.lo, High: p.within.hi}.Text(bits))
	}
	return lines
}
