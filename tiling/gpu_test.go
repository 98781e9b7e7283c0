package tiling

import (
	"strings"
	"testing"
)

// mma is a fragment like that of tensor cores.
var mma = Fragment{M: 16, N: 16, K: 16, Sum: 4, Tensor: true, Registers: func(wm, wn int) int { return wm*wn/32 + 2*(wm/16*4+wn/8*2) }}

func TestGPUCheck(t *testing.T) {
	good := GPU{BM: 128, BN: 128, BK: 32, WM: 64, WN: 64, Stages: 4}
	with := func(change func(g *GPU)) GPU {
		g := good
		change(&g)
		return g
	}
	for _, c := range []struct {
		g      GPU
		target string
		want   string // of the error; "" for none
	}{
		{good, "sm_80", ""},
		{with(func(g *GPU) { g.BM = 96 }), "sm_80", "BM must be a power of two"},
		{with(func(g *GPU) { g.BK = 8 }), "sm_80", "BK must be a power of two and at least 16"},
		{with(func(g *GPU) { g.WN = 8 }), "sm_80", "WN must be a power of two and at least 16"},
		{with(func(g *GPU) { g.WM = 256 }), "sm_80", "do not divide"},
		{with(func(g *GPU) { g.Stages = 1 }), "sm_80", "2 to 8 stages"},
		{with(func(g *GPU) { g.Stages = 8; g.BK = 64 }), "sm_80", "needs 262144 bytes of shared memory, the limit is 166912"},
		{with(func(g *GPU) { g.BN = 256; g.WN = 64 }), "sm_80", ""},
		{with(func(g *GPU) { g.BN = 256; g.WN = 64 }), "sm_89", "needs 131072 bytes of shared memory, the limit is 101376"},
		{with(func(g *GPU) { g.WN = 128 }), "sm_80", "threads are fewer than BN"},
		{with(func(g *GPU) { g.WN = 128; g.BM = 256 }), "sm_90", "needs about 392 registers a thread"},
		{with(func(g *GPU) { g.WM, g.WN, g.BN, g.BK = 16, 16, 32, 16 }), "sm_80", "512 threads do not share 256 chunks"},
		{with(func(g *GPU) { g.BM, g.BN, g.WM, g.WN = 512, 512, 16, 16 }), "sm_80", "a CTA has at most 1024"},
		{with(func(g *GPU) { g.BN = 2048 }), "sm_80", "above 1024"},
	} {
		err := c.g.Check(2, mma, GPUTargets[c.target])
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v on %s: %v, want %q", c.g, c.target, err, c.want)
		}
	}
}

// TestDefaultGPU: the tiles that are chosen keep the limits of every target.
func TestDefaultGPU(t *testing.T) {
	simt := Fragment{M: 16, N: 32, K: 4, Sum: 4, Registers: func(wm, wn int) int { return wm*wn/32 + 8*(wm/4+wn/8) }}
	for name, limits := range GPUTargets {
		for size, f := range map[int]Fragment{2: mma, 4: simt} {
			d := DefaultGPU(size, f, limits)
			for _, g := range []GPU{d.Large, d.Pair, d.Small, d.Narrow} {
				if err := g.Check(size, f, limits); err != nil {
					t.Errorf("%s, %d bytes: %v", name, size, err)
				}
			}
		}
	}
}
