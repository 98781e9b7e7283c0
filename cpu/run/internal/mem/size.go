package mem

import (
	"math"
	"math/bits"
)

// Volume returns the product of sizes that are not negative, or math.MaxInt if that is
// less. A view with a stride of 0 may have more elements than an int can count.
func Volume(sizes ...int) int {
	v := uint(1)
	for _, n := range sizes {
		if n == 0 {
			return 0
		}
		hi, lo := bits.Mul(v, uint(n))
		if v = lo; hi != 0 || lo > math.MaxInt {
			v = math.MaxInt
		}
	}
	return int(v)
}

// Ceil is a/b rounded up.
func Ceil(a, b int) int {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}
