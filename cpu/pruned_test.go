package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/check"
)

func TestMulPruned(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testPruned[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testPruned[float64](t, isa) })
	})
}

func testPruned[T dtype.Float](t *testing.T, isa string) {
	pruned := packedOnce(func(a sparse.Matrix[T]) (*rows.Pruned[T], error) { return Prune(a), nil })
	check.SparseProduct(t, func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error {
		w, err := pruned(a)
		MulPruned(scaled(isa, 2, alpha, beta), out, w, b)
		return err
	}, check.SparseOptions{Widths: level.Of([]int{17}, []int{1, 2, 15, 17, 100}, []int{1, 2, 15, 17, 64, 100, 128}), Long: level.Of(100, 300, 1000)})
}

// Several blocks of rows and of columns, for each depth of a block.
func TestMulPrunedThreads(t *testing.T) {
	rng := rand.New(level.PCG(1, 1))
	for _, density := range []float64{.01, .05, .1} {
		w := Prune(randomEntries[float32](rng, 1100, 1300, density))
		b := normalDense[float32](rng, 1300, 150)
		sameForThreads(t, func(opt Options) []float32 {
			out := layout.New[float32](1100, 150)
			MulPruned(opt, out, w, b)
			return out.Data
		})
	}
}

// Blocks beyond the first of rows and columns, in small integers.
func TestMulPrunedBlocks(t *testing.T) {
	rng := rand.New(level.PCG(1, 1))
	for i, density := range []float64{.004, .05, .1} {
		if level.Of(i == 1, false, false) {
			continue
		}
		b := sparse.NewBuilder[float32](2100, 1300)
		for range int(density * 2100 * 1300) {
			b.Add(rng.IntN(2100), rng.IntN(1300), float32(rng.IntN(9)-4))
		}
		a, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		x := layout.New[float32](1300, 70)
		for i := range x.Data {
			x.Data[i] = float32(rng.IntN(9) - 4)
		}
		want, w := layout.New[float32](2100, 70), Prune(a)
		for e, v := range a.All() {
			for j := range 70 {
				want.Data[e.I*70+j] += v * x.At(e.J, j)
			}
		}
		eachISA(t, func(t *testing.T, isa string) {
			out := layout.New[float32](2100, 70)
			MulPruned(Options{ISA: isa}, out, w, x)
			for i := range out.Data {
				if out.Data[i] != want.Data[i] {
					t.Fatalf("density %v: element (%d, %d) is %v, want %v", density, i/70, i%70, out.Data[i], want.Data[i])
				}
			}
		})
	}
}

func TestMulPrunedRefuses(t *testing.T) {
	w := Prune(randomEntries[float64](rand.New(level.PCG(1, 1)), 6, 5, .5))
	if m, n := w.Dims(); m != 6 || n != 5 || w.NNZ() == 0 {
		t.Errorf("%d x %d with %d entries", m, n, w.NNZ())
	}
	b := layout.New[float64](5, 3)
	refuses(t, "cpu.MulPruned", "out is 5 x 3, a is 6 x 5, b is 5 x 3; want m x n, m x k, k x n", func() { MulPruned(Options{}, layout.New[float64](5, 3), w, b) })
	refuses(t, "cpu.MulPruned", "out shares memory with b; copy b first", func() { MulPruned(Options{}, layout.RowMajor(b.Data, 6, 2), w, layout.RowMajor(b.Data, 5, 2)) })
}
