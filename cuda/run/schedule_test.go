package run_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// shared is a product of small tiles.
var shared = cached(gemm.Spec[float32, float32, float32, float32]{Name: "Shared", GPU: tiling.GPU{BM: 32, BN: 32, BK: 16, WM: 16, WN: 32, Stages: 2}}, nil)

func callShared(s cuda.Stream, opt run.Options, out, a, b cuda.Matrix[float32]) error {
	c := run.Begin(shared(), s, opt)
	run.Out(c, out)
	run.A(c, a)
	run.B(c, b)
	return c.Launch()
}

// callUnpadded is callShared with kernels of before there was one that copies operands.
func callUnpadded(s cuda.Stream, opt run.Options, out, a, b cuda.Matrix[float32]) error {
	c := run.Begin(unpadded(), s, opt)
	run.Out(c, out)
	run.A(c, a)
	run.B(c, b)
	return c.Launch()
}

var unpadded = sync.OnceValue(func() *run.Set {
	of := shared()
	t := of.Targets[0]
	t.Pad = ""
	return &run.Set{Name: of.Name, A: of.A, B: of.B, Slots: of.Slots, Plain: of.Plain, Targets: []run.Target{t}}
})

// TestSchedule: how steps of K are shared between CTAs, by the numbers.
func TestSchedule(t *testing.T) {
	d, s := device(t)
	const name = "shared_sm80_kn16split"
	for _, c := range []struct {
		m, n, k                int
		how                    run.Schedule
		ctas, steps, span, all int
		parts                  bool
	}{
		{32, 32, 16 * 12, run.SplitK(3), 3, 12, 4, 12, true},
		{32, 32, 16*12 + 1, run.SplitK(3), 3, 15, 5, 15, true}, // 13 steps
		{32, 32, 16 * 9, run.SplitK(4), 3, 9, 3, 9, true},      // in threes
		{64, 32, 50, run.SplitK(100), 8, 4, 1, 8, true},        // more parts than steps
		{64, 96, 160, run.SplitK(1), 6, 10, 10, 60, false},     // none
		{64, 96, 160, run.StreamK(7), 7, 10, 9, 60, true},      //
		{64, 96, 160, run.StreamK(6), 6, 10, 10, 60, false},    //
		{64, 96, 160, run.StreamK(3), 3, 10, 20, 60, false},    //
		{64, 96, 160, run.StreamK(4), 4, 10, 15, 60, true},     //
		{64, 96, 0, run.StreamK(9), 6, 1, 1, 6, false},         // nothing to sum
		{64, 96, 160, run.StreamK(math.MaxInt32), 60, 10, 1, 60, true},
	} {
		d.launches = nil
		opt := run.Options{Kernel: name, Schedule: c.how}
		if err := callShared(s, opt, matrix[float32](t, d, c.m, c.n, 0), matrix[float32](t, d, c.m, c.k, (max(c.k, 1)+3)&^3), matrix[float32](t, d, c.k, c.n, 0)); err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		want := 1
		if c.parts {
			want = 2
		}
		l := d.launches[0]
		behind := l.params[len(l.params)-param.SplitBytes:]
		field := func(at int) int { return int(binary.LittleEndian.Uint32(behind[at:])) }
		if have := [4]int{l.grid.Blocks[0], field(param.Steps), field(param.Span), field(param.All)}; have != [4]int{c.ctas, c.steps, c.span, c.all} || len(d.launches) != want {
			t.Errorf("%v: %d launches, %v", c, len(d.launches), have)
		}
		if c.parts && d.launches[1].grid.Blocks != [3]int{c.m / 32 * (c.n / 32), 1, 1} {
			t.Errorf("%v: tiles are ended by %v", c, d.launches[1].grid)
		}
	}
}

// TestScheduleChosen: few tiles and much of K are shared by as many CTAs as the GPU has
// room for, others are not; which depends on the GPU.
func TestScheduleChosen(t *testing.T) {
	for _, c := range []struct {
		sms, m, n, k int
		split        bool
	}{
		{132, 64, 64, 1 << 16, true}, {132, 64, 4096, 8192, true}, {132, 64, 64, 64, false}, {132, 4096, 4096, 4096, false},
		{132, 64, 61, 1 << 16, true}, {8, 64, 4096, 8192, false}, {1, 64, 64, 1 << 16, false},
	} {
		d, s := device(t)
		d.info.SMs = c.sms
		stride := (c.n + 1) &^ 1 // one that is aligned to 4 bytes, if to no more
		out, a, b := matrix[dtype.BF16](t, d, c.m, c.n, stride), matrix[dtype.BF16](t, d, c.m, c.k, 0), matrix[dtype.BF16](t, d, c.k, c.n, stride)
		for _, opt := range []run.Options{{}, {Schedule: run.SplitK(1)}} {
			d.launches = nil
			if err := MatMulBF16(s, opt, out, a, b); err != nil {
				t.Fatal(err)
			}
			if split := strings.HasSuffix(d.launches[0].name, "split"); split != (c.split && opt == run.Options{}) {
				t.Errorf("%v, %v: %s", c, opt.Schedule, d.launches[0].name)
			} else if n := d.launches[0].grid.Blocks[0]; split && (n < c.sms || n > 4*c.sms) {
				t.Errorf("%v: %d CTAs", c, n)
			}
		}
	}
}

// TestScheduleRefused: what cannot be shared says why, with numbers.
func TestScheduleRefused(t *testing.T) {
	d, s := device(t)
	d.info.TotalMemory = 1 << 30
	square := func(n int) cuda.Matrix[float32] { return matrix[float32](t, d, n, n, 0) }
	sparse := matrix[float32](t, d, 32, 64, 65)
	sparse.Cols, sparse.ColStride = 32, 2 // every second column
	for want, err := range map[string]error{
		"Options.Schedule is SplitK(0), want 1 or more":                                              callShared(s, run.Options{Schedule: run.SplitK(0)}, square(32), square(32), square(32)),
		"Options.Schedule is StreamK(-2), want 1 or more":                                            callShared(s, run.Options{Schedule: run.StreamK(-2)}, square(32), square(32), square(32)),
		"have their rows or columns at multiples of 4 bytes, as padded copies, or ask for SplitK(1)": callUnpadded(s, run.Options{Schedule: run.SplitK(2)}, square(32), square(32), sparse),
		"has a tile for each CTA, and Options.Schedule is SplitK(2)":                                 callShared(s, run.Options{Kernel: "shared_sm80_kn16", Schedule: run.SplitK(2)}, square(32), square(32), square(32)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if deep := 1 << min(38, strconv.IntSize-2); strconv.IntSize > 32 {
		err := callShared(s, run.Options{Schedule: run.SplitK(2)}, matrix[float32](t, d, 1, 1, 0), matrix[float32](t, d, 1, deep, 0), matrix[float32](t, d, deep, 1, 0))
		if err == nil || !strings.Contains(err.Error(), "more steps than the 1073741824 that are shared") {
			t.Error(err)
		}
	}
	big := matrix[float32](t, d, 32, 1024, 0)
	err := callShared(s, run.Options{Schedule: run.SplitK(1 << 20)}, big, matrix[float32](t, d, 32, 16<<13, 0), matrix[float32](t, d, 16<<13, 1024, 0))
	if !errors.Is(err, cuda.ErrMemory) || !strings.Contains(err.Error(), "the sums of 262144 CTAs with parts of tiles take 2147483648 bytes for each of 1 products, fake has 1073741824") {
		t.Error(err)
	}
}

// TestSharedBits: the sums of a product depend on how K is cut and not on the order in which
// CTAs are done.
func TestSharedBits(t *testing.T) {
	const m, n, k = 40, 70, 16*7 + 3
	random := rand.New(level.PCG(1, 2))
	x := make([]float32, m*k+k*n)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	for _, how := range []run.Schedule{run.SplitK(3), run.StreamK(5)} {
		var want []float32
		for i, o := range []emu.Options{{}, {Seed: 1, Async: emu.Latest, SMs: 1}, {Seed: 2, Async: emu.Random, SMs: 100, Workers: 2}} {
			_, s := emulator(t, o)
			a := upload(t, s, m, k, false, 0, func(i, j int) float32 { return x[i*k+j] })
			b := upload(t, s, k, n, false, 0, func(i, j int) float32 { return x[m*k+i*n+j] })
			out := upload(t, s, m, n, false, 0, func(i, j int) float32 { return 0 })
			if err := callShared(s, run.Options{Schedule: how}, out, a, b); err != nil {
				t.Fatal(err)
			}
			have := download(t, s, out)
			var all []float32
			for i := range m {
				for j := range n {
					all = append(all, have.At(i, j))
				}
			}
			if i == 0 {
				want = all
			} else if !slices.Equal(all, want) {
				t.Errorf("%v: other bits with %+v", how, o)
			}
		}
	}
}

// TestSharedNarrow: tiles of operands that are aligned to no more than 4 bytes are shared too, and
// so are those of an out that is not, which ask for another kernel to end them.
func TestSharedNarrow(t *testing.T) {
	for at, x := range []struct {
		padA, padB, padOut int
		aT, bT             bool
		want               string
	}{
		{1, 0, 0, false, false, "kn4split"}, {0, 3, 0, true, false, "mn4split"}, {1, 1, 1, false, true, "kk4split"}, {0, 0, 1, true, true, "mk4split"}, {0, 0, 0, false, false, "kn16split"},
	} {
		for i, how := range []run.Schedule{run.SplitK(3), run.StreamK(5), run.StreamK(4)} {
			if level.Of(i != at%3, false, false) { // a short run has one of each
				continue
			}
			d, s := emulator(t, emu.Options{Seed: 3, Async: emu.Latest})
			c := product{m: 40, n: 70, k: 16*7 + 3}
			a := upload(t, s, c.m, c.k, x.aT, x.padA, func(i, l int) float32 { return small(1, i, l) })
			b := upload(t, s, c.k, c.n, x.bT, x.padB, func(l, j int) float32 { return small(2, l, j) })
			out := upload(t, s, c.m, c.n, false, x.padOut, func(i, j int) float32 { return 0 })
			if err := callShared(s, run.Options{Schedule: how}, out, a, b); err != nil {
				t.Fatal(err)
			}
			have := download(t, s, out)
			for i := range c.m {
				for j := range c.n {
					if y := c.sum(i, j); have.At(i, j) != y {
						t.Fatalf("%+v, %v: out[%d, %d] = %g, want %g", x, how, i, j, have.At(i, j), y)
					}
				}
			}
			var used []string
			for _, k := range d.Report().Kernels {
				used = append(used, k.Name)
			}
			ends := "shared_sm80_parts"
			if x.want != "kn16split" {
				ends += "narrow"
			}
			if want := []string{"shared_sm80_" + x.want, ends}; !slices.Equal(used, want) {
				t.Errorf("%+v, %v: %q, want %q", x, how, used, want)
			}
		}
	}
}
