package level12

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Squares that are less than this lose bits, or all, to underflow. There are less than 2^58 of them in
// memory, which lose 2^-1075 each: together less than 2^-57 of it.
const leastSum = 0x1p-960

// Nrm2 returns the Euclidean norm of x: NaN if there is one, else Inf if there is one, else what does not overflow
// or underflow unless the norm does. One pass sums squares; only where the sum is out of range
// there is another.
//
// Squares are exact in float64 for float32. For float64 each lane of a vector sums at most
// piece/VL of them in a row, so the relative error is below (piece/VL + 100) * 2^-53 at worst, and by its root as a rule.
func Nrm2[T dtype.Float](x []T) T {
	switch sum := over(sumSq, x, nil, 0, 0); {
	case !isWide[T](): // from 1e-90 to 1e97: in range always
		return T(math.Sqrt(sum))
	case leastSum <= sum && sum <= math.MaxFloat64, sum != sum:
		return T(math.Sqrt(sum))
	}
	return T(scaledNorm(x))
}

// scaledNorm sums squares in three ranges, each with a factor of its own, as Blue does (A portable Fortran program
// to find the Euclidean norm of a vector, 1978).
func scaledNorm[T dtype.Float](x []T) float64 {
	const (
		small, large       = 0x1p-480, 0x1p480
		upScale, downScale = 0x1p600, 0x1p-600
	)
	var low, mid, high float64
	for _, v := range x {
		switch v := math.Abs(float64(v)); {
		case v > large:
			v *= downScale
			high += v * v // Inf stays it
		case v >= small:
			mid += v * v
		default:
			v *= upScale
			low += v * v
		}
	}
	switch {
	case high > 0:
		// What is below large by more than 2^53 is lost in any order of additions.
		return math.Sqrt(high+mid*downScale*downScale) / downScale
	case mid > 0:
		return math.Sqrt(mid + low/upScale/upScale)
	}
	return math.Sqrt(low) / upScale
}
