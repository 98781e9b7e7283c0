package semiring

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// PlusTimes is the ordinary arithmetic. Its sums round.
func PlusTimes[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "plustimes", Plus: of[T](Add[float32], Add[float64]), Times: of[T](Mul[float32], Mul[float64]),
		Laws: Laws{Commutative: true}, PlusBy: AddBy, TimesBy: MulBy}
}

// MaxPlus is that of longest paths: -Inf is the length of no path. As in all
// semirings with Max or Min, NaN spreads: a sum with a NaN among its products is NaN.
func MaxPlus[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "maxplus", Zero: T(math.Inf(-1)), Plus: of[T](Max[float32], Max[float64]), Times: of[T](Add[float32], Add[float64]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MaxBy, TimesBy: AddBy}
}

// MinPlus is that of shortest paths: +Inf is the length of no path.
func MinPlus[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "minplus", Zero: T(math.Inf(1)), Plus: of[T](Min[float32], Min[float64]), Times: of[T](Add[float32], Add[float64]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MinBy, TimesBy: AddBy}
}

// MaxTimes takes the greatest product, such as the most likely path: -Inf of none.
// Where a product may be -Inf times something, mind that the sum of none is too.
func MaxTimes[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "maxtimes", Zero: T(math.Inf(-1)), Plus: of[T](Max[float32], Max[float64]), Times: of[T](Mul[float32], Mul[float64]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MaxBy, TimesBy: MulBy}
}

// MinTimes takes the least product: +Inf of none.
func MinTimes[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "mintimes", Zero: T(math.Inf(1)), Plus: of[T](Min[float32], Min[float64]), Times: of[T](Mul[float32], Mul[float64]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MinBy, TimesBy: MulBy}
}

// MaxMin is that of widest paths: a path is as wide as its narrowest edge, and no
// path is -Inf wide.
func MaxMin[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "maxmin", Zero: T(math.Inf(-1)), Plus: of[T](Max[float32], Max[float64]), Times: of[T](Min[float32], Min[float64]),
		Laws: Laws{Exact: true, Commutative: true}, PlusBy: MaxBy, TimesBy: MinBy}
}

// PlusMin sums the lesser of each two: what two histograms have in common. Its sums
// round.
func PlusMin[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "plusmin", Plus: of[T](Add[float32], Add[float64]), Times: of[T](Min[float32], Min[float64]),
		Laws: Laws{Commutative: true}, PlusBy: AddBy, TimesBy: MinBy}
}

// OrAnd is that of reachability. Every number but zero is true, NaN too; results are
// 0 and 1.
func OrAnd[T dtype.Float]() Semiring[T] {
	return Semiring[T]{Name: "orand", Plus: of[T](Or[float32], Or[float64]), Times: of[T](And[float32], And[float64]),
		Laws: Laws{Exact: true, Commutative: true}}
}

// of returns the one of two instances of a function that is for T. Inside of a
// generic function Max[T] would be a closure, in which no generator finds Max.
func of[T dtype.Float](f32 func(x, y float32) float32, f64 func(x, y float64) float64) func(x, y T) T {
	if f, ok := any(f32).(func(x, y T) T); ok {
		return f
	}
	return any(f64).(func(x, y T) T)
}

// Add returns x + y.
func Add[T dtype.Float](x, y T) T { return x + y }

// Mul returns x * y.
func Mul[T dtype.Float](x, y T) T { return x * y }

// Max returns the larger one, NaN if one is, and +0 rather than -0.
func Max[T dtype.Float](x, y T) T { return max(x, y) }

// Min returns the smaller one, NaN if one is, and -0 rather than +0.
func Min[T dtype.Float](x, y T) T { return min(x, y) }

// Or returns 1 if one is not zero, else 0.
func Or[T dtype.Float](x, y T) T {
	if x != 0 || y != 0 {
		return 1
	}
	return 0
}

// And returns 1 if neither is zero, else 0.
func And[T dtype.Float](x, y T) T {
	if x != 0 && y != 0 {
		return 1
	}
	return 0
}
