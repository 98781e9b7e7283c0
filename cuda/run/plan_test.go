package run_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	gpus "github.com/tilesmith/tilesmith/tiling/device"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

func infoOf(d *gpus.Device) cuda.Info {
	return cuda.Info{Name: d.Title, Major: d.Major, Minor: d.Minor, SMs: d.SMs, L2: int64(d.L2), SharedPerBlock: int64(d.SharedCTA), ClockKHz: int(d.Boost * 1000)}
}

// TestPlan: what is planned for a device is what a call launches on it.
func TestPlan(t *testing.T) {
	set := kernels.MatMulBF16.Kernels()
	for i := range gpus.Devices {
		info := infoOf(&gpus.Devices[i])
		for _, size := range [][3]int{{4096, 4096, 4096}, {64, 64, 1 << 16}, {128, 4096, 4096}, {300, 300, 100}, {16, 4096, 14336}, {1000, 1000, 1001}, {1001, 1001, 1001}, {31, 31, 31}, {1, 1, 0}} {
			p := gpus.Product{M: size[0], N: size[1], K: size[2], Count: 1}
			cs, err := run.Plan(set, info, p, false, false)
			if err != nil || len(cs) == 0 {
				t.Errorf("%s, %v: %v", info.Name, p, err)
				continue
			}
			d, s := device(t)
			d.info.Name, d.info.Major, d.info.Minor, d.info.SMs, d.info.L2, d.info.SharedPerBlock, d.info.ClockKHz =
				info.Name, info.Major, info.Minor, info.SMs, info.L2, info.SharedPerBlock, info.ClockKHz
			if err := MatMulBF16(s, run.Options{}, matrix[dtype.BF16](t, d, p.M, p.N, 0), matrix[dtype.BF16](t, d, p.M, p.K, 0), matrix[dtype.BF16](t, d, p.K, p.N, 0)); err != nil {
				t.Fatal(err)
			}
			l := d.launches[len(cs[0].Pad)] // behind copies of operands
			if cs[0].Kernel != l.name || strings.HasSuffix(l.name, "split") != (cs[0].Schedule != "") {
				t.Errorf("%s, %v: planned %s %s, launched %s", info.Name, p, cs[0].Kernel, cs[0].Schedule, l.name)
			}
			for _, c := range cs[1:] {
				if c.Seconds < cs[0].Seconds {
					t.Errorf("%s, %v: %s takes %g, chosen was %s with %g", info.Name, p, c.Kernel, c.Seconds, cs[0].Kernel, cs[0].Seconds)
				}
			}
		}
	}
}

// TestPlanRefused: absurd sizes are refused, or planned in finite time.
func TestPlanRefused(t *testing.T) {
	set, a100 := kernels.MatMulBF16.Kernels(), infoOf(&gpus.Devices[0])
	old := a100
	old.Major, old.Minor = 7, 5
	tiny := a100
	tiny.SharedPerBlock = 1 << 10
	for _, c := range []struct {
		info cuda.Info
		p    gpus.Product
		want string
	}{
		{a100, gpus.Product{M: 0, N: 1, K: 1, Count: 1}, "want one or more, of at least one row and column"},
		{a100, gpus.Product{M: 1, N: 1, K: 1}, "0 products of 1 x 1 x 1"},
		{a100, gpus.Product{M: 1, N: -1, K: 1, Count: 1}, "1 products of 1 x -1 x 1"},
		{a100, gpus.Product{M: math.MaxInt, N: math.MaxInt, K: math.MaxInt, Count: math.MaxInt}, "more than"},
		{a100, gpus.Product{M: math.MaxInt32, N: math.MaxInt32, K: 1, Count: 1}, "more than"},
		{old, gpus.Product{M: 64, N: 64, K: 64, Count: 1}, "sm_75"},
		{tiny, gpus.Product{M: 64, N: 64, K: 64, Count: 1}, "bytes of shared memory and more"},
	} {
		if cs, err := run.Plan(set, c.info, c.p, false, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v %v, want %q", c.p, cs, err, c.want)
		}
	}
}

// FuzzPlan: any sizes are refused or have a plan of finite time.
func FuzzPlan(f *testing.F) {
	f.Add(1, 1, 1, 1, false, false)
	f.Add(4096, 4096, 4096, 3, true, false)
	f.Add(1, math.MaxInt32, 3, 1, false, true)
	f.Add(64, 64, math.MaxInt, 1, true, true)
	f.Add(math.MaxInt, 1, 1, math.MaxInt, false, false)
	set := kernels.MatMulBF16.Kernels()
	f.Fuzz(func(t *testing.T, m, n, k, count int, transA, transB bool) {
		for i := range gpus.Devices {
			cs, err := run.Plan(set, infoOf(&gpus.Devices[i]), gpus.Product{M: m, N: n, K: k, Count: count}, transA, transB)
			if err == nil && (len(cs) == 0 || !(cs[0].Seconds > 0) || math.IsInf(cs[0].Seconds, 0)) {
				t.Fatalf("%d of %d x %d x %d: %+v", count, m, n, k, cs)
			}
		}
	})
}

// TestCounted: what is counted in the text of a kernel is what the emulator executes for each
// step of K, and so are the turns of the banks.
func TestCounted(t *testing.T) {
	set := kernels.MatMulBF16.Kernels()
	for _, name := range []string{"matMulBF16_sm80_kn16small", "matMulBF16_sm80_kn16pair", "matMulBF16_sm80_any"} {
		k := set.Targets[0].Kernels[slices.IndexFunc(set.Targets[0].Kernels, func(k run.Kernel) bool { return k.Name == name })]
		_, text, _ := strings.Cut(set.Targets[0].PTX, "\n.visible .entry "+name+"(")
		text, _, _ = strings.Cut(text, "\n}\n")
		counted, err := gpus.Kernel{Name: name, Tile: k.Tile, Size: 2, Out: 2}.Counted(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		var executed, loads, copied [2]float64
		for i, depth := range []int{8 * k.Tile.BK, 16 * k.Tile.BK} {
			d, s := emulator(t, emu.Options{})
			one := func(int, int) float32 { return 1 }
			m, n := k.Tile.BM, k.Tile.BN
			out, a, b := upload(t, s, m, n, false, 0, asBF16(one)), upload(t, s, m, depth, false, 0, asBF16(one)), upload(t, s, depth, n, false, 0, asBF16(one))
			if err := MatMulBF16(s, run.Options{Kernel: name}, out, a, b); err != nil {
				t.Fatal(err)
			}
			if err := s.Synchronize(); err != nil {
				t.Fatal(err)
			}
			for _, l := range d.Report().Kernels[0].Lines {
				op := strings.TrimSpace(l.Text)
				if strings.HasPrefix(op, "@") {
					_, op, _ = strings.Cut(op, " ")
				}
				switch {
				case strings.HasPrefix(op, "mov."):
					continue
				case strings.HasPrefix(op, "ldmatrix."):
					loads[i] += float64(l.SharedWavefronts)
				case strings.HasPrefix(op, "cp.async.cg"):
					copied[i] += float64(l.SharedWavefronts)
				}
				executed[i] += float64(l.Instructions)
			}
		}
		warps := float64(8 * k.Tile.Warps()) // of eight steps
		have, turns := (executed[1]-executed[0])/warps, (loads[1]-loads[0])/warps
		t.Logf("%s: %.0f instructions, counted %.0f; %.0f turns, counted %.0f; %.0f for copies", name, have, counted.Loop.Instructions, turns, counted.Loop.Wavefronts, (copied[1]-copied[0])/8)
		if stage := float64(k.Tile.StageBytes(2)) / 128; copied[1] > 0 && (copied[1]-copied[0])/8 != stage {
			t.Errorf("%s: copies take %g turns of the banks in a step, want %g", name, (copied[1]-copied[0])/8, stage)
		}
		if turns != counted.Loop.Wavefronts {
			t.Errorf("%s: %g turns of the banks in a step, counted are %g", name, turns, counted.Loop.Wavefronts)
		}
		// The jump back is not counted, and gathered operands are branched around.
		if math.Abs(have/counted.Loop.Instructions-1) > 0.05 {
			t.Errorf("%s: %g instructions in a step, counted are %g", name, have, counted.Loop.Instructions)
		}
	}
}

func asBF16(f func(i, j int) float32) func(i, j int) dtype.BF16 {
	return func(i, j int) dtype.BF16 { return dtype.ToBF16(f(i, j)) }
}
