package nn

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Glorot gives parameters their first values, which depend on seed and on their order only: numbers uniform
// in +-sqrt(6/(In+Out)), and zeros where In is 0. Glorot and Bengio, "Understanding the difficulty of training
// deep feedforward neural networks", 2010.
func Glorot[T dtype.Float](params []*Param[T], seed uint64) {
	for n, p := range params {
		if p.In == 0 {
			clear(p.Value.Data)
			continue
		}
		limit := T(math.Sqrt(6 / float64(p.In+p.Out)))
		// Streams of masks have numbers below 1<<63.
		rand.Uniform(rand.Stream{Seed: seed, Number: 1<<63 | uint64(n)}, 0, p.Value.Data, -limit, limit)
	}
}
