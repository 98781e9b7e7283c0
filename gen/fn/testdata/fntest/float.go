package fntest

import (
	"math"

	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest/other"
)

// Float is what generic functions here take.
type Float interface{ ~float32 | ~float64 }

const (
	sqrt2OverPi = 0.7978845608028654
	cubic       = 0.044715
)

// slope is a typed constant.
const slope float32 = 0.01

// Affine is a product and a sum, which may be fused.
func Affine(x, y, z float32) float32 { return x*y + z }

// Rounded is Affine with the product rounded on its own.
func Rounded(x, y, z float32) float32 { return float32(x*y) + z }

// Minus subtracts a product.
func Minus(x, y, z float64) float64 { return z - x*y }

// MinusZ subtracts from a product.
func MinusZ(x, y, z float64) float64 { return x*y - z }

// NegProduct adds the opposite of a product.
func NegProduct(x, y, z float32) float32 { return z + -(x * y) }

// NegSub subtracts the opposite of a product.
func NegSub(x, y, z float32) float32 { return -(x * 3) - z }

// TwoProducts could be fused in two ways.
func TwoProducts(x, y, z, w float32) float32 { return x*y + z*w }

// Shared uses a product twice, so it is not fused.
func Shared(x, y, z float32) (float32, float32) {
	p := x * y
	return p + z, p
}

// AcrossStatements computes the product in a statement of its own.
func AcrossStatements(x, y, z float32) float32 {
	p := x * y
	r := p + z
	return r
}

// Relu is the builtin max with +0.
func Relu(x float32) float32 { return max(x, 0) }

// ReluIf is the same written with if, which is not the same for -0 and NaN.
func ReluIf(x float32) float32 {
	if x > 0 {
		return x
	}
	return 0
}

// ReluLess lets NaN and -0 through.
func ReluLess(x float32) float32 {
	if x < 0 {
		return 0
	}
	return x
}

// Leaky has two slopes.
func Leaky[T Float](x T) T {
	if x > 0 {
		return x
	}
	return x * 0.01
}

// LeakyConst takes its slope from a typed constant.
func LeakyConst(x float32) float32 {
	if x >= 0 {
		return x
	}
	return slope * x
}

// HardSwish divides by 6, which is no power of two.
func HardSwish[T Float](x T) T { return x * min(max(x+3, 0), 6) / 6 }

// Eighth divides by a power of two.
func Eighth(x float32) float32 { return x / 8 }

// Tiny divides by a number whose inverse is a denormal.
func Tiny(x float32) float32 { return x / 1.7014118346046923e38 }

// Divide divides.
func Divide(x, y float32) float32 { return x / y }

// Norm calls the square root.
func Norm[T Float](x, y T) T { return T(math.Sqrt(float64(x*x + y*y))) }

// InvSqrt is one over it.
func InvSqrt(x float64) float64 { return 1 / math.Sqrt(x) }

// Poly is evaluated by a loop over a small array.
func Poly[T Float](x T) T {
	c := [...]T{0.5, -1.25, 3, 7, 0.1}
	s := T(0)
	for i := len(c) - 1; i >= 0; i-- {
		s = s*x + c[i]
	}
	return s
}

// PolyRange ranges over a slice literal.
func PolyRange(x float64) float64 {
	s := 0.0
	for _, c := range []float64{1, 2, 3, 4} {
		s = s*x + c
	}
	return s
}

// Newton runs a fixed number of steps.
func Newton(x float32) float32 {
	y := x
	for range 4 {
		y = (y + x/y) / 2
	}
	return y
}

// Power stops when a lane is large: break in a loop.
func Power(x float32) float32 {
	y := float32(1)
	for i := 0; i < 6; i++ {
		if y > 100 {
			break
		}
		if y < -50 {
			y = -y
			continue
		}
		y *= x
	}
	return y
}

// Search returns from inside two loops.
func Search(x, y float32) float32 {
outer:
	for i := range 4 {
		for j := range 3 {
			s := x*float32(i) + y*float32(j)
			if s > 10 {
				return s
			}
			if s < -10 {
				continue outer
			}
			if s == 3 {
				break outer
			}
		}
	}
	return x - y
}

// Classify uses a switch without a tag, several results and named results.
func Classify(x float64) (kind int32, size float64) {
	switch {
	case math.IsNaN(x):
		return -1, 0
	case math.IsInf(x, 0):
		kind = 2
	case x == 0, math.Signbit(x):
		kind = 1
		size = -x
	default:
		size = x
	}
	return
}

// Bits works on the representation.
func Bits(x float32) float32 {
	b := math.Float32bits(x)
	return math.Float32frombits(b&^(1<<31) | 1<<23)
}

// Bits64 is the same for float64.
func Bits64(x float64) uint64 { return math.Float64bits(x)>>52&0x7ff ^ 1 }

// Extremes has the builtins and those of package math.
func Extremes(x, y float32) (a, b, c, d float32) {
	a, b = max(x, y), min(x, y)
	c = float32(math.Max(float64(x), float64(y)))
	d = float32(math.Min(float64(x), float64(y)))
	return
}

// Extremes64 is the same in float64, with three operands.
func Extremes64(x, y, z float64) (a, b, c, d float64) {
	return max(x, y, z), min(x, y, z), math.Max(x, math.Max(y, z)), math.Min(math.Min(x, y), z)
}

// Selects compares in every direction.
func Selects(x, y float32) (a, b, c, d, e, f float32) {
	a, b, c, d, e, f = y, y, x, x, y, y
	if x > y {
		a = x
	}
	if x < y {
		b = x
	}
	if x > y {
		c = y
	}
	if x < y {
		d = y
	}
	if x >= y {
		e = x
	}
	if !(x <= y) {
		f = x
	}
	return
}

// Roundings has all five, in float32.
func Roundings(x float32) (a, b, c, d, e float32) {
	y := float64(x)
	return float32(math.Floor(y)), float32(math.Ceil(y)), float32(math.Trunc(y)), float32(math.RoundToEven(y)), float32(math.Round(y))
}

// Roundings64 has them in float64.
func Roundings64(y float64) (a, b, c, d, e float64) {
	return math.Floor(y), math.Ceil(y), math.Trunc(y), math.RoundToEven(y), math.Round(y)
}

// Signs copies and takes away signs.
func Signs(x, y float32) (a, b, c float32) {
	return float32(math.Copysign(float64(x), float64(y))), float32(math.Abs(float64(x))), -y
}

// Wide does float64 arithmetic on float32 operands.
func Wide(x, y float32) float32 { return float32(float64(x)*1.1 + float64(y)) }

// WideCompare compares with a constant that float32 does not have.
func WideCompare(x float32) bool { return float64(x) > 0.1 }

// WideCompares compares in both orders, beyond the range of float32 too.
func WideCompares(x float32) (a, b, c, d, e, f bool) {
	y := float64(x)
	return y >= 0.1, 0.1 < y, y < -0.3, -1e300 <= y, 1e-50 >= y, y == 0.1 || y != -0.1 && y > 0
}

// Fused asks for one rounding.
func Fused(x, y, z float64) float64 { return math.FMA(x, y, z) }

// Swap exchanges variables, elements and fields.
func Swap(x, y float32) float32 {
	type pair struct{ a, b float32 }
	p := pair{b: y, a: x}
	p.a, p.b = p.b, p.a
	v := [2]float32{p.a - 1, p.b + 1}
	v[0], v[1] = v[1], v[0]
	x, y = v[0], v[1]
	return x - 2*y
}

// Logic combines conditions.
func Logic(x, y float32, m bool) bool {
	a := x > 0 && y > 0 || m
	b := !(x < y) == (y != y)
	return a != b || x == 3
}

// Masked takes a truth value as operand.
func Masked(keep bool, x float32) float32 {
	if !keep {
		return float32(math.Inf(-1))
	}
	return x
}

// CrossPackage calls a generic function of another package.
func CrossPackage(x float32) float32 { return other.Clamp(other.Twice(x), -1, 1) + other.Half }

// Helpers calls functions here, with several results.
func Helpers(x, y float32) float32 { return diff(sumAndDiff(x, y)) }

func sumAndDiff(x, y float32) (sum, diff float32) { return x + y, x - y }

func diff(a, b float32) float32 { return a - b/2 }

// ByType has a case for each type.
func ByType[T Float](x T) T {
	var zero T
	switch any(zero).(type) {
	case float32:
		return x + 1
	case float64:
		return x - 1
	}
	return x
}

// Nested has branches in branches, some of which return.
func Nested(x, y float32) float32 {
	r := x
	if x > 1 {
		if y > 1 {
			return x * 2
		} else if y < -1 {
			r = y
		} else {
			r += 0.5
		}
		r = -r
	} else {
		if y == 0 {
			return 7
		}
		r -= y
	}
	if r > 100 {
		return 100
	}
	return r
}

// Fallthrough has a switch with a tag, a default in the middle and a fallthrough.
func Fallthrough(x int32) int32 {
	r := int32(0)
	switch x & 7 {
	case 0:
		r = 1
		fallthrough
	case 1, 2:
		r += 10
	default:
		r = -1
	case 5:
		if x > 100 {
			break
		}
		r = 5
	}
	return r
}

// Denormal multiplies into the range where flushing would show.
func Denormal(x float32) float32 { return x * 1e-38 * 0.5 }

// Lines is a literal that captures nothing.
var Lines = func(x float32) float32 { return x*3 - 1 }
