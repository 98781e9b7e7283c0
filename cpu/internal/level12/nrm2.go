package level12

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Squares that are less than this lose bits, or all, to underflow. There are less than 2^58 of them in
// memory, which lose 2^-1075 each: together less than 2^-57 of it.
const leastSum = 0x1p-960

// Nrm2 returns the Euclidean norm of x. It is NaN if x has one, else Inf if x has one. Otherwise it overflows
// or underflows only if the norm does. One pass sums squares; only where the sum is out of range there is
// another.
//
// Squares are exact in float64 for float32. For float64 each lane of a vector sums at most piece/8 elements
// in a row. Chunks and pieces are fewer than that below 2^32 elements. So the sum has a relative error of at
// most piece/2 * 2^-53, and its root half of that. A second pass has the error of n additions.
func Nrm2[T dtype.Float](x []T) T {
	sum := over(sumSq, x, nil, 0, 0)
	switch {
	case !isWide[T](): // from 1e-90 to 1e97: in range always
		return T(math.Sqrt(sum))
	case leastSum <= sum && sum <= math.MaxFloat64, sum != sum:
		return T(math.Sqrt(sum))
	}
	// Something is greater than 2^480, or everything less than that much below 1.
	by := 0x1p-600
	if sum < 1 {
		by = 0x1p600
	}
	return T(scaledNorm(x, by))
}

// scaledNorm sums the squares of multiples by a power of two. After that none overflows, and none underflows
// that matters next to the others.
func scaledNorm[T dtype.Float](x []T, by float64) float64 {
	var sum float64
	for _, v := range x {
		v := float64(v) * by
		sum += v * v
	}
	return math.Sqrt(sum) / by
}
