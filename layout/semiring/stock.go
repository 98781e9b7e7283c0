package semiring

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// PlusTimes is the ordinary arithmetic. Its sums round; those of integers wrap.
func PlusTimes[T dtype.Value]() Semiring[T] {
	return Semiring[T]{Name: "plustimes", Plus: of(Add[float32], Add[float64], Add[T]), Times: of(Mul[float32], Mul[float64], Mul[T]),
		Laws: Laws{Exact: wraps[T](), Commutative: true}, PlusBy: AddBy, TimesBy: MulBy}
}

// MaxPlus is that of longest paths: -Inf is the length of no path. As in all
// semirings with Max or Min, NaN spreads: a sum with a NaN among its products is NaN.
func MaxPlus[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "maxplus", Zero: T(math.Inf(-1)), Plus: of(Max[float32], Max[float64], Max[T]), Times: of(Add[float32], Add[float64], Add[T]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MaxBy, TimesBy: AddBy}
}

// MinPlus is that of shortest paths: +Inf is the length of no path.
func MinPlus[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "minplus", Zero: T(math.Inf(1)), Plus: of(Min[float32], Min[float64], Min[T]), Times: of(Add[float32], Add[float64], Add[T]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MinBy, TimesBy: AddBy}
}

// MaxTimes takes the greatest product, such as the most likely path: -Inf of none. Note
// that the sum of no products is also -Inf.
func MaxTimes[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "maxtimes", Zero: T(math.Inf(-1)), Plus: of(Max[float32], Max[float64], Max[T]), Times: of(Mul[float32], Mul[float64], Mul[T]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MaxBy, TimesBy: MulBy}
}

// MinTimes takes the least product: +Inf of none.
func MinTimes[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "mintimes", Zero: T(math.Inf(1)), Plus: of(Min[float32], Min[float64], Min[T]), Times: of(Mul[float32], Mul[float64], Mul[T]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MinBy, TimesBy: MulBy}
}

// MaxMin is that of widest paths: a path is as wide as its narrowest edge, and no
// path is -Inf wide.
func MaxMin[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "maxmin", Zero: T(math.Inf(-1)), Plus: of(Max[float32], Max[float64], Max[T]), Times: of(Min[float32], Min[float64], Min[T]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MaxBy, TimesBy: MinBy}
}

// PlusMin sums the lesser of each two: what two histograms have in common. Its sums
// round.
func PlusMin[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "plusmin", Plus: of(Add[float32], Add[float64], Add[T]), Times: of(Min[float32], Min[float64], Min[T]),
		Laws: Laws{Commutative: true}, PlusBy: AddBy, TimesBy: MinBy}
}

// OrAnd is that of reachability. Every number but zero is true, and so is NaN; results
// are 0 and 1.
func OrAnd[T dtype.Value]() Semiring[T] {
	return Semiring[T]{Name: "orand", Plus: of(Or[float32], Or[float64], Or[T]), Times: of(And[float32], And[float64], And[T]),
		Laws: Laws{Exact: true, Commutative: true}}
}

// PlusPair counts: every product is 1, whatever the operands. With it a product of sparse matrices has, for
// each element, the number of pairs that it is made of: paths of two edges, triangles.
func PlusPair[T dtype.Value]() Semiring[T] {
	return Semiring[T]{Name: "pluspair", Plus: of(Add[float32], Add[float64], Add[T]), Times: of(Pair[float32], Pair[float64], Pair[T]),
		Laws: Laws{Exact: wraps[T](), Commutative: true}, PlusBy: AddBy}
}

// wraps reports whether T is of integers, whose sums round nothing.
func wraps[T dtype.Value]() bool {
	one := T(1)
	return one/(one+one) == 0
}

// of returns the one of three instances of a function that is for T, the last for any but float32 and
// float64. Inside of a generic function Max[T] would be a closure, in which no generator finds Max.
func of[T dtype.Value](f32 func(x, y float32) float32, f64 func(x, y float64) float64, other func(x, y T) T) func(x, y T) T {
	if f, ok := any(f32).(func(x, y T) T); ok {
		return f
	}
	if f, ok := any(f64).(func(x, y T) T); ok {
		return f
	}
	return other
}

// Add returns x + y.
func Add[T dtype.Value](x, y T) T { return x + y }

// Mul returns x * y.
func Mul[T dtype.Value](x, y T) T { return x * y }

// Max returns the larger one, NaN if one is, and +0 rather than -0.
func Max[T dtype.Float](x, y T) T { return max(x, y) }

// Min returns the smaller one, NaN if one is, and -0 rather than +0.
func Min[T dtype.Float](x, y T) T { return min(x, y) }

// Or returns 1 if one is not zero, else 0.
func Or[T dtype.Value](x, y T) T {
	if x != 0 || y != 0 {
		return 1
	}
	return 0
}

// And returns 1 if neither is zero, else 0.
func And[T dtype.Value](x, y T) T {
	if x != 0 && y != 0 {
		return 1
	}
	return 0
}

// Pair returns 1.
func Pair[T dtype.Value](x, y T) T { return 1 }

// Dual is the arithmetic of dual numbers x + y·e, where e·e is 0: functions of x carry their
// derivatives along in y. They are kept as complex numbers, x in the real part.
func Dual[T complex64 | complex128]() Semiring[T] {
	return Semiring[T]{Name: "dual", Plus: pairs[T](Add[complex64], Add[complex128]), Times: pairs[T](MulDual[complex64], MulDual[complex128]),
		Laws: Laws{Commutative: true}, PlusBy: AddBy, TimesBy: DualBy}
}

// MulDual returns the product of two dual numbers. T has to be named where it is called by a
// generator, as for the other functions.
func MulDual[T complex64 | complex128](x, y T) T {
	a, b := complex128(x), complex128(y)
	return T(complex(real(a)*real(b), real(a)*imag(b)+imag(a)*real(b)))
}

// pairs is of, for complex types.
func pairs[T dtype.Value](c64 func(x, y complex64) complex64, c128 func(x, y complex128) complex128) func(x, y T) T {
	if f, ok := any(c64).(func(x, y T) T); ok {
		return f
	}
	f, _ := any(c128).(func(x, y T) T)
	return f
}
