package dense

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling"
)

// mostDepth is the largest k of a product. Only strides of 0 can make one longer, and
// below it what is added to an index cannot overflow.
const mostDepth = math.MaxInt / 2

func checkDepth(name string, k int) {
	if k > mostDepth {
		check.Call(name).Refuse("k is %d; the most is %d", k, mostDepth)
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
	if bytes > packMost && bytes > mem.Volume(packTimes, have) {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf(
			"packing b, %d x %d, takes more than %d bytes and more than %d times the %d bytes of its elements; use it unpacked",
			rows, cols, packMost, packTimes, have)})
	}
}

// checkShape panics with a [layout.ShapeError] if a product out = a*b of m x k and k x
// n is not of the shape that a kernel was generated for.
func checkShape(name string, s tiling.Shape, m, n, k int) {
	if s.M > 0 && m != s.M || s.N > 0 && n != s.N || s.K > 0 && k != s.K {
		check.Call(name).Refuse("out is %d x %d with k = %d, but it was generated for m x n x k = %v; generate another with Shape left open",
			m, n, k, s)
	}
}
