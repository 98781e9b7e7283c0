package fn

import (
	"go/token"
	"math"
)

// The numbers of the evaluator: each operation in Go's own type.

func fromFloat(t Type, x float64) num {
	if t == Float32 {
		return num{t: t, bits: uint64(math.Float32bits(float32(x)))}
	}
	return num{t: t, bits: math.Float64bits(x)}
}

// fromInt keeps the low bits.
func fromInt(t Type, bits uint64) num {
	switch t {
	case Int8, Uint8:
		bits = uint64(uint8(bits))
	case Int16, Uint16:
		bits = uint64(uint16(bits))
	case Int32, Uint32:
		bits = uint64(uint32(bits))
	}
	return num{t: t, bits: bits}
}

func (x num) float() float64 {
	if x.t == Float32 {
		return float64(math.Float32frombits(uint32(x.bits)))
	}
	return math.Float64frombits(x.bits)
}

// signed returns an integer, one of uint64 from 1<<63 on as a negative number.
func (x num) signed() int64 {
	switch x.t {
	case Int8:
		return int64(int8(x.bits))
	case Int16:
		return int64(int16(x.bits))
	case Int32:
		return int64(int32(x.bits))
	}
	return int64(x.bits)
}

func (x num) negated() num {
	if x.t == Float32 {
		x.bits ^= 1 << 31
	} else {
		x.bits ^= 1 << 63
	}
	if x.prod != nil {
		x.prod = &factors{x.prod.x, x.prod.y, !x.prod.neg}
	}
	x.after = 0
	return x
}

func op32(op token.Token, x, y float32) float32 {
	switch op {
	case token.ADD:
		return float32(x + y)
	case token.SUB:
		return float32(x - y)
	case token.MUL:
		return float32(x * y)
	case token.QUO:
		return float32(x / y)
	}
	stopWith("unknown", "%v of floats", op)
	return 0
}

func op64(op token.Token, x, y float64) float64 {
	switch op {
	case token.ADD:
		return float64(x + y)
	case token.SUB:
		return float64(x - y)
	case token.MUL:
		return float64(x * y)
	case token.QUO:
		return float64(x / y)
	}
	stopWith("unknown", "%v of floats", op)
	return 0
}

func opInt(op token.Token, x, y num) num {
	a, b := x.bits, y.bits
	switch op {
	case token.ADD:
		a += b
	case token.SUB:
		a -= b
	case token.MUL:
		a *= b
	case token.AND:
		a &= b
	case token.OR:
		a |= b
	case token.XOR:
		a ^= b
	case token.AND_NOT:
		a &^= b
	case token.QUO, token.REM:
		switch {
		case b == 0:
			stopWith("fault", "a division by zero")
		case x.t.Signed() && op == token.QUO && y.signed() == -1: // which Go has wrap around
			a = -a
		case x.t.Signed() && y.signed() == -1:
			a = 0
		case x.t.Signed() && op == token.QUO:
			a = uint64(x.signed() / y.signed())
		case x.t.Signed():
			a = uint64(x.signed() % y.signed())
		case op == token.QUO:
			a /= b
		default:
			a %= b
		}
	default:
		stopWith("unknown", "%v of integers", op)
	}
	return fromInt(x.t, a)
}

func shiftOf(op token.Token, x, y num) num {
	n := y.bits
	if y.t.Signed() && y.signed() < 0 {
		stopWith("fault", "a negative shift")
	}
	switch {
	case op == token.SHL:
		return fromInt(x.t, x.bits<<n)
	case x.t.Signed():
		return fromInt(x.t, uint64(x.signed()>>n))
	}
	return fromInt(x.t, x.bits>>n)
}

// extremeOf is the builtin max or min.
func extremeOf(name string, x, y num) num {
	out := num{t: x.t, loose: x.loose || y.loose || x.slack > 0 || y.slack > 0}
	switch {
	case out.loose:
	case x.t.Float() && name == "max":
		out = fromFloat(x.t, max(x.float(), y.float()))
	case x.t.Float():
		out = fromFloat(x.t, min(x.float(), y.float()))
	default:
		out.bits = x.bits
		if holdsIn(token.LSS, x, y) == (name == "max") {
			out.bits = y.bits
		}
	}
	return out
}

var exactMath = map[string]func(x float64) float64{
	"Sqrt": math.Sqrt, "Abs": math.Abs, "Floor": math.Floor, "Ceil": math.Ceil, "Trunc": math.Trunc,
	"RoundToEven": math.RoundToEven, "Round": math.Round,
}

var inexactMath = map[string]func(x float64) float64{
	"Exp": math.Exp, "Exp2": math.Exp2, "Expm1": math.Expm1, "Log": math.Log, "Log1p": math.Log1p, "Log2": log2,
	"Tanh": math.Tanh, "Erf": math.Erf, "Erfc": math.Erfc,
}

// roughMath are functions that package math computes with an error of some units more.
var roughMath = map[string]func(x float64) float64{
	"Sin": math.Sin, "Cos": math.Cos, "Tan": math.Tan, "Asin": math.Asin, "Acos": math.Acos, "Atan": math.Atan,
	"Sinh": math.Sinh, "Cosh": math.Cosh, "Asinh": math.Asinh, "Acosh": math.Acosh, "Atanh": math.Atanh, "Cbrt": math.Cbrt,
}

// log2 is good to some units near 1 too, where math.Log2 loses all.
func log2(x float64) float64 {
	if 0.5 < x && x < 2 {
		return math.Log1p(x-1) * math.Log2E
	}
	return math.Log2(x)
}

var binaryMath = map[string]func(x, y float64) float64{
	"Max": math.Max, "Min": math.Min, "Copysign": math.Copysign, "Dim": math.Dim,
}

// math calls a function of package math.
func (e *evaluator) math(name string, in []num) num {
	kinds := map[string]Type{"IsNaN": Bool, "IsInf": Bool, "Signbit": Bool, "Float32bits": Uint32, "Float64bits": Uint64, "Float32frombits": Float32}
	out := num{t: Float64}
	if k, ok := kinds[name]; ok {
		out.t = k
	}
	for _, x := range in {
		if x.loose || x.slack > 0 {
			if name == "Abs" && !x.loose {
				x.after = 0
				x.bits &^= 1 << 63
				return x
			}
			out.loose = true
			return out
		}
	}
	isNaN := func(i int) bool { return in[i].float() != in[i].float() }
	truth := func(b bool) num {
		if b {
			out.bits = 1
		}
		return out
	}
	switch name {
	case "NaN":
		return fromFloat(Float64, math.NaN())
	case "Inf":
		return fromFloat(Float64, math.Inf(int(in[0].signed())))
	case "IsNaN":
		return truth(isNaN(0))
	case "IsInf":
		return truth(math.IsInf(in[0].float(), int(in[1].signed())))
	case "Signbit":
		out.loose = isNaN(0)
		return truth(math.Signbit(in[0].float()))
	case "Float32bits", "Float64bits":
		out.bits, out.loose = in[0].bits, isNaN(0)
		return out
	case "Float32frombits", "Float64frombits":
		out.bits = in[0].bits
		return out
	case "FMA":
		out = fromFloat(Float64, math.FMA(in[0].float(), in[1].float(), in[2].float()))
		out.after = 1 // of float32 operands it is one operation of float32
		return out
	}
	if f := exactMath[name]; f != nil {
		return fromFloat(Float64, f(in[0].float()))
	}
	if f := binaryMath[name]; f != nil {
		out = fromFloat(Float64, f(in[0].float(), in[1].float()))
		out.loose = name == "Copysign" && isNaN(1)
		return out
	}
	if f := inexactMath[name]; f != nil {
		out = fromFloat(Float64, f(in[0].float()))
		// Package math itself is up to 2 units off, and float32 rounds once more.
		if x := in[0].float(); name == "Log" && 0 < x && x < 0x1p-1022 || name == "Exp" && x > 709 {
			out.loose = true // where package math is wrong on amd64
			return out
		}
		out.slack, out.after = mathULP("math."+name, Float64)+2, mathULP("math."+name, Float32)+1
		return out
	}
	if f := roughMath[name]; f != nil {
		out = fromFloat(Float64, f(in[0].float()))
		// Near multiples of pi/2 package math loses all digits.
		out.loose = (name == "Sin" || name == "Cos" || name == "Tan") && math.Abs(in[0].float()) > 1.5
		out.slack, out.after = mathULP("math."+name, Float64)+8, mathULP("math."+name, Float32)+1
		return out
	}
	stopWith("unknown", "math.%s", name)
	return out
}
