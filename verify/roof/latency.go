package roof

import (
	"math"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Latency returns the seconds until the result of a multiply-add can be added to.
func Latency(isa string, d time.Duration) float64 {
	const rounds = 100_000
	f := kernels[isaset.Plain(isa)]["latency"]
	if f == nil {
		x, y := float32(0.999), float32(1.001)
		sec := fastest(d, func() {
			s := float32(0)
			for range rounds {
				s = s*x + y
			}
			sink.Store(math.Float64bits(float64(s)))
		})
		return sec / rounds
	}
	args := &kernel.Args{K: rounds, C: unsafe.Pointer(new([8]float64))}
	return fastest(d, func() { f(args) }) / rounds
}

// together returns the bytes/s that all cores read at once, each its own part of so
// many bytes.
func together(isa string, size int, d time.Duration) float64 {
	n := runtime.GOMAXPROCS(0)
	size = roundUp(size / n)
	areas := make([]*area, n)
	for i := range areas {
		areas[i] = newArea(isa, size)
	}
	sec := fastest(2*d, func() {
		var all sync.WaitGroup
		for _, a := range areas {
			all.Go(func() { a.read(size, 1) })
		}
		all.Wait()
	})
	return float64(n) * float64(size) / sec
}
