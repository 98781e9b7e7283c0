// Package storm calls functions from many goroutines while stacks move and memory is collected.
// Only tests import it.
package storm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/internal/level"
)

// A Call is one entry point with operands that are shared and only read, and a
// result of its own each time; Once returns a sum of the result's bits.
type Call struct {
	Name string
	Once func() uint64

	want uint64
}

// Run calls every function from goroutines whose stacks grow and shrink while
// the collector runs, naturally and forced. Whoever holds the address of something on a
// stack where the runtime does not see it then reads or writes the memory of others;
// results that were right alone come out wrong, or the program dies. It takes
// a second, in a long run 30, in a short one an eighth. The first cheap calls take some microseconds
// and get most of the time.
//
// The race detector and -d=checkptr change where stacks move, and hide such a fault: the
// storm counts most without them.
func Run(t *testing.T, cheap int, calls []Call) {
	last := level.Of(time.Second/8, time.Second, 30*time.Second)
	for i := range calls {
		calls[i].want = calls[i].Once()
	}

	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var wrong, done atomic.Int64
	var first sync.Map
	end := time.Now().Add(last)
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			rng := rand.New(level.PCG(uint64(g), 1))
			for n := 0; time.Now().Before(end); n++ {
				if n%25 == 0 { // grown here, taken back by the collector whenever it comes
					deepen(20 + rng.IntN(60))
				}
				c := &calls[rng.IntN(len(calls))]
				if rng.IntN(8) > 0 { // the cheap ones are those that work on the stack
					c = &calls[rng.IntN(cheap)]
				}
				done.Add(1)
				if have := c.Once(); have != c.want {
					wrong.Add(1)
					first.LoadOrStore(c.Name, fmt.Sprintf("%x, want %x", have, c.want))
				}
			}
		})
	}
	for n := 0; time.Now().Before(end); n++ { // natural collections, more of them, and forced ones, in turn
		switch n % 3 {
		case 0:
			debug.SetGCPercent(100)
		case 1:
			debug.SetGCPercent(5)
		}
		for pause := time.Now().Add(last / 15); time.Now().Before(pause); time.Sleep(20 * time.Microsecond) {
			if n%3 == 2 {
				runtime.GC()
			}
			garbage.Store(make([]byte, 1<<16))
		}
	}
	all.Wait()
	first.Range(func(name, what any) bool {
		t.Errorf("%s: the bits of the result are %s", name, what)
		return true
	})
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d of %d results are wrong", n, done.Load())
	}
	t.Logf("%d calls", done.Load())
}

var garbage atomic.Value

// deepen uses n frames of more than 512 bytes.
//
//go:noinline
func deepen(n int) byte {
	var frame [512]byte
	frame[n%512] = byte(n)
	if n > 0 {
		return deepen(n-1) + frame[(n+1)%512]
	}
	return frame[1]
}

// Bits depends on every bit of x and on their order.
func Bits[T float32 | float64](x []T) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range x {
		h = (h ^ math.Float64bits(float64(v))) * 1099511628211
	}
	return h
}
