package cpu

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// skewed has a row with a third of all entries, one that is half of that, and half of
// the rows empty.
func skewed[T dtype.Float](rng *rand.Rand, m, k, nnz int) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](m, k)
	for i := range nnz {
		row := rng.IntN(m/2) * 2
		switch i % 6 {
		case 0, 1:
			row = m / 3
		case 2:
			row = m - 1
		}
		b.Add(row, rng.IntN(k), T(rng.NormFloat64()))
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return a
}

// The number of threads does not show in the result, bit for bit, although long rows
// are shared.
func TestSpMMThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("many threads")
	}
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testThreads[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testThreads[float64](t, isa) })
	})
}

func testThreads[T dtype.Float](t *testing.T, isa string) {
	rng := rand.New(level.PCG(7, 8))
	a := skewed[T](rng, 700, 900, 60_000)
	for _, f := range []format.Format{format.CSR, format.COO, format.CSC, format.SELL(8, 64)} {
		p, err := format.Pack(a, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 30, 64, 300} {
			b := layout.New[T](900, n)
			for i := range b.Data {
				b.Data[i] = T(rng.NormFloat64())
			}
			product := func(threads int) []T {
				out := layout.New[T](700, n)
				SpMMOpt(scaled(isa, threads, T(1.5), 0), out, p, b)
				return out.Data
			}
			want := product(1)
			var group sync.WaitGroup // several calls at once, too
			for threads := 2; threads <= 4; threads++ {
				group.Go(func() {
					if got := product(threads); !slices.Equal(got, want) {
						t.Errorf("%s, n = %d: %d threads give another result than one", f, n, threads)
					}
				})
			}
			group.Wait()
		}
	}
}

// A call allocates nothing once its buffers are there.
func TestSpMMAllocations(t *testing.T) {
	rng := rand.New(level.PCG(7, 9))
	a := skewed[float32](rng, 300, 200, 9000)
	p, err := format.Pack(a, format.SELL(4, 16))
	if err != nil {
		t.Fatal(err)
	}
	b, out := layout.New[float32](200, 40), layout.New[float32](300, 40)
	x, y := make([]float32, 200), make([]float32, 300)
	for _, isa := range run.PlainISAs() {
		opt := Options{ISA: isa, Threads: 1}
		for what, f := range map[string]func(){
			"SpMM": func() { SpMMOpt(opt, out, a, b) },
			"SpMV": func() { SpMVOpt(opt, y, a, x) },
			"SELL": func() { SpMMOpt(opt, out, p, b) },
		} {
			if isa == run.Portable && what == "SELL" {
				continue // walks the format
			}
			if n := testing.AllocsPerRun(20, f); n > 0 {
				t.Errorf("isa=%s: %s allocates %v times", isa, what, n)
			}
		}
	}
}
