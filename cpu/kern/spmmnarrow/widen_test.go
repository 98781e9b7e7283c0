package spmmnarrow

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// TestWiden: every number of bfloat16 and half precision becomes itself, by kernels of every
// instruction set, and nothing beyond the operands is touched.
func TestWiden(t *testing.T) {
	widens(t, WidenBF16, dtype.BF16FromBits, dtype.BF16.Float32)
	widens(t, WidenF16, dtype.F16FromBits, dtype.F16.Float32)
}

func widens[V dtype.BF16 | dtype.F16](t *testing.T, kernels []*kernel.Table[kernel.Func[kernel.SparseArgs]], of func(bits uint16) V, number func(V) float32) {
	for _, k := range kernels {
		if !slices.Contains(run.PlainISAs(), k.ISA) {
			continue
		}
		for _, n := range []int{0, 1, 3, 4, 7, 8, 15, 16, 17, 63, 64, 65, 79, 200} {
			widened[V, float32](t, k.ISA, k.Op("f32").F, of, number, 0x3c00-n/2, n)
			widened[V, float64](t, k.ISA, k.Op("f64").F, of, number, 0x3c00-n/2, n)
		}
		widened[V, float32](t, k.ISA, k.Op("f32").F, of, number, 0, 1<<16)
		widened[V, float64](t, k.ISA, k.Op("f64").F, of, number, 0, 1<<16)
	}
}

// widened widens the n numbers from some bits on.
func widened[V dtype.BF16 | dtype.F16, T dtype.Float](t *testing.T, isa string, f kernel.Func[kernel.SparseArgs], of func(bits uint16) V, number func(V) float32, first, n int) {
	t.Helper()
	from, to := guarded[V](t, n), guarded[T](t, n)
	for k := range from {
		from[k] = of(uint16(first + k))
	}
	args := &kernel.SparseArgs{Values: unsafe.Pointer(unsafe.SliceData(from)), C: unsafe.Pointer(unsafe.SliceData(to)), N: int64(n)}
	f(args)
	for k, v := range from {
		want := T(number(v))
		if have := to[k]; math.Float64bits(float64(have)) != math.Float64bits(float64(want)) && (have == have || want == want) {
			t.Fatalf("%s, %d values of %v from %#x on: number %d is %v, want %v", isa, n, dtype.Of[V](), first, k, have, want)
		}
	}
}

func guarded[T dtype.Elem](t *testing.T, n int) []T {
	t.Helper()
	g, err := guard.New[T](max(n, 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Check(); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g.Right(n)
}
