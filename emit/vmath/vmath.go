// Package vmath builds mathematical functions from IR operations. Exp, for example,
// appends to a builder the operations that compute e^x in every lane. Start with [Exp],
// then [Lookup], which says which Go function each one stands for and how exact it is.
//
// Every function is defined for all inputs of f32 and f64, scalars and vectors of any
// length. NaN gives NaN. Infinities, signed zeros and denormals, as arguments and as
// results, are those of package math. There are no branches, tables or gathers. The
// result of a lane depends neither on other lanes nor on the machine.
//
// # Exactness
//
// An ulp is the distance between neighbouring numbers of the type. For f32 the bounds
// hold for all 2^32 inputs against the correctly rounded result. testdata/record.txt
// says when a test last established that, for which operations, and the first input
// with the greatest distance. For f64 the bounds come from a test against math/big
// (testdata/f64.txt) and package math.
//
// # Cost
//
// Counts of operations exclude constants, which a loop keeps in registers or reads
// from memory as operands, and bitcasts, which cost nothing.
//
// # Large arguments
//
// [Sin], [Cos] and [Tan] reduce every number with as many bits of 2/pi as it needs, by
// selects in the lanes. Pow uses a logarithm of twice the precision.
package vmath

import (
	"maps"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// Func describes a function.
type Func struct {
	// Name is the Go function that it stands for: "math.Exp", or "max" for the
	// builtin. On f64 lanes it is math.Exp(x), on f32 lanes
	// float32(math.Exp(float64(x))).
	Name string
	Doc  string // one sentence
	Args int
	// Domain says which operands give a number; others give NaN. Empty is all but NaN.
	Domain string
	// Within reports whether the function may be used on x; nil: on everything.
	Within func(x ...float64) bool
	// F32ULP and F64ULP bound the distance from the correctly rounded result; 0
	// means that the result is that one.
	F32ULP, F64ULP float64
	// F32Ops and F64Ops count operations, see the package's doc.
	F32Ops, F64Ops int
	// Build appends the function of as many operands as Args says, all of one type.
	Build func(b *emit.Builder, x ...*emit.Value) *emit.Value
	// Ref is the function in float64, to compare with.
	Ref func(x ...float64) float64
}

// Lookup returns the function that stands for a Go function, or nil.
func Lookup(name string) *Func { return funcs[name] }

// Names returns the names that [Lookup] knows, in order.
func Names() []string { return slices.Sorted(maps.Keys(funcs)) }

var funcs = map[string]*Func{}

func init() {
	one := func(f Func, build func(b *emit.Builder, x *emit.Value) *emit.Value, ref func(float64) float64) {
		f.Args = 1
		f.Build = func(b *emit.Builder, x ...*emit.Value) *emit.Value { return build(b, x[0]) }
		f.Ref = func(x ...float64) float64 { return ref(x[0]) }
		funcs[f.Name] = &f
	}
	two := func(f Func, build func(b *emit.Builder, x, y *emit.Value) *emit.Value, ref func(x, y float64) float64) {
		f.Args = 2
		f.Build = func(b *emit.Builder, x ...*emit.Value) *emit.Value { return build(b, x[0], x[1]) }
		f.Ref = func(x ...float64) float64 { return ref(x[0], x[1]) }
		funcs[f.Name] = &f
	}

	one(Func{Name: "math.Exp", Doc: "e^x", F32ULP: 1, F64ULP: 2, F32Ops: 18, F64Ops: 23}, Exp, math.Exp)
	one(Func{Name: "math.Exp2", Doc: "2^x", F32ULP: 1, F64ULP: 1, F32Ops: 16, F64Ops: 22}, Exp2, math.Exp2)
	one(Func{Name: "math.Expm1", Doc: "e^x - 1", F32ULP: 2, F64ULP: 2, F32Ops: 20, F64Ops: 26}, Expm1, math.Expm1)
	one(Func{Name: "math.Log", Doc: "the natural logarithm", Domain: "x >= 0", F32ULP: 1, F64ULP: 2, F32Ops: 28, F64Ops: 40}, Log, math.Log)
	one(Func{Name: "math.Log1p", Doc: "ln(1+x)", Domain: "x >= -1", F32ULP: 1, F64ULP: 2, F32Ops: 29, F64Ops: 41}, Log1p, math.Log1p)
	one(Func{Name: "math.Log2", Doc: "the binary logarithm", Domain: "x >= 0", F32ULP: 2, F64ULP: 2, F32Ops: 28, F64Ops: 40}, Log2, log2)
	one(Func{Name: "math.Tanh", Doc: "the hyperbolic tangent", F32ULP: 2, F64ULP: 3, F32Ops: 20, F64Ops: 26}, Tanh, math.Tanh)
	one(Func{Name: "math.Erf", Doc: "the error function", F32ULP: 2, F64ULP: 2, F32Ops: 26, F64Ops: 47}, Erf, math.Erf)
	one(Func{Name: "math.Erfc", Doc: "1 minus the error function", F32ULP: 2, F64ULP: 3, F32Ops: 45, F64Ops: 63}, Erfc, math.Erfc)

	one(Func{Name: "math.Log10", Doc: "the decimal logarithm", Domain: "x >= 0", F32ULP: 2, F64ULP: 2, F32Ops: 31, F64Ops: 43}, Log10, math.Log10)
	one(Func{Name: "math.Sin", Doc: "the sine", Domain: "finite x", F32ULP: 1, F64ULP: 1, F32Ops: 126, F64Ops: 157}, Sin, math.Sin)
	one(Func{Name: "math.Cos", Doc: "the cosine", Domain: "finite x", F32ULP: 1, F64ULP: 1, F32Ops: 125, F64Ops: 156}, Cos, math.Cos)
	one(Func{Name: "math.Tan", Doc: "the tangent", Domain: "finite x", F32ULP: 2, F64ULP: 2, F32Ops: 139, F64Ops: 170}, Tan, math.Tan)
	one(Func{Name: "math.Asin", Doc: "the arc sine", Domain: "|x| <= 1", F32ULP: 2, F64ULP: 2, F32Ops: 20, F64Ops: 28}, Asin, math.Asin)
	one(Func{Name: "math.Acos", Doc: "the arc cosine", Domain: "|x| <= 1", F32ULP: 1, F64ULP: 2, F32Ops: 26, F64Ops: 34}, Acos, math.Acos)
	one(Func{Name: "math.Atan", Doc: "the arc tangent", F32ULP: 1, F64ULP: 2, F32Ops: 21, F64Ops: 32}, Atan, math.Atan)
	one(Func{Name: "math.Sinh", Doc: "the hyperbolic sine", F32ULP: 1, F64ULP: 1, F32Ops: 33, F64Ops: 39}, Sinh, math.Sinh)
	one(Func{Name: "math.Cosh", Doc: "the hyperbolic cosine", F32ULP: 1, F64ULP: 1, F32Ops: 29, F64Ops: 35}, Cosh, math.Cosh)
	one(Func{Name: "math.Asinh", Doc: "the inverse hyperbolic sine", F32ULP: 2, F64ULP: 2, F32Ops: 38, F64Ops: 50}, Asinh, math.Asinh)
	one(Func{Name: "math.Acosh", Doc: "the inverse hyperbolic cosine", Domain: "x >= 1", F32ULP: 2, F64ULP: 2, F32Ops: 34, F64Ops: 46}, Acosh, math.Acosh)
	one(Func{Name: "math.Atanh", Doc: "the inverse hyperbolic tangent", Domain: "|x| <= 1", F32ULP: 2, F64ULP: 2, F32Ops: 36, F64Ops: 48}, Atanh, math.Atanh)
	one(Func{Name: "math.Cbrt", Doc: "the cube root", F32ULP: 1, F64ULP: 1, F32Ops: 45, F64Ops: 51}, Cbrt, math.Cbrt)
	two(Func{Name: "math.Pow", Doc: "x^y", Domain: "x >= 0, or y an integer or infinite, or x = -Inf", F32ULP: 2, F64ULP: 2, F32Ops: 111, F64Ops: 122}, Pow, math.Pow)
	two(Func{Name: "math.Atan2", Doc: "the angle of the point (y, x)", F32ULP: 2, F64ULP: 2, F32Ops: 39, F64Ops: 50}, Atan2, math.Atan2)
	two(Func{Name: "math.Hypot", Doc: "the square root of x*x + y*y", F32ULP: 1, F64ULP: 1, F32Ops: 19, F64Ops: 19}, Hypot, math.Hypot)

	one(Func{Name: "math.Sqrt", Doc: "the square root", Domain: "x >= 0", F32Ops: 1, F64Ops: 1}, Sqrt, math.Sqrt)
	one(Func{Name: "math.Abs", Doc: "x without its sign", F32Ops: 1, F64Ops: 1}, Abs, math.Abs)
	one(Func{Name: "math.Floor", Doc: "the greatest integer up to x", F32Ops: 1, F64Ops: 1}, Floor, math.Floor)
	one(Func{Name: "math.Ceil", Doc: "the least integer from x on", F32Ops: 1, F64Ops: 1}, Ceil, math.Ceil)
	one(Func{Name: "math.Trunc", Doc: "the integer part", F32Ops: 1, F64Ops: 1}, Trunc, math.Trunc)
	one(Func{Name: "math.Round", Doc: "the nearest integer, halves away from zero", F32Ops: 4, F64Ops: 4}, Round, math.Round)
	one(Func{Name: "math.RoundToEven", Doc: "the nearest integer, halves to even", F32Ops: 1, F64Ops: 1}, RoundToEven, math.RoundToEven)

	two(Func{Name: "max", Doc: "the builtin: NaN if one is, +0 above -0", F32Ops: 6, F64Ops: 6}, Max, func(x, y float64) float64 { return max(x, y) })
	two(Func{Name: "min", Doc: "the builtin: NaN if one is, -0 below +0", F32Ops: 3, F64Ops: 3}, Min, func(x, y float64) float64 { return min(x, y) })
	two(Func{Name: "math.Max", Doc: "the greater; +Inf before NaN", F32Ops: 10, F64Ops: 10}, MathMax, math.Max)
	two(Func{Name: "math.Min", Doc: "the lesser; -Inf before NaN", F32Ops: 7, F64Ops: 7}, MathMin, math.Min)
	two(Func{Name: "math.Copysign", Doc: "x with the sign of y", F32Ops: 3, F64Ops: 3}, Copysign, math.Copysign)

	two(Func{Name: "math.Mod", Doc: "x without multiples of y", Domain: "|x/y| < 2^24, else not to be used", Within: modWithin, F32Ops: 11, F64Ops: 11},
		Mod, math.Mod)

	funcs["math.FMA"] = &Func{Name: "math.FMA", Doc: "x*y + z, rounded once", Args: 3, F32Ops: 1, F64Ops: 1,
		Build: func(b *emit.Builder, x ...*emit.Value) *emit.Value { return FMA(b, x[0], x[1], x[2]) },
		Ref:   func(x ...float64) float64 { return math.FMA(x[0], x[1], x[2]) }}
}

// log2 is the binary logarithm; near 1, where math.Log2 loses all its digits, by
// another way.
func log2(x float64) float64 {
	if 0.5 < x && x < 2 {
		return math.Log1p(x-1) * math.Log2E
	}
	return math.Log2(x)
}
