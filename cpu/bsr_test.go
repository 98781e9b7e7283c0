package cpu

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/verify/check"
)

func TestSpMMBlocks(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		for at, f := range []format.Format{format.BSR(1), format.BSR(5), format.BSR(32), format.DBSR(3), format.DBSR(16)} {
			t.Run("format="+f.Name, func(t *testing.T) {
				eachFloat(t, at, func(t *testing.T) { testBlocks(t, isa, f, SpMMBlocks[float32]) }, func(t *testing.T) { testBlocks(t, isa, f, SpMMBlocks[float64]) })
			})
		}
	})
}

// testBlocks checks multiply, SpMM or SpMMBlocks, for matrices in one format.
func testBlocks[T dtype.Float](t *testing.T, isa string, f format.Format, multiply func(Options, layout.Matrix[T], format.Packed[T], layout.Matrix[T])) {
	packed := packedOnce(func(a sparse.Matrix[T]) (format.Packed[T], error) { return format.Pack(a, f) })
	check.SparseProduct(t, func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error {
		p, err := packed(a)
		if err != nil {
			return err // too many slots
		}
		multiply(scaled(isa, 2, alpha, beta), out, p, b)
		return nil
	}, check.SparseOptions{Widths: level.Of([]int{17}, []int{1, 17}, []int{1, 17, 100}), Long: level.Of(40, 60, 300)})
}

// randomEntries is an m x n matrix with about that part of its elements, of random
// numbers.
func randomEntries[T dtype.Float](rng *rand.Rand, m, n int, density float64) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](m, n)
	for i := range m {
		for j := range n {
			if rng.Float64() < density {
				b.Add(i, j, T(rng.NormFloat64()))
			}
		}
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return a
}

func normalDense[T dtype.Float](rng *rand.Rand, m, n int) layout.Matrix[T] {
	x := layout.New[T](m, n)
	for i := range x.Data {
		x.Data[i] = T(rng.NormFloat64())
	}
	return x
}

// sameForThreads runs f with 1 to 4 threads; what it returns must be the same, bit
// for bit.
func sameForThreads[T dtype.Float](t *testing.T, f func(opt Options) []T) {
	t.Helper()
	eachISA(t, func(t *testing.T, isa string) {
		want := f(Options{ISA: isa, Threads: 1})
		for threads := 2; threads <= 4; threads++ {
			for i, x := range f(Options{ISA: isa, Threads: threads}) {
				if x != want[i] {
					t.Fatalf("with %d threads result %d is %v, with one %v", threads, i, x, want[i])
				}
			}
		}
	})
}

// A block-sparse matrix and one with holes, wide enough for several groups of panels.
func TestSpMMBlocksThreads(t *testing.T) {
	rng := rand.New(level.PCG(1, 1))
	a := randomEntries[float32](rng, 300, 1100, .3)
	p, err := format.Pack(a, format.BSR(32))
	if err != nil {
		t.Fatal(err)
	}
	b := normalDense[float32](rng, 1100, 700)
	sameForThreads(t, func(opt Options) []float32 {
		out := layout.New[float32](300, 700)
		SpMMBlocks(opt, out, p, b)
		return out.Data
	})
}

func TestSpMMBlocksRefuses(t *testing.T) {
	a := randomEntries[float64](rand.New(level.PCG(1, 1)), 6, 5, .5)
	pack := func(f format.Format) format.Packed[float64] {
		p, err := format.Pack(a, f)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	out, b := layout.New[float64](6, 3), layout.New[float64](5, 3)
	for _, c := range []struct {
		why    string
		out, b layout.Matrix[float64]
		f      format.Format
	}{
		{"a has the format csr; want bsr or dbsr", out, b, format.CSR},
		{"a has the format srbcrs2_2; want bsr or dbsr", out, b, format.SRBCRS(2, 2)},
		{"out is 6 x 3, a is 6 x 5, b is 6 x 3; want m x n, m x k, k x n", out, out, format.BSR(2)},
		{"out shares memory with b; copy b first", layout.RowMajor(b.Data, 6, 2), layout.RowMajor(b.Data, 5, 2), format.BSR(2)},
	} {
		t.Run(c.why, func(t *testing.T) {
			refuses(t, "cpu.SpMMBlocks", c.why, func() { SpMMBlocks(Options{}, c.out, pack(c.f), c.b) })
		})
	}
}

// refuses wants f to panic with that ShapeError.
func refuses(t *testing.T, what, why string, f func()) {
	t.Helper()
	wantPanic(t, layout.ShapeError{What: what, Why: why}, f)
}

// refusesOption is refuses of an option.
func refusesOption(t *testing.T, what, why string, f func()) {
	t.Helper()
	wantPanic(t, run.OptionError{What: what, Why: why}, f)
}

// wantPanic wants f to panic with want.
func wantPanic(t *testing.T, want error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); !reflect.DeepEqual(got, want) {
			t.Errorf("panics with %T %v, want %T %v", got, got, want, want)
		}
	}()
	f()
}
