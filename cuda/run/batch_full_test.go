package run_test

import (
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// plus is an epilogue of which there are sums, so that a launch has a workspace and one
// behind it that joins.
func plus(acc, x float32) float32 { return acc + x }

func plusIR(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
	return []*emit.Value{b.Add(op.Args[0], op.Args[1])}, nil
}

// warp has kernels of one warp: many CTAs of it take the emulator little.
var warp = cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Warp",
	GPU:      tiling.GPU{BM: 16, BN: 32, BK: 16, WM: 16, WN: 32, Stages: 2},
	Epilogue: gemm.Map2(plus, gemm.PerRow[float32]("x")).RowSum("sums")}, plusIR)

// TestFullBatch executes as many products as the z of a grid has room for, and two more, for
// which there is a second launch. Each is small: limits of the emulator are those of a block.
func TestFullBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("executes 65,537 CTAs")
	}
	const count, m, n, k = 65535 + 2, 1, 1, 3
	// A CTA executes 1,300 instructions; all of them are a thousand times more than a block may.
	// Checks are left out for their time: other tests have them.
	d, s := emulator(t, emu.Options{NoChecks: true, MaxSteps: 20_000, MaxTime: time.Second})
	a := stack(t, s, count, m, k, 0, func(z, i, j int) dtype.BF16 { return dtype.ToBF16(small(1, z, j)) })
	b := stack(t, s, count, k, n, 0, func(z, i, j int) dtype.BF16 { return dtype.ToBF16(small(2, i, z)) })
	out := stack(t, s, count, m, n, 0, func(z, i, j int) float32 { return -1 })
	host := make([]float32, count)
	for z := range host {
		host[z] = float32(z % 1000)
	}
	x, err := cuda.Upload(s, host)
	if err != nil {
		t.Fatal(err)
	}
	sums := slice[float32](t, d, count)
	c := run.Begin(warp(), s, run.Options{})
	run.OutBatch(c, out)
	run.Reduced(c, sums)
	run.ABatch(c, a)
	run.BBatch(c, b)
	run.PerRow(c, x)
	if err := c.Launch(); err != nil {
		t.Fatal(err)
	}
	if err := s.Synchronize(); err != nil {
		t.Fatal(err)
	}
	all := out.Matrix
	all.Rows *= count
	have := download(t, s, all)
	total, err := sums.Download(s)
	if err != nil {
		t.Fatal(err)
	}
	for z := range count {
		want := float32(z % 1000)
		for l := range k {
			want += small(1, z, l) * small(2, l, z)
		}
		if x := have.At(z, 0); x != want || total[z] != want {
			t.Fatalf("product %d is %g, its sum %g, want %g", z, x, total[z], want)
		}
	}
}
