package gemm

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// MaxPlus finds longest paths: the sum of x and y is the larger of them, their
// product is x + y, and -Inf, the length of no path, is zero. A NaN among the
// products counts as no path.
var MaxPlus = Semiring{Name: "maxplus", Elem: emit.F32, Zero: math.Inf(-1),
	Plus:  func(b *emit.Builder, acc, x *emit.Value) *emit.Value { return b.Max(x, acc) },
	Times: (*emit.Builder).Add,
}
