package level12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestPanics compares what pairs of faults panic with, which shows the order of checks.
func TestPanics(t *testing.T) { eachISA(t, panics) }

func panics(t *testing.T) {
	type faulty struct {
		args
		lenA, lenX, lenY int
	}
	faults := []func(*faulty){
		func(g *faulty) {}, func(g *faulty) { g.ul = 'x' }, func(g *faulty) { g.t = 'x' }, func(g *faulty) { g.d = 'x' },
		func(g *faulty) { g.m = -1 }, func(g *faulty) { g.n = -1 }, func(g *faulty) { g.m = 0 }, func(g *faulty) { g.n = 0 },
		func(g *faulty) { g.kL = -1 }, func(g *faulty) { g.kU = -1 }, func(g *faulty) { g.kU = 60 },
		func(g *faulty) { g.lda = 0 }, func(g *faulty) { g.lda = 19 }, func(g *faulty) { g.incX = 0 }, func(g *faulty) { g.incY = 0 },
		func(g *faulty) { g.incX = -2 }, func(g *faulty) { g.incY = 3 },
		func(g *faulty) { g.lenA = 200 }, func(g *faulty) { g.lenX = 19 }, func(g *faulty) { g.lenY = 19 }, func(g *faulty) { g.lenX = 0 },
		func(g *faulty) { g.alpha = 0 }, func(g *faulty) { g.beta = 1 },
	}
	call := func(name string, s set[float64], g faulty) (got any) {
		defer func() {
			if got = recover(); got != nil {
				got = fmt.Sprint(got)
			}
		}()
		s.call(name, g.args, make([]float64, g.lenA), make([]float64, g.lenX), make([]float64, g.lenY))
		return nil
	}
	seen := map[any]bool{}
	for _, name := range append(slices.Clone(level1), level2...) {
		for x := range faults {
			for y := range faults {
				g := faulty{args{m: 20, n: 20, kL: 8, kU: 9, lda: 20, incX: 1, incY: 1, alpha: 1, ul: blas.Lower, t: blas.NoTrans, d: blas.NonUnit}, 400, 20, 20}
				faults[x](&g)
				faults[y](&g)
				have, want := call(name, set64(Float64{}), g), call(name, set64(gonum.Implementation{}), g)
				if have != want {
					t.Errorf("%s %+v: panics with %v, gonum with %v", name, g, have, want)
				}
				seen[have] = true
			}
		}
	}
	if len(seen) < 14 {
		t.Errorf("%d different panics: %v", len(seen), seen)
	}
	// What wraps around, where gonum's own check sees nothing.
	for _, name := range append(slices.Clone(level1), level2...) {
		for _, change := range []func(*faulty){
			func(g *faulty) { g.incX = math.MaxInt/4 + 1 }, func(g *faulty) { g.incX = math.MinInt }, func(g *faulty) { g.incY = math.MaxInt/8 + 1 },
			func(g *faulty) { g.lda = math.MaxInt/4 + 1 }, func(g *faulty) { g.n = math.MaxInt }, func(g *faulty) { g.kL = math.MaxInt - 3 },
		} {
			g := faulty{args{m: 20, n: 20, kL: 8, kU: 9, lda: 20, incX: 1, incY: 1, alpha: 1, ul: blas.Lower, t: blas.NoTrans, d: blas.NonUnit}, 400, 20, 20}
			change(&g)
			if have := call(name, set64(Float64{}), g); have == nil && used(name, g.args) {
				t.Errorf("%s %+v: no panic", name, g)
			}
		}
	}
}

// used reports whether what is wrong with g matters to a routine.
func used(name string, g args) bool {
	oneVector := slices.Contains([]string{"scal", "nrm2", "asum", "iamax", "syr", "trmv", "trsv"}, name)
	switch {
	case g.incX == math.MinInt:
		return !slices.Contains([]string{"scal", "nrm2", "asum", "iamax"}, name) && name[0] != 'd' && name[0] != 's' // which return 0, and those of float32
	case g.incX != 1:
		return name != "dsdot" && name != "sdsdot"
	case g.incY != 1:
		return !oneVector && name != "dsdot" && name != "sdsdot"
	case g.lda != 20:
		return slices.Contains(level2, name)
	case g.n == math.MaxInt:
		return name != "dsdot" && name != "sdsdot"
	}
	return name == "gbmv"
}

// TestNaN: beta = 0 does not read y, and a NaN or Inf of any operand gets where a plain loop has it.
func TestNaN(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		n := 37
		for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			for at := range n {
				a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
				for i := range x {
					x[i], y[i] = 1, math.NaN()
				}
				a[at*n+(at*5)%n] = math.NaN()
				bad := at
				if tr == blas.Trans {
					bad = at * 5 % n
				}
				(Float64{}).Dgemv(tr, n, n, 1, a, n, x, 1, 0, y, 1)
				for i, v := range y {
					if math.IsNaN(v) != (i == bad) {
						t.Fatalf("%c: y[%d] = %v with a NaN for %d", tr, i, v, bad)
					}
				}
				for i := range y {
					y[i] = math.NaN()
				}
				a[at*n+(at*5)%n] = 0
				(Float64{}).Dsymv(blas.Upper, n, 1, a, n, x, 1, 0, y, 1)
				if slices.ContainsFunc(y, math.IsNaN) {
					t.Fatalf("symv reads y")
				}
			}
		}
		x, y := make([]float64, 50), make([]float64, 50)
		x[3], x[30] = math.Inf(1), math.NaN()
		(Float64{}).Daxpy(50, 2, x, 1, y, 1)
		if !math.IsInf(y[3], 1) || !math.IsNaN(y[30]) || y[4] != 0 {
			t.Errorf("axpy: %v", y)
		}
		(Float64{}).Dscal(50, 0, x, 1)
		if want := make([]float64, 50); !slices.Equal(x, want) && Ready() {
			t.Errorf("scal by 0: %v", x)
		}
	})
}

// TestAlias: x and y may be the same vector where BLAS adds element to element.
func TestAlias(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{20, 100, piece + 3} {
			x := make([]float64, n)
			for i := range x {
				x[i] = float64(i % 11)
			}
			var b Float64
			b.Daxpy(n, 2, x, 1, x, 1)
			b.Dswap(n, x, 1, x, 1)
			for i, v := range x {
				if v != 3*float64(i%11) {
					t.Fatalf("%d of %d: %v", i, n, v)
				}
			}
			if d, s := b.Ddot(n, x, 1, x, 1), b.Dnrm2(n, x, 1); math.Abs(d-s*s) > 1e-12*d {
				t.Errorf("dot %v, norm %v", d, s)
			}
		}
	})
}

// TestThreads: the same bits however many goroutines work, of sizes that several do.
func TestThreads(t *testing.T) {
	defer run.SetThreads(0)
	eachISA(t, func(t *testing.T) {
		if !Ready() {
			return // gonum's, by one goroutine
		}
		t.Run("float64", func(t *testing.T) { threads(t, set64(Float64{}), append(slices.Clone(level1[:9]), level2...)) })
		t.Run("float32", func(t *testing.T) { threads(t, set32(Float32{}), level1) })
	})
}

func threads[T dtype.Float](t *testing.T, s set[T], names []string) {
	r := rand.New(level.PCG(7, 8))
	g := args{m: 1100, n: 1300, lda: 1301, kL: 300, kU: 200, incX: 1, incY: 1, alpha: 1.25, beta: 0.5, t: blas.Trans, ul: blas.Upper, d: blas.Unit}
	vector := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
		return x
	}
	a := vector((g.n + 1) * g.lda)
	long, short := vector(level.Of(200_003, 600_003, 600_003)), vector(1300)
	for _, name := range names {
		x := short
		if slices.Contains(level1, name) {
			x = long
		}
		g.n = len(x)
		var first [3][]T
		var number float64
		for at, n := range level.Of([]int{1, 3}, []int{1, 2, 3, 8}, []int{1, 2, 3, 8}) {
			run.SetThreads(n)
			o := [3][]T{a, slices.Clone(x), slices.Clone(x)}
			if name == "ger" || name == "syr" || name == "syr2" {
				o[0] = slices.Clone(a)
			}
			v := s.call(name, g, o[0], o[1], o[2])
			if at == 0 {
				first, number = o, v
			} else if v != number || !slices.Equal(o[0], first[0]) || !slices.Equal(o[1], first[1]) || !slices.Equal(o[2], first[2]) {
				t.Errorf("%s with %d goroutines differs from 1", name, n)
			}
		}
	}
}

// TestStorm: goroutines that call everything at once, with stacks that move, get what one gets.
func TestStorm(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		s := set64(Float64{})
		once := func() (sum float64) {
			for i, name := range append(slices.Clone(level1[:9]), level2...) {
				for _, n := range []int{19, 70} {
					g := args{m: n, n: n, lda: n + 30, kL: 9, kU: 12, incX: 1, incY: 1 + i%2, alpha: 1.5, beta: 0.5, t: blas.Trans, ul: blas.Lower, d: blas.Unit}
					o := operands[float64](rand.New(level.PCG(uint64(n), 1)), name, g)
					sum += s.call(name, g, o[0], o[1], o[2])
					for _, x := range o {
						for k, v := range x {
							sum += v * float64(k%7)
						}
					}
				}
			}
			return sum
		}
		want := once()
		var wg sync.WaitGroup
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for depth := range level.Of(1, 3, 6) {
					if have := deep(4*depth, once); have != want {
						t.Errorf("%v, want %v", have, want)
					}
				}
			}()
		}
		wg.Wait()
	})
}

// deep calls f below a stack that has to grow.
func deep(n int, f func() float64) float64 {
	var frame [64]float64
	if n > 0 {
		frame[n] = deep(n-1, f)
		return frame[n]
	}
	return f()
}

// TestAllocs: no call allocates, once its buffers are there.
func TestAllocs(t *testing.T) {
	s := set64(Float64{})
	for _, name := range append(slices.Clone(level1[:9]), level2...) {
		for _, inc := range []int{1, -2} {
			g := args{m: 60, n: 50, lda: 70, kL: 9, kU: 12, incX: inc, incY: inc, alpha: 1.5, beta: 0.5, t: blas.Trans, ul: blas.Lower, d: blas.Unit}
			o := operands[float64](rand.New(level.PCG(1, 1)), name, g)
			if n := testing.AllocsPerRun(20, func() { s.call(name, g, o[0], o[1], o[2]) }); n != 0 {
				t.Errorf("%s, increment %d: %v allocations", name, inc, n)
			}
		}
	}
	x := make([]float64, 1<<20)
	if n := testing.AllocsPerRun(5, func() { s.dot(len(x), x, 1, x, 1) }); n != 0 {
		t.Errorf("a dot of %d: %v allocations", len(x), n)
	}
}
