package run

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/layout"
)

// volume returns the product of sizes that are not negative, or math.MaxInt where that
// is less: a view with a stride of 0 may have more elements than an int can count.
func volume(sizes ...int) int {
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

// mostDepth is the largest k of a product. Only strides of 0 can make one longer, and
// below it what is added to an index cannot overflow.
const mostDepth = math.MaxInt / 2

func checkDepth(name string, k int) {
	if k > mostDepth {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("k is %d; the most is %d", k, mostDepth)})
	}
}

// packMost is how much a packed operand may take in any case, in bytes. One that has
// its elements in memory may take packTimes the room that these do. Beyond, a stride of
// 0 stands for more than memory holds, or padding is most of the copy.
const (
	packMost  = 1 << 30
	packTimes = 4
)

// checkPack panics if a copy of x, of so many bytes, is out of all proportion.
func checkPack(name string, rows, cols, bytes, have int) {
	if bytes > packMost && bytes > volume(packTimes, have) {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf(
			"packing b, %d x %d, takes more than %d bytes and more than %d times the %d bytes of its elements; use it unpacked",
			rows, cols, packMost, packTimes, have)})
	}
}

func ceil(a, b int) int {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}
