package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/kern/maskf32"
	"github.com/tilesmith/tilesmith/cpu/run/masks"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Dropout sets out[k] to x[k] times number k of the mask that [rand.Dropout] makes of s and p: 0
// with probability p, and else 1/(1-p). The mask is never stored. A gradient goes back through it by a call
// with the same s, which draws the same mask. out may be x. The bits do not depend on the number of threads,
// nor on the instruction set. See [masks.Drop] for what panics.
func Dropout[T dtype.Float](opt Options, out, x []T, s rand.Stream, p float64) {
	masks.Drop(&maskf32.Set, opt, out, x, s, p)
}
