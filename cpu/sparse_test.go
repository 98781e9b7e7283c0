package cpu

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/verify/check"
)

// scaled is Options with factors.
func scaled[T dtype.Float](isa string, threads int, alpha, beta T) Options {
	return Options{ISA: isa, Threads: threads, Scaling: Scale(float64(alpha), float64(beta))}
}

func eachISA(t *testing.T, f func(t *testing.T, isa string)) {
	for _, isa := range SomeISAs() {
		t.Run("isa="+isa, func(t *testing.T) { f(t, isa) })
	}
}

// SomeISAs are the variants of kernels whose tests this run makes: all, or in a short run the best and the portable code.
func SomeISAs() []string {
	all := run.PlainISAs()
	return level.Of(slices.Compact([]string{all[0], all[len(all)-1]}), all, all)
}

// eachFloat runs a test of both types, in a short run of one of them, by turns.
func eachFloat(t *testing.T, turn int, f32, f64 func(t *testing.T)) {
	if level.Of(turn%2 == 0, true, true) {
		t.Run("f32", f32)
	}
	if level.Of(turn%2 == 1, true, true) {
		t.Run("f64", f64)
	}
}

// packedOnce is pack, which it calls once for matrices with the same values one after another.
func packedOnce[T dtype.Float, P any](pack func(a sparse.Matrix[T]) (P, error)) func(a sparse.Matrix[T]) (P, error) {
	var last *T
	var p P
	var err error
	return func(a sparse.Matrix[T]) (P, error) {
		_, _, values := a.CSR()
		if first := unsafe.SliceData(values); len(values) == 0 || first != last {
			last = first
			p, err = pack(a)
		}
		return p, err
	}
}

// byName is all of a map in the order of its keys: what a test draws for each is the same in every run.
func byName[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

func TestSpMM(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		for threads := 1; threads <= 3; threads++ {
			t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
				eachFloat(t, threads, func(t *testing.T) { testSpMM[float32](t, isa, threads) }, func(t *testing.T) { testSpMM[float64](t, isa, threads) })
			})
		}
	})
}

func testSpMM[T dtype.Float](t *testing.T, isa string, threads int) {
	// TestSpMMLongRow has the rows that are cut.
	o := check.SparseOptions{Long: level.Of(100, 300, 3000)}
	if !level.Long() {
		o.Widths = level.Of([]int{1, 3, 17, 33}, []int{1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 100}, nil)
	}
	if threads > 1 { // what is new is how rows are shared
		o.Widths = level.Of([]int{17}, []int{1, 17}, []int{1, 17, 128})
	}
	check.SparseProduct(t, func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error {
		SpMMOpt(scaled(isa, threads, alpha, beta), out, a, b)
		return nil
	}, o)
}

// Every format's kernels, made from its axes, multiply like compressed rows; those
// without kernels of their own go through the portable code.
func TestSpMMFormats(t *testing.T) {
	formats := []format.Format{
		format.Dense, format.CSR, format.CSC, format.COO, format.DCSR, format.ELL(1), format.ELL(64), format.SELL(4, 1), format.SELL(8, 32), format.DIA,
		format.Ragged, format.SRBCRS(4, 8), format.SRBCRS(8, 1), format.BSR(4), format.DBSR(2),
	}
	eachISA(t, func(t *testing.T, isa string) {
		for at, f := range formats {
			t.Run("format="+f.Name, func(t *testing.T) {
				eachFloat(t, at, func(t *testing.T) { testFormat[float32](t, isa, f) }, func(t *testing.T) { testFormat[float64](t, isa, f) })
			})
		}
	})
}

func testFormat[T dtype.Float](t *testing.T, isa string, f format.Format) {
	packed := packedOnce(func(a sparse.Matrix[T]) (format.Packed[T], error) { return format.Pack(a, f) })
	check.SparseProduct(t, func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error {
		p, err := packed(a)
		if err != nil {
			return err // the format cannot hold it
		}
		SpMMOpt(scaled(isa, 2, alpha, beta), out, p, b)
		return nil
	}, check.SparseOptions{Widths: level.Of([]int{17}, []int{1, 17}, []int{1, 8, 17, 64, 100}), Long: level.Of(60, 120, 400)})
}
