package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

type gemmFunc[T dtype.Float] func(opt run.Options, out, a, b layout.Matrix[T])

// order is a way to lay out a matrix.
type order int

const (
	row order = iota
	col
	strided
)

var orders = []order{row, col, strided}

func (o order) String() string { return [...]string{"row", "col", "strided"}[o] }

// matrixIn returns a matrix of next's values in order o.
func matrixIn[T dtype.Float](o order, rows, cols int, next func() T) layout.Matrix[T] {
	rs, cs := cols, 1
	switch o {
	case col:
		rs, cs = 1, rows
	case strided:
		rs, cs = 2*cols+1, 2
	}
	m := layout.Matrix[T]{Data: make([]T, (rows-1)*rs+(cols-1)*cs+1), Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	for i := range m.Data {
		m.Data[i] = next()
	}
	return m
}

// TestThreads: the number of threads does not change a bit of the result, for any
// variant and any layout.
func TestThreads(t *testing.T) {
	old := run.Threads()
	run.SetThreads(16) // so many helpers, whatever the machine has
	defer run.SetThreads(old)
	t.Run("f32", func(t *testing.T) { testThreads(t, gemmf.SGEMMOpt) })
	t.Run("f64", func(t *testing.T) { testThreads(t, gemmf.DGEMMOpt) })
}

func testThreads[T dtype.Float](t *testing.T, gemm gemmFunc[T]) {
	for _, isa := range run.PlainISAs() {
		// From 1<<22 multiply-adds on, the portable code from 1<<17 on.
		shapes := [][3]int{
			{1, 4200, 1001}, {4200, 1, 1001}, {3, 160, 9001}, {160, 3, 9001}, {131, 130, 250}, {1500, 60, 50}, {60, 1500, 50}, {66, 65, 1025}, {23, 22, 8300}, {200, 3000, 8},
		}
		if isa == run.Portable {
			shapes = [][3]int{{1, 420, 401}, {420, 1, 401}, {3, 60, 1025}, {60, 3, 1025}, {61, 62, 63}, {300, 90, 7}, {17, 150, 300}, {4, 4, 8300}}
		}
		r := rand.New(level.PCG(1, 2))
		values := make([]T, 8191) // a prime: no stride meets the same ones
		for i := range values {
			values[i] = T(r.NormFloat64())
		}
		next := 0
		normal := func() T { next++; return values[next%len(values)] }
		at := 0
		for i, s := range shapes {
			if testing.Short() && i%3 > 0 {
				continue
			}
			m, n, k := s[0], s[1], s[2]
			// Each operand in three layouts; of the 27 combinations every shape has 5 at most, and
			// the next shape the next ones.
			for range level.Of(1, 2, 5) {
				oa, ob := orders[at%3], orders[at/3%3]
				oc := orders[(at%3+at/3+at/9)%3]
				at++
				a, b, c := matrixIn(oa, m, k, normal), matrixIn(ob, k, n, normal), matrixIn(oc, m, n, normal)
				opt := run.Options{ISA: isa, Threads: 1}
				if at%2 == 0 {
					opt.Scaling = run.Scale(1.25, 0.7)
				}
				var first []T
				for _, threads := range level.Of([]int{1, 3, 16}, []int{1, 2, 3, 5, 16}, []int{1, 2, 3, 5, 16}) {
					out := c
					out.Data = append([]T(nil), c.Data...)
					opt.Threads = threads
					gemm(opt, out, a, b)
					if first == nil {
						first = out.Data
						if same(first, c.Data) < 0 {
							t.Fatalf("%v %s: out was not written", s, isa)
						}
					}
					if i := same(out.Data, first); i >= 0 {
						t.Fatalf("%s m=%d n=%d k=%d, a %v, b %v, out %v, %d threads: element %d is %v, with one thread %v",
							isa, m, n, k, oa, ob, oc, threads, i, out.Data[i], first[i])
					}
				}
			}
		}
	}
}

// same returns where x and y first differ in a bit, or -1.
func same[T dtype.Float](x, y []T) int {
	for i := range x {
		if math.Float64bits(float64(x[i])) != math.Float64bits(float64(y[i])) {
			return i
		}
	}
	return -1
}

// TestThreadsTooMany: multiples of a number of threads must not overflow.
func TestThreadsTooMany(t *testing.T) {
	const n = 180 // n^3 is more than 1<<22
	a := matrixIn(row, n, n, func() float64 { return 1 })
	for _, isa := range run.PlainISAs() {
		for _, threads := range []int{math.MaxInt, math.MaxInt/2 + 1, math.MaxInt/8 + 1, 1 << 20} {
			out := layout.New[float64](n, n)
			gemmf.DGEMMOpt(run.Options{ISA: isa, Threads: threads}, out, a, a)
			for _, have := range out.Data {
				if have != n {
					t.Fatalf("%s, %d threads: %v, want %d", isa, threads, have, n)
				}
			}
		}
	}
}

// TestOperandsNotKept: what the run time keeps between calls does not keep the
// caller's memory alive.
func TestOperandsNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("large matrices")
	}
	old := run.Threads()
	run.SetThreads(4)
	defer run.SetThreads(old)
	type kept struct {
		what string
		p    weak.Pointer[float64]
	}
	for _, isa := range run.PlainISAs() {
		for _, threads := range []int{1, 4} {
			for _, oa := range orders {
				for _, ob := range orders {
					for c, oc := range orders {
						if other := (len(isa) + int(oa) + int(ob) + c) % 3; !level.Long() && other != 0 {
							continue
						}
						// Larger than what is read in place, in a part of L2.
						m, n, k := 160, 200, 210
						if isa == run.Portable {
							m, n, k = 50, 60, 70
						} else if oa != row {
							m = 1400
						}
						var all []kept
						func() {
							one := func() float64 { return 1 }
							a, b, out := matrixIn(oa, m, k, one), matrixIn(ob, k, n, one), matrixIn(oc, m, n, one)
							gemmf.DGEMMOpt(run.Options{ISA: isa, Threads: threads}, out, a, b)
							for i, x := range []layout.Matrix[float64]{a, b, out} {
								all = append(all, kept{string("abc"[i]), weak.Make(&x.Data[0])})
							}
						}()
						runtime.GC()
						for _, x := range all {
							if x.p.Value() != nil {
								t.Errorf("%s, %d threads, a %v, b %v, out %v: %s is still reachable", isa, threads, oa, ob, oc, x.what)
							}
						}
					}
				}
			}
		}
	}
}

// TestGCNotBlocked: a garbage collection stops all goroutines, and assembly cannot
// be stopped. So it must be short.
func TestGCNotBlocked(t *testing.T) {
	for _, s := range [][3]int{{600, 600, 600}, {100_000, 48, 4}, {20_000, 40, 64}} {
		m, n, k := s[0], s[1], s[2]
		one := func() float32 { return 1 }
		a, b, out := matrixIn(row, m, k, one), matrixIn(row, k, n, one), matrixIn(row, m, n, one)
		var end atomic.Bool
		calls := make(chan int)
		go func() {
			n := 0
			for ; !end.Load(); n++ {
				gemmf.SGEMMOpt(run.Options{Threads: 2}, out, a, b)
			}
			calls <- n
		}()
		var longest, sum time.Duration
		rounds := 0
		for ; rounds < level.Of(2, 5, 15) && sum < time.Second; rounds++ {
			start := time.Now()
			runtime.GC()
			d := time.Since(start)
			longest, sum = max(longest, d), sum+d
		}
		end.Store(true)
		t.Logf("m=%d n=%d k=%d: %d calls; a garbage collection beside them took %v, at most %v", m, n, k, <-calls, sum/time.Duration(rounds), longest)
		if longest > 2*time.Second {
			t.Errorf("m=%d n=%d k=%d: a garbage collection took %v, want at most 2s", m, n, k, longest)
		}
	}
}

func BenchmarkThreads(b *testing.B) {
	for _, n := range []int{128, 512, 1024} {
		x := matrixIn(row, n, n, func() float32 { return 1 })
		out := layout.New[float32](n, n)
		for _, threads := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					gemmf.SGEMMOpt(run.Options{Threads: threads}, out, x, x)
				}
				b.ReportMetric(2*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

// TestPointersInside: a pointer past the end of an operand, if only for a moment
// in a field of the heap, is fatal once a garbage collection sees it. The operands
// are large enough to lie in pages of their own, which they do not fill.
func TestPointersInside(t *testing.T) {
	var end atomic.Bool
	ended := make(chan bool)
	go func() {
		for !end.Load() {
			runtime.GC()
		}
		close(ended)
	}()
	one := func() float32 { return 1 }
	for _, oa := range orders {
		for _, ob := range orders {
			for _, oc := range orders {
				a, b, out := matrixIn(oa, 3, 9001, one), matrixIn(ob, 9001, 2, one), matrixIn(oc, 3, 2, one)
				for range level.Of(2, 5, 15) {
					for _, isa := range run.PlainISAs() {
						gemmf.SGEMMOpt(run.Options{ISA: isa}, out, a, b)
					}
				}
			}
		}
	}
	end.Store(true)
	<-ended
}
