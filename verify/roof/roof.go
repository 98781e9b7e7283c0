package roof

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// FMA returns the multiply-add ceiling of one core in flop/s (two per
// multiply-add). It is the best of three kernels that use only registers, each run for about
// d. isa is one of [run.ISAs]; for the portable code it is the rate of scalar Go. It returns 0
// if the build has no kernel for isa, or the machine cannot run it.
func FMA(isa string, t dtype.Type, d time.Duration) float64 {
	if isa == run.Portable {
		return scalar(t, d)
	}
	if !slices.Contains(run.ISAs(), isa) {
		return 0
	}
	best := 0.0
	for _, chains := range fmaChains {
		f, flops := multiplier(isa, t, chains)
		if f == nil {
			return 0
		}
		best = max(best, flops/fastest(d, f))
	}
	return best
}

// fmaChains is how many sums the kernels have that multiply and add: which is the fastest depends on the machine.
var fmaChains = []int{10, 12, 14}

// multiplier returns a function that multiplies and adds from registers for some 100 us, since assembly
// cannot be preempted, and how many flop it does; or nil.
func multiplier(isa string, t dtype.Type, chains int) (f func(), flops float64) {
	kern := kernels[isaset.Plain(isa)][fmt.Sprintf("fma_%s_%d", t, chains)]
	if kern == nil {
		return nil, 0
	}
	const rounds = 100_000
	args := &kernel.Args{K: rounds, C: unsafe.Pointer(new([8]float64))}
	return func() { kern(args) }, float64(2*chains*isaset.ByName(isa).Bits/8/t.Size()) * rounds
}

// Spinner returns a function that does so many flop, as [FMA] does them. If you run it in turns with a
// measurement, it takes the time of the same work at the ceiling, under the same clock and with the same
// neighbours. FMA, in contrast, gives the best moment. It is nil where FMA is 0, and of portable code.
func Spinner(isa string, t dtype.Type) func(flops float64) {
	if !slices.Contains(run.ISAs(), isa) {
		return nil
	}
	var best func()
	var each, rate float64
	for _, chains := range fmaChains {
		f, flops := multiplier(isa, t, chains)
		if f == nil {
			return nil
		}
		if r := flops / fastest(5*time.Millisecond, f); r > rate {
			best, each, rate = f, flops, r
		}
	}
	return func(flops float64) {
		for ; flops > 0; flops -= each {
			best()
		}
	}
}

// fastest runs f again and again for d, but some times at least, most of which other work may have held up.
// It returns the seconds of its best run.
func fastest(d time.Duration, f func()) float64 {
	f()
	const least = 8
	best := time.Duration(1<<63 - 1)
	start := time.Now()
	for runs := 0; runs < least || time.Since(start) < d; runs++ {
		t := time.Now()
		f()
		best = min(best, time.Since(t))
	}
	return best.Seconds()
}

// scalar is the ceiling of compiled Go, which has no vectors. It has thirteen
// independent chains of one multiplication and one addition, as many as fill the
// registers.
func scalar(t dtype.Type, d time.Duration) float64 {
	if t == dtype.F32 {
		return scalarOf[float32](d)
	}
	return scalarOf[float64](d)
}

// sink takes results that nobody wants, so that they are computed; several
// measurements may run at once.
var sink atomic.Uint64

func scalarOf[T dtype.Float](d time.Duration) float64 {
	const rounds = 20_000
	x, y := T(0.999), T(1.001)
	sec := fastest(d, func() {
		// No two begin alike: the compiler would compute both at once.
		a0, a1, a2, a3, a4, a5, a6 := T(0), T(1), T(2), T(3), T(4), T(5), T(6)
		a7, a8, a9, b0, b1, b2 := T(7), T(8), T(9), T(10), T(11), T(12)
		for range rounds {
			a0 = a0*x + y
			a1 = a1*x + y
			a2 = a2*x + y
			a3 = a3*x + y
			a4 = a4*x + y
			a5 = a5*x + y
			a6 = a6*x + y
			a7 = a7*x + y
			a8 = a8*x + y
			a9 = a9*x + y
			b0 = b0*x + y
			b1 = b1*x + y
			b2 = b2*x + y
		}
		sink.Store(math.Float64bits(float64(a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b0 + b1 + b2)))
	})
	return 2 * 13 * rounds / sec
}
