// Expressions of a function that is written as Go: constants, operators, calls of package math, conversions
// and bits.

package fn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// expr is n as an operand of anything.
func (x *text) expr(n *node) string {
	switch {
	case x.names[n] != "":
		return x.names[n]
	case n.isConst():
		return x.literal(n)
	case n.op == opSelect || guarded(n):
		x.variable(n)
		s := x.names[n]
		delete(x.names, n) // it stands in one block
		return s
	}
	return x.operation(n)
}

// literal is a constant.
func (x *text) literal(n *node) string {
	switch {
	case n.t == Bool:
		return strconv.FormatBool(n.bits == 1)
	case n.t.Storage():
		x.imports[dtypePath] = true
		return fmt.Sprintf("%sFromBits(%d)", n.t, n.bits)
	case n.t.Int() && n.t.Signed():
		return strconv.FormatInt(n.int(), 10)
	case n.t.Int():
		return strconv.FormatUint(n.bits, 10)
	}
	v := n.float()
	s := x.float(v, n.t.Bits())
	if v-v != 0 || v == 0 && math.Signbit(v) {
		return x.typ(n) + "(" + s + ")"
	}
	return s
}

// float is a number of a type of so many bits.
func (x *text) float(v float64, bits int) string {
	switch {
	case v != v:
		x.imports["math"] = true
		return "math.NaN()"
	case math.IsInf(v, 0):
		x.imports["math"] = true
		return fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, v)))
	case v == 0 && math.Signbit(v):
		x.imports["math"] = true
		return "math.Copysign(0, -1)"
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', -1, bits), "e+", "e", 1)
}

var goPredicates = map[string]string{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

// operation is n as an expression.
func (x *text) operation(n *node) string {
	if name := ops[n.op].math; name != "" {
		return x.math("math."+name, n)
	}
	if n.op == opCall {
		return x.math(n.name, n)
	}
	a := make([]string, len(n.args))
	for i, arg := range n.args {
		a[i] = x.expr(arg)
		if s := goOperator(arg); s != "" && x.names[arg] == "" { // parentheses where Go's precedence would ask for them, or a reader
			own := goOperator(n)
			if n.op == opNeg || n.op == opNot || own != "" && !(i == 0 && s == own && s != "/") && !(tighter(s, own)) {
				a[i] = "(" + a[i] + ")"
			}
		}
	}
	if s := goOperator(n); s != "" {
		return a[0] + " " + s + " " + a[1]
	}
	switch n.op {
	case opNeg:
		return "-" + a[0]
	case opNot:
		return "!" + a[0]
	case opMax, opMin:
		return map[op]string{opMax: "max", opMin: "min"}[n.op] + "(" + a[0] + ", " + a[1] + ")"
	case opVMax, opVMin:
		s := x.name("v")
		x.line("%s := %s(%s)\nif %s %s %[1]s {\n%[1]s = %[4]s\n}", s, x.typ(n), a[1], a[0], map[op]string{opVMax: ">", opVMin: "<"}[n.op])
		return s
	case opRounded:
		return x.typ(n) + "(" + a[0] + ")"
	case opConv:
		return x.conversion(n, a[0])
	case opBits:
		return x.reread(n, a[0])
	case opShl, opShr, opSar, opShlBy, opShrBy, opSarBy:
		return x.shift(n, a)
	case opOnes, opLeading:
		x.imports["math/bits"] = true
		name := map[op]string{opOnes: "OnesCount", opLeading: "LeadingZeros"}[n.op]
		return fmt.Sprintf("%s(bits.%s%d(uint%[3]d(%s)))", x.typ(n), name, n.t.Bits(), a[0])
	}
	panic(fmt.Sprintf("fn: operation %d of %v is not written as Go", n.op, n.t)) // a row is missing above
}

// goOperator is the operator that Go has for n, or "".
func goOperator(n *node) string {
	switch {
	case n.op == opCmp:
		return goPredicates[n.name]
	case n.t == Bool:
		return map[op]string{opAnd: "&&", opOr: "||", opXor: "!="}[n.op]
	}
	return ops[n.op].infix
}

// tighter reports whether s needs no parentheses as an operand of own.
func tighter(s, own string) bool {
	switch own {
	case "+", "-":
		return s == "*" || s == "/"
	case "&&", "||":
		return slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, s)
	case "<", "<=", ">", ">=", "==", "!=":
		return slices.Contains([]string{"+", "-", "*", "/"}, s)
	}
	return false
}

// math is a call of a function of package math, in float64.
func (x *text) math(name string, n *node) string {
	x.imports["math"] = true
	narrow := n.t == Float32 || x.generic(n)
	var list []string
	for _, a := range n.args {
		s := x.expr(a)
		if narrow && !(a.isConst() && x.names[a] == "") {
			s = "float64(" + s + ")"
		}
		list = append(list, s)
	}
	s := name + "(" + strings.Join(list, ", ") + ")"
	if narrow {
		s = x.typ(n) + "(" + s + ")"
	}
	return s
}

func (x *text) conversion(n *node, a string) string {
	from := n.args[0].t
	switch {
	case n.t.Storage():
		x.imports[dtypePath] = true
		return "dtype.To" + strings.TrimPrefix(n.t.String(), "dtype.") + "(" + a + ")"
	case from.Storage():
		return "(" + a + ")." + map[Type]string{Float32: "Float32", Float64: "Float64"}[n.t] + "()"
	}
	return x.typ(n) + "(" + a + ")"
}

// reread is the bits of a as another type.
func (x *text) reread(n *node, a string) string {
	from := n.args[0].t
	switch {
	case from.Storage():
		a = "(" + a + ").Bits()"
	case from.Float():
		x.imports["math"] = true
		a = fmt.Sprintf("math.Float%dbits(%s)", from.Bits(), a)
	}
	bits := fmt.Sprintf("uint%d(%s)", n.t.Bits(), a)
	switch {
	case n.t.Storage():
		x.imports[dtypePath] = true
		return n.t.String() + "FromBits(" + bits + ")"
	case n.t.Float():
		x.imports["math"] = true
		return fmt.Sprintf("math.Float%dfrombits(%s)", n.t.Bits(), bits)
	}
	return x.typ(n) + "(" + a + ")"
}

// shift is a shift of bits: what comes in from the left is zeros or the sign, which Go takes from the type.
func (x *text) shift(n *node, a []string) string {
	by, sign := fmt.Sprint(n.bits), "uint"
	if len(a) > 1 {
		by = fmt.Sprintf("uint64(%s)", a[1])
	}
	o := ">>"
	switch n.op {
	case opSar, opSarBy:
		sign = "int"
	case opShl, opShlBy:
		o = "<<"
	}
	return fmt.Sprintf("%s(%s%d(%s) %s %s)", x.typ(n), sign, n.t.Bits(), a[0], o, by)
}
