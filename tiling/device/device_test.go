package device

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// TestDevices: the rates are those of the data sheets, in TFLOP/s.
func TestDevices(t *testing.T) {
	for _, c := range []struct {
		name  string
		unit  Unit
		peak  float64
		share float64
	}{
		{"a100", Half, 312, 1}, {"a100", TF32, 156, 1}, {"a100", Byte, 624, 1}, {"a100", FMA32, 19.5, 1}, {"a100", Double, 19.5, 1},
		{"rtx4090", Half, 165.2, 1}, {"rtx4090", HalfF16, 330.3, 1}, {"rtx4090", TF32, 82.6, 1}, {"rtx4090", Float8, 330.3, 1}, {"rtx4090", FMA32, 82.6, 1}, {"rtx4090", Byte, 660.6, 1},
		{"h100", Half, 989.4, mmaSync}, {"h100", TF32, 494.7, mmaSync}, {"h100", Byte, 1978.9, mmaSync}, {"h200", Half, 989.4, mmaSync}, {"h200", FMA32, 61.8, 1},
	} {
		d, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		have := 2 * d.Rate[c.unit] * float64(d.SMs) * d.Boost * 1e6 / 1e12
		if math.Abs(have/(c.peak*c.share)-1) > 0.01 {
			t.Errorf("%s %v: %.1f TFLOP/s, want %.1f", c.name, c.unit, have, c.peak*c.share)
		}
		if limits := tiling.GPUTargets[d.Target]; limits.Shared != d.SharedCTA {
			t.Errorf("%s: %d bytes of shared memory, of %s there are %d", c.name, d.SharedCTA, d.Target, limits.Shared)
		}
	}
	if _, err := Find("b200"); err == nil || !strings.Contains(err.Error(), "there is a100, rtx4090, h100, h200") {
		t.Error(err)
	}
}

// large is the tile for large products on tensor cores.
var large = Kernel{Name: "large", Tile: tiling.GPU{BM: 128, BN: 256, BK: 64, WM: 64, WN: 64, Stages: 3}, Unit: Half, Size: 2, Sum: 4, Out: 2, Shared: 147456,
	Loop: Typical(tiling.GPU{BM: 128, BN: 256, BK: 64, WM: 64, WN: 64, Stages: 3}, 2), Group: 8}

// TestBounds: what rules where it is plain.
func TestBounds(t *testing.T) {
	with := func(change func(k *Kernel)) Kernel {
		k := large
		change(&k)
		return k
	}
	for _, c := range []struct {
		device string
		k      Kernel
		p      Product
		want   cost.Resource
	}{
		{"a100", large, Product{8192, 8192, 8192, 1}, cost.Tensor},
		{"a100", large, Product{128, 256, 64, 1}, cost.Launch},
		{"a100", large, Product{128, 256, 1 << 20, 1}, cost.Waves}, // one SM of 108
		{"a100", large, Product{16, 1 << 17, 8192, 1}, cost.Memory},
		{"rtx4090", with(func(k *Kernel) { k.Tile.BM, k.Tile.WM, k.Shared = 16, 16, 3*272*128; k.Loop = Typical(k.Tile, 2) }), Product{16, 1 << 17, 8192, 1}, cost.Memory},
		{"h100", with(func(k *Kernel) { k.Tile.BN = 128; k.Shared = 98304 }), Product{8192, 8192, 8192, 1}, cost.L2},
		{"a100", with(func(k *Kernel) { k.Loop.Instructions = 5000 }), Product{8192, 8192, 8192, 1}, cost.Issue},
		{"a100", with(func(k *Kernel) { k.Loop.Wavefronts = 1000 }), Product{8192, 8192, 8192, 1}, cost.Shared},
		{"a100", with(func(k *Kernel) {
			k.Tile = tiling.GPU{BM: 64, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 1}
			k.Loop = Typical(k.Tile, 2)
		}), Product{640, 640, 8192, 1}, cost.Latency},
	} {
		d, err := Find(c.device)
		if err != nil {
			t.Fatal(err)
		}
		if c.device == "rtx4090" {
			c.k.Shared = min(c.k.Shared, d.SharedCTA)
		}
		p, err := d.Predict(&c.k, c.p, Split{})
		if err != nil || p.Bound() != c.want {
			t.Errorf("%s, %v, %v: %v %.3g, want %v; %v", c.device, c.k.Tile, c.p, p.Bound(), p.Spent, c.want, err)
		}
	}
}

// TestRefused: what a device cannot run says why; nothing takes no time.
func TestRefused(t *testing.T) {
	a100, rtx := &Devices[0], &Devices[1]
	with := func(change func(k *Kernel)) *Kernel {
		k := large
		change(&k)
		return &k
	}
	for _, c := range []struct {
		d    *Device
		k    *Kernel
		p    Product
		want string
	}{
		{a100, &large, Product{-1, 1, 1, 1}, "1 products of -1 x 1 x 1: sizes must not be negative"},
		{a100, &large, Product{1, 1, 1, math.MinInt}, "sizes must not be negative"},
		{rtx, &large, Product{64, 64, 64, 1}, "GeForce RTX 4090 has no room for a CTA of 147456 bytes of shared memory and 256 threads"},
		{a100, with(func(k *Kernel) { k.Unit = Float8 }), Product{64, 64, 64, 1}, "A100 SXM4 40 GB has no units for f8"},
		{a100, with(func(k *Kernel) { k.Tile.WM = 0 }), Product{64, 64, 64, 1}, "is no tile"},
		{a100, with(func(k *Kernel) { k.Tile.BM = math.MaxInt }), Product{64, 64, 64, 1}, "is no tile"},
		{a100, with(func(k *Kernel) { k.Loop.FMAs = math.Inf(1) }), Product{64, 64, 64, 1}, "is no main loop"},
		{a100, with(func(k *Kernel) { k.Loop.Copies = -1 }), Product{64, 64, 64, 1}, "is no main loop"},
	} {
		if _, err := c.d.Predict(c.k, c.p, Split{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.p, err, c.want)
		}
	}
	for _, s := range []Split{{-1, 1, 1}, {1, -1, 1}, {1, 1, math.Inf(1)}, {1, 1, math.NaN()}, {1, 1, -1}, {0, 1, 2}} {
		if _, err := a100.Predict(&large, Product{64, 64, 64, 1}, s); err == nil || !strings.Contains(err.Error(), "is no split") {
			t.Errorf("%v: %v", s, err)
		}
	}
	for _, p := range []Product{{0, 5, 5, 1}, {5, 0, 5, 1}, {5, 5, 5, 0}} {
		if x, err := a100.Predict(&large, p, Split{}); err != nil || x.Seconds != 0 || x.Rate() != 0 {
			t.Errorf("%v: %v %v", p, x, err)
		}
	}
}

// FuzzPredict: any sizes are refused or take a finite time, longer with more of K.
func FuzzPredict(f *testing.F) {
	f.Add(1, 1, 0, 1, int64(0), int64(0), 0.0)
	f.Add(4096, 4096, 4096, 1, int64(0), int64(0), 0.0)
	f.Add(math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, int64(math.MaxInt64), int64(math.MaxInt64), 1e18)
	f.Add(64, 64, 1<<29, 1, int64(132), int64(100), 132.0)
	f.Fuzz(func(t *testing.T, m, n, k, count int, ctas, span int64, parts float64) {
		for i := range Devices {
			p, err := Devices[i].Predict(&large, Product{m, n, k, count}, Split{ctas, span, parts})
			if err != nil {
				continue
			}
			if !(p.Seconds >= 0) || math.IsInf(p.Seconds, 0) || math.IsNaN(p.Rate()) {
				t.Fatalf("%d x %d x %d x %d, %d CTAs of %d, %g: %+v", count, m, n, k, ctas, span, parts, p)
			}
			for _, x := range p.Spent {
				if !(x >= 0) || math.IsInf(x, 0) {
					t.Fatalf("%+v", p)
				}
			}
			if ctas == 0 && int64(k) < 1<<40 && k < math.MaxInt-64 {
				if q, err := Devices[i].Predict(&large, Product{m, n, k + 64, count}, Split{}); err != nil || q.Seconds < p.Seconds {
					t.Fatalf("%d x %d x %d: %g, with a step more %g", m, n, k, p.Seconds, q.Seconds)
				}
			}
		}
	})
}

// TestMainLoop counts in a text that is known: a loop in a loop, an epilogue with two ways.
func TestMainLoop(t *testing.T) {
	const text = `.visible .entry k(
	.param .u64 arg_a
)
.maxntid 64, 1, 1
{
	.reg .pred %p<3>;
	mov.u32 %r1, %tid.x;
$L1:
	add.s32 %r1, %r1, 1;
$L2:
	ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];
	ld.shared.f32 %f5, [%r1];
	ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [%r2];
	cp.async.cg.shared.global [%r1], [%rd1], 16;
	cp.async.commit_group;
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f6}, {%r3}, {%r4}, {%f6};
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f7}, {%r3}, {%r4}, {%f7};
	mov.b32 %r5, %r6;
	@%p1 bra $L2;
	@%p2 bra $L1;
$L3:
	ld.shared.f32 %f5, [%r1];
	@%p1 bra $L4;
	mul.rn.f32 %f5, %f5, %f5;
	mul.rn.f32 %f5, %f5, %f5;
	st.global.v4.f32 [%rd1], {%f5, %f5, %f5, %f5};
	bra.uni $L5;
$L4:
	st.global.f32 [%rd1], %f5;
$L5:
	add.s32 %r1, %r1, 1;
	@%p1 bra $L3;
	ret;
}
`
	want := Mix{MMA: 2, Loads: 3, Copies: 1, Others: 1, Unit: Half, FMAs: 2048, Wavefronts: 7}
	if d := cmp.Diff(want, MainLoop(text)); d != "" {
		t.Error(d)
	}
	k, err := Kernel{Name: "k"}.Counted(text, 4)
	if d := cmp.Diff(Kernel{Name: "k", Unit: Half, Loop: Loop{FMAs: 4096, Instructions: 7, Wavefronts: 7, Copies: 1}, End: 1.75}, k); err != nil || d != "" {
		t.Error(err, d)
	}
	gather := strings.ReplaceAll(text, "	cp.async.cg.shared.global [%r1], [%rd1], 16;\n", `$L8:
	@%p1 ld.global.b16 %h1, [%rd1];
	st.shared.b16 [%r1], %h1;
	st.shared.b16 [%r1], %h1;
	@%p1 bra $L8;
`)
	tile := Kernel{Tile: tiling.GPU{BM: 32, BN: 32, BK: 16, WM: 16, WN: 32, Stages: 2}, Size: 2, Out: 2}
	// 1024 elements, 64 threads, two at a time: 8 times, of which one is counted, and each waits.
	want2 := Loop{FMAs: 4096, Instructions: 6 + 4 + 7*3, Wavefronts: 7, Waits: 8}
	if k, err := tile.Counted(gather, 4); err != nil || k.Loop != want2 {
		t.Errorf("%+v, want %+v; %v", k.Loop, want2, err)
	}
	if _, err := (Kernel{Name: "none"}).Counted("mov.u32 %r1, 1;\n", 1); err == nil || !strings.Contains(err.Error(), "none: its text has no main loop") {
		t.Error(err)
	}
	for op, want := range map[string]struct {
		Unit Unit
		FMAs int
	}{
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16": {HalfF16, 2048}, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": {TF32, 1024},
		"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32": {Byte, 4096}, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32": {Float8, 4096},
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64": {Double, 256}, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32": {Half, 2048},
		"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc": {Cores, 8192},
	} {
		if u, n := unitOf(op); u != want.Unit || n != want.FMAs {
			t.Errorf("%s: %v, %d", op, u, n)
		}
	}
}
