package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// BenchmarkTransposed multiplies by a transpose that is not built, by one that is built for
// it, and by one that was.
func BenchmarkTransposed(b *testing.B) {
	a, err := sample.RMAT[float32](1<<16, 1<<19, .57, .19, .19, 1)
	if err != nil {
		b.Fatal(err)
	}
	x, out := normalDense[float32](rand.New(level.PCG(1, 2)), a.Rows(), 64), layout.New[float32](a.Cols(), 64)
	opt := Options{Threads: 1}
	view, built := format.TransposedCSC(a), a.Transpose()
	for range 2 {
		b.Run("view", func(b *testing.B) {
			for b.Loop() {
				SpMMOpt(opt, out, view, x)
			}
		})
		b.Run("build", func(b *testing.B) {
			for b.Loop() {
				SpMMOpt(opt, out, a.Transpose(), x)
			}
		})
		b.Run("built", func(b *testing.B) {
			for b.Loop() {
				SpMMOpt(opt, out, built, x)
			}
		})
	}
}
