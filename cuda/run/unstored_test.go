package run_test

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// signed has two results: the sum, and it with the other sign.
func signed(acc float32) (out, neg float32) { return acc, -acc }

func signedIR(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
	x := op.Args[0]
	return []*emit.Value{x, b.Sub(b.Const(x.Type, 0), x)}, nil
}

var reduced = cached(gemm.Spec[float32, float32, float32, float32]{Name: "Reduced", GPU: tiling.GPU{BM: 32, BN: 32, BK: 16, WM: 16, WN: 32, Stages: 2},
	Epilogue: gemm.Fuse[float32, float32](signed, []gemm.Output{gemm.Unstored[float32]("neg")}).Unstored().
		RowLogSumExp("rows").ColLogSumExp("cols").Of("neg").RowMax("most").RowArgMax("at")}, signedIR)

// TestUnstored: reductions of two results, none of which is stored, over several tiles.
func TestUnstored(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("makes kernels of two results")
	}
	_, s := emulator(t, emu.Options{})
	for _, c := range []product{{m: 70, n: 100, k: 9}, {m: 1, n: 33, k: 4, pad: 1, off: 1}, {m: 33, n: 1, k: 0}} {
		a := upload(t, s, c.m, c.k, false, c.pad, func(i, j int) float32 { return small(1, i, j) })
		b := upload(t, s, c.k, c.n, false, c.pad, func(i, j int) float32 { return small(2, i, j) })
		rows, cols := slice[float32](t, s.Device(), c.m), slice[float32](t, s.Device(), c.n)
		most, at := slice[float32](t, s.Device(), c.m), slice[int32](t, s.Device(), c.m)
		call := run.Begin(reduced(), s, run.Options{})
		for _, x := range []cuda.Slice[float32]{rows, cols, most} {
			run.Reduced(call, x)
		}
		run.Reduced(call, at)
		run.A(call, a)
		run.B(call, b)
		if err := call.Launch(); err != nil {
			t.Fatal(err)
		}
		haveRows, haveCols, haveMost, haveAt := values(t, s, rows), values(t, s, cols), values(t, s, most), values(t, s, at)
		logSumExp := func(n int, x func(i int) float32) float64 {
			sum := 0.0
			for i := range n {
				sum += math.Exp(float64(x(i)))
			}
			return math.Log(sum)
		}
		for i := range c.m {
			most, at := float32(math.Inf(-1)), 0
			for j := range c.n {
				if x := -c.sum(i, j); x > most {
					most, at = x, j
				}
			}
			if want := logSumExp(c.n, func(j int) float32 { return c.sum(i, j) }); math.Abs(float64(haveRows[i])-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%v: row %d: %v, want %v", c, i, haveRows[i], want)
			}
			if haveMost[i] != most || int(haveAt[i]) != at {
				t.Errorf("%v: row %d: %v at %d, want %v at %d", c, i, haveMost[i], haveAt[i], most, at)
			}
		}
		for j := range c.n {
			if want := logSumExp(c.m, func(i int) float32 { return c.sum(i, j) }); math.Abs(float64(haveCols[j])-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%v: column %d: %v, want %v", c, j, haveCols[j], want)
			}
		}
	}
}

func values[T dtype.Elem](t *testing.T, s cuda.Stream, x cuda.Slice[T]) []T {
	host := make([]T, x.Len())
	if err := x.Read(s, host); err != nil {
		t.Fatal(err)
	}
	return host
}
