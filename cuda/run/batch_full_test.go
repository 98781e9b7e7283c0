package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
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

// short is warp with a kernel that was written by hand: a product of 1 x 1 x 1 by the first thread of a
// CTA, in thirty instructions, where warp takes 1,300 for a tile.
func short() *run.Set {
	set := *warp()
	t := set.Targets[0]
	k := t.Kernels[slices.IndexFunc(t.Kernels, func(k run.Kernel) bool { return k.Name == "warp_sm80_kn16" })]
	cut := func(name string) (head, all string) {
		at := strings.Index(t.PTX, ".visible .entry "+name+"(")
		all = t.PTX[at:][:strings.Index(t.PTX[at:], "\n}\n")+3]
		return all[:strings.Index(all, "{")], all
	}
	product, _ := cut(k.Name)
	_, join := cut(t.Joins[0])
	body := ".reg .pred %p<2>;\n.reg .b16 %h<3>;\n.reg .b32 %r<5>;\n.reg .f32 %f<5>;\n.reg .b64 %rd<12>;\n" +
		"mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nmov.u32 %r2, %ctaid.z;\ncvt.u64.u32 %rd1, %r2;\n"
	for i, x := range []string{"a", "b", "p0", "p1", "p2"} {
		body += strings.NewReplacer("ADDRESS", "arg_"+x, "STRIDE", "arg_bs"+strings.TrimPrefix(x, "p"), "%at", fmt.Sprintf("%%rd%d", 2+i)).Replace(
			"ld.param.u64 %rd10, [ADDRESS];\nld.param.u64 %rd11, [STRIDE];\nmad.lo.u64 %at, %rd1, %rd11, %rd10;\n")
	}
	body += "ld.global.b16 %h1, [%rd2];\nld.global.b16 %h2, [%rd3];\ncvt.u32.u16 %r3, %h1;\ncvt.u32.u16 %r4, %h2;\nshl.b32 %r3, %r3, 16;\nshl.b32 %r4, %r4, 16;\n" +
		"mov.b32 %f1, %r3;\nmov.b32 %f2, %r4;\nld.global.f32 %f3, [%rd5];\nfma.rn.f32 %f4, %f1, %f2, %f3;\nst.global.f32 [%rd4], %f4;\nst.global.f32 [%rd6], %f4;\nret;\n"
	t.PTX = t.PTX[:strings.Index(t.PTX, ".visible .entry")] + join + product + "{\n" + body + "}\n"
	k.Shared = 0
	t.Kernels = []run.Kernel{k}
	return &run.Set{Name: set.Name, A: set.A, B: set.B, Acc: set.Acc, Slots: set.Slots, Targets: []run.Target{t}}
}

// TestFullBatch executes as many products as the z of a grid has room for, and two more, for
// which there is a second launch. Limits of the emulator are those of a block: all blocks together execute far more.
func TestFullBatch(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("executes 65,537 products")
	}
	set, o := short(), emu.Options{SMs: 1, MaxSteps: 1_000, MaxTime: time.Second}
	if long { // by a kernel for tiles, in seconds; checks are left out for their time
		set, o = warp(), emu.Options{NoChecks: true, MaxSteps: 20_000, MaxTime: time.Second}
	}
	const count, m, n, k = 65535 + 2, 1, 1, 1
	d, s := emulator(t, o)
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
	c := run.Begin(set, s, run.Options{})
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
