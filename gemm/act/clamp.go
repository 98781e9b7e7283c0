package act

// Clamp is x kept between lo and hi: min(max(x, lo), hi), so hi if they cross and
// NaN if any of the three is. Clamp(x, 0, 6) is ReLU6 (Howard and others,
// "MobileNets", 2017).
func Clamp[T Float](x, lo, hi T) T { return min(max(x, lo), hi) }

// DClamp is the derivative of [Clamp] in x: 1 for lo < x <= hi, else 0.
func DClamp[T Float](x, lo, hi T) T {
	if x > hi {
		return 0
	}
	if x > lo {
		return 1
	}
	if x <= lo {
		return 0
	}
	return x
}
