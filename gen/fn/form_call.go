package fn

import "go/ast"

func init() {
	builtinForms = []builtinForm{
		{form{"max(x, y, ...)", "floats: NaN if one is, +0 above -0", "Extremes"}, []string{"max"}, extremes(opMax)},
		{form{"min(x, y, ...)", "floats: NaN if one is, -0 below +0", "Extremes"}, []string{"min"}, extremes(opMin)},
		{form{"len(a), cap(a)", "a constant: of an array or a slice literal", "Length"}, []string{"len", "cap"}, (*translator).length},
	}
	conversionForms = []conversionForm{
		{form{"between types that differ in name only, such as bool and `type mask bool`", "no instruction", "SameKind"},
			func(from, to Type) bool { return from == to && !to.Float() }, func(_ *translator, _ *ast.CallExpr, _ Type, x *node) value { return value{n: x} }},
		{form{"float to float", "rounded to nearest even; T(x) of a T is an explicit rounding, before which nothing is fused", "Floats"}, kinds(Type.Float, Type.Float),
			func(t *translator, _ *ast.CallExpr, to Type, x *node) value { return value{n: t.convert(to, 0, x)} }},
		{form{"integer to float", "rounded to nearest even. A uint64 has to be below 1<<63 by what is known of it", "IntToFloat"}, kinds(Type.Int, Type.Float), (*translator).intToFloat},
		{form{"float to integer", "towards zero; it has to be in range by what is known of it: clamp it first. The nearest, as int8(math.RoundToEven(float64(x))) is, costs the same. A NaN becomes whatever the machine makes of it", "FloatToInt"}, kinds(Type.Float, Type.Int), (*translator).floatToInt},
		{form{"integer to integer", "the low bits, or the sign or zeros on top", "IntToInt"}, kinds(Type.Int, Type.Int),
			func(t *translator, _ *ast.CallExpr, to Type, x *node) value { return value{n: t.convert(to, 0, x)} }},
	}
}

func kinds(x, y func(Type) bool) func(from, to Type) bool {
	return func(from, to Type) bool { return x(from) && y(to) }
}

// refusedBuiltins are the builtins with a sentence of their own.
var refusedBuiltins = map[string]string{
	"panic":  "panic has no place in a lane; return a NaN or an operand instead",
	"new":    "new makes memory, which has no place in a lane; use an array of fixed length",
	"make":   "make makes memory, which has no place in a lane; use an array of fixed length",
	"append": "append makes memory, which has no place in a lane; use an array of fixed length",
}

// extremes is the builtin that folds its arguments by an operation.
func extremes(o op) func(*translator, *ast.CallExpr) value {
	return func(t *translator, e *ast.CallExpr) value {
		x := t.expr(e.Args[0])
		for _, a := range e.Args[1:] {
			x = t.extreme(o, x, t.expr(a))
		}
		return x
	}
}

// length is len or cap of what has a known one.
func (t *translator) length(e *ast.CallExpr) value {
	if x := t.expr(e.Args[0]); !x.bad() {
		return value{n: t.bitsConst(Int64, uint64(len(x.parts)))}
	}
	return value{}
}
