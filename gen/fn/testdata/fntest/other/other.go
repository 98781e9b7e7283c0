// Package other is where fntest calls functions of another package.
package other

import "cmp"

// Half is a half.
const Half = 0.5

// Clamp returns x between lo and hi.
func Clamp[T cmp.Ordered](x, lo, hi T) T {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Twice returns two of x.
func Twice[T ~float32 | ~float64](x T) T { return double(x) }

func double[T ~float32 | ~float64](x T) T { return x + x }
