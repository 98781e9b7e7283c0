package fn

import (
	"fmt"
	"strings"
)

// The expressions of the writer. None of them is a constant, so that none can be
// refused by the compiler for its value.

// variable names one of type t, or converts another.
func (w *writer) variable(t Type) string {
	var list []string
	for _, v := range append(w.vars[:len(w.vars):len(w.vars)], w.fixed...) {
		if v.t == t {
			list = append(list, v.name)
		}
	}
	for _, a := range w.arrays {
		if a.t == t {
			list = append(list, fmt.Sprintf("%s[%s]", a.name, w.index(a.n)))
		}
	}
	if list != nil { // the last ones first, so that what is computed is used
		return list[max(w.n(len(list)), w.n(len(list)))]
	}
	from := w.n(len(w.vars))
	for i := range w.vars { // integers convert to each other, and to floats
		switch v := w.vars[(from+i)%len(w.vars)]; {
		case !v.t.Int():
		case t.Int():
			return fmt.Sprintf("%v(%s)", t, v.name)
		case t.Float():
			return fmt.Sprintf("%v(int32(%s))", t, v.name)
		}
	}
	for i := range w.vars {
		switch v := w.vars[(from+i)%len(w.vars)]; {
		case v.t.Float() && t.Float():
			return fmt.Sprintf("%v(%s)", t, v.name)
		case v.t.Float() && t == Bool:
			return fmt.Sprintf("(%s > 0)", v.name)
		case v.t.Float():
			return fmt.Sprintf("%v(clip(%s, 0, 100))", t, v.name)
		case v.t.Int() && t == Bool:
			return fmt.Sprintf("(%s > 0)", v.name)
		case v.t == Bool:
			return fmt.Sprintf("pick(%s, %v(1), 0)", v.name, t)
		}
	}
	return fmt.Sprintf("pick(true, %v(1), 0)", t) // everything is shadowed
}

func (w *writer) constant(t Type) string {
	switch {
	case t == Bool:
		return w.oneOf("true", "false")
	case t.Float():
		return w.oneOf("0", "1", "-1", "0.5", "3", "0.1", "-2.75", "1e-3", "128", "1e10", "third", "tiny", "huge", "-0.25", "16777217", "1048576.5")
	case t.Signed():
		return w.oneOf("0", "1", "-1", "7", "100", "-128", "64", "bits7", "2")
	}
	return w.oneOf("0", "1", "2", "7", "100", "255", "bits7")
}

// right is an expression that may be a constant, since it stands where only its
// type matters.
func (w *writer) right(t Type, depth int) string {
	if w.n(4) == 3 {
		return w.constant(t)
	}
	return w.expr(t, depth)
}

func (w *writer) expr(t Type, depth int) string {
	if w.size--; depth <= 0 || w.size < -150 || w.n(10) == 0 {
		return w.variable(t)
	}
	depth--
	if w.n(12) == 11 {
		return w.lookup(t, depth)
	}
	for _, s := range w.funcs {
		if len(s.out) == 1 && s.out[0] == t && w.n(4) == 3 {
			return w.callOf(s, depth-1)
		}
	}
	if w.n(12) == 11 {
		return fmt.Sprintf("pick(%s, %s, %s)", w.expr(Bool, depth), w.expr(t, depth), w.right(t, depth))
	}
	switch {
	case t == Bool:
		return w.bool(depth)
	case t.Float():
		return w.float(t, depth)
	}
	return w.int(t, depth)
}

func (w *writer) bool(depth int) string {
	switch w.n(7) {
	case 0:
		return "!(" + w.expr(Bool, depth) + ")"
	case 1:
		return "(" + w.expr(Bool, depth) + w.oneOf(" && ", " || ", " == ", " != ") + w.expr(Bool, depth) + ")"
	case 2:
		x := "float64(" + w.expr(Float32, depth) + ")"
		return w.oneOf("math.IsNaN("+x+")", "math.IsInf("+x+", 0)", "math.IsInf("+x+", -1)", "math.Signbit("+x+")")
	case 3: // compared in float64, with what float32 may not hold
		return fmt.Sprintf("(float64(%s) %s %s)", w.expr(Float32, depth), w.oneOf("<", "<=", ">", ">=", "==", "!="), w.constant(Float64))
	}
	t := w.typ()
	if t == Bool {
		t = Float32
	}
	return "(" + w.expr(t, depth) + w.oneOf(" < ", " <= ", " > ", " >= ", " == ", " != ") + w.right(t, depth) + ")"
}

// count is by how much an integer of type t is shifted.
func (w *writer) count(t Type) string {
	for _, v := range w.fixed {
		if v.t.Int() && w.n(3) == 2 {
			return v.name
		}
	}
	return fmt.Sprint(w.n(t.Bits() + 2))
}

func (w *writer) sumOfProducts(t Type, depth int) string {
	p := fmt.Sprintf("%s * %s", w.expr(t, depth), w.right(t, depth))
	return "(" + w.oneOf(
		fmt.Sprintf("%s + %s", p, w.right(t, depth)),
		fmt.Sprintf("%s - %s", w.expr(t, depth), p),
		fmt.Sprintf("%s - %s", p, w.expr(t, depth)),
		fmt.Sprintf("-(%s) - %s", p, w.expr(t, depth)),
		fmt.Sprintf("%v(%s) + %s", t, p, w.expr(t, depth)),
		fmt.Sprintf("%s + %s*%s", p, w.expr(t, depth), w.right(t, depth)),
	) + ")"
}

// zero is a number that operations may leave alone: a zero with either sign, one,
// a power of two, infinity.
func (w *writer) zero(t Type) string {
	return fmt.Sprintf("%v(%s)", t, w.oneOf("0", "math.Copysign(0, -1)", "1", "-1", "4", "0x1p-126", "0x1p127", "math.Inf(1)", "math.NaN()"))
}

func (w *writer) float(t Type, depth int) string {
	lib := func(name string, args ...string) string {
		return fmt.Sprintf("%v(math.%s(float64(%s)))", t, name, strings.Join(args, "), float64("))
	}
	x := func() string { return w.expr(t, depth) }
	y := func() string { return w.right(t, depth) }
	switch w.n(23) {
	case 0:
		return "-(" + x() + ")"
	case 20, 21: // the greater or lesser, by comparison
		a, b := w.variable(t), w.variable(t)
		if w.n(3) == 2 {
			b = w.zero(t)
		}
		c := fmt.Sprintf("%s %s %s", a, w.oneOf("<", "<=", ">", ">=", "==", "!="), b)
		if w.n(4) == 3 {
			c = "!(" + c + ")"
		}
		return fmt.Sprintf("pick(%s, %s)", c, w.oneOf(a+", "+b, b+", "+a))
	case 22:
		return fmt.Sprintf("(%s %s %s)", x(), w.oneOf("+", "-", "*", "/"), w.zero(t))
	case 1:
		return fmt.Sprintf("%s(%s, %s)", w.oneOf("max", "min"), x(), y())
	case 2:
		return fmt.Sprintf("%s(%s, %s, %s)", w.oneOf("max", "min"), x(), y(), x())
	case 3, 4:
		return lib(w.oneOf("Floor", "Ceil", "Trunc", "RoundToEven", "Round", "Abs", "Sqrt"), x())
	case 5:
		return lib(w.oneOf("Max", "Min", "Copysign", "Dim"), x(), y())
	case 6:
		return fmt.Sprintf("%v(%s)", t, w.expr([]Type{Int32, Uint8, Int16, Int64, Uint32, Int8, Uint16}[w.n(7)], depth))
	case 7:
		return fmt.Sprintf("%v(%s >> %d)", t, w.expr(Uint64, depth), w.n(20))
	case 8:
		other := Float32 + Float64 - t
		return fmt.Sprintf("%v(%s)", t, w.expr(other, depth))
	case 9:
		return fmt.Sprintf("clip(%s, %s, %s)", x(), y(), y())
	case 10:
		return fmt.Sprintf("lerp(%s, %s, %s)", x(), y(), y())
	case 11:
		return fmt.Sprintf("scale(%s)", x())
	case 12:
		return fmt.Sprintf("%v(%s)", t, x()) // rounds, which it already was
	case 13:
		if t == Float32 {
			return w.oneOf(
				fmt.Sprintf("math.Float32frombits(%s)", w.expr(Uint32, depth)),
				fmt.Sprintf("dot3([3]float32{%s, %s, %s}, [3]float32{0: %s, 2: %s})", x(), y(), y(), x(), y()))
		}
		return w.oneOf(fmt.Sprintf("math.Float64frombits(%s)", w.expr(Uint64, depth)), lib("FMA", x(), y(), y()))
	case 14:
		return w.sumOfProducts(t, depth-1)
	case 15: // what is computed in float64 and rounded
		return fmt.Sprintf("%v(float64(%s) %s float64(%s))", t, x(), w.oneOf("+", "-", "*", "/"), x())
	}
	return fmt.Sprintf("(%s %s %s)", x(), w.oneOf("+", "-", "*", "/"), y())
}

func (w *writer) int(t Type, depth int) string {
	x := func() string { return w.expr(t, depth) }
	switch w.n(20) {
	case 15, 16, 17:
		return w.division(t, depth)
	case 18:
		return w.bitsOf(t, depth)
	case 19:
		return w.shiftBy(t, depth)
	case 14:
		a, b := w.variable(t), w.variable(t)
		if w.n(3) == 2 {
			b = w.constant(t)
		}
		return fmt.Sprintf("pick(%s %s %s, %s)", a, w.oneOf("<", "<=", ">", ">="), b, w.oneOf(a+", "+b, b+", "+a))
	case 0:
		return fmt.Sprintf("(%s %s %s)", x(), w.oneOf("<<", ">>"), w.count(t))
	case 1:
		return fmt.Sprintf("(%s %s %d)", x(), w.oneOf("/", "%"), 1<<w.n(7))
	case 2:
		if t.Signed() {
			return fmt.Sprintf("(%s %s %d)", x(), w.oneOf("/", "%"), -1<<w.n(7))
		}
		return fmt.Sprintf("(%s %s %d)", x(), w.oneOf("/", "%"), uint64(1)<<(t.Bits()-1))
	case 3:
		return fmt.Sprintf("%s(%s, %s)", w.oneOf("max", "min"), x(), w.right(t, depth))
	case 4, 5:
		u := w.typ()
		if !u.Int() {
			u = Int64
		}
		return fmt.Sprintf("%v(%s)", t, w.expr(u, depth))
	case 6, 7: // from a float, kept in range in one of several ways
		u := w.floatType()
		lo, hi := "-100", w.oneOf("100", "127", "127.5", "27.25")
		if !t.Signed() {
			lo = w.oneOf("0", "-0.5")
		}
		switch w.n(4) {
		case 0:
			return fmt.Sprintf("%v(max(%s, min(%s, %s)))", t, lo, hi, w.expr(u, depth))
		case 1:
			return fmt.Sprintf("%v(clip(number(%s), %s, %s))", t, w.expr(u, depth), lo, hi)
		case 2:
			return fmt.Sprintf("%v(math.Max(%s, math.Min(%s, math.Round(float64(%s)))))", t, lo, hi, w.expr(u, depth))
		}
		return fmt.Sprintf("%v(math.Abs(float64(clip(%s, -50, %s))))", t, w.expr(u, depth), hi)
	case 8:
		return w.oneOf("-", "^") + "(" + x() + ")"
	case 9:
		switch t {
		case Uint32:
			return fmt.Sprintf("math.Float32bits(%s)", w.expr(Float32, depth))
		case Uint64:
			return fmt.Sprintf("math.Float64bits(%s)", w.expr(Float64, depth))
		case Int32, Int64:
			return fmt.Sprintf("clip(%s, %s, %s)", x(), w.right(t, depth), w.right(t, depth))
		}
	case 10: // in range by the path, if a condition before said so
		if v := w.pickVar(Float32); v != "" && t.Signed() {
			return fmt.Sprintf("%v(%s)", t, v)
		}
	}
	return fmt.Sprintf("(%s %s %s)", x(), w.oneOf("+", "-", "*", "&", "|", "^", "&^"), w.right(t, depth))
}
