package machine

import "testing"

// TestStep: what a core does for a step of products, and how fast, by the instruction set and
// what kernels take at once.
func TestStep(t *testing.T) {
	for _, c := range []struct {
		m             *Machine
		isa           string
		depth, atOnce int
		want          Step
		gops          float64
	}{
		{&sapphireRapids, "avx512", 0, 0, Step{"FMA", 2, 4, 1, 1}, 192},
		{&sapphireRapids, "avx512bf16", 2, 0, Step{"VDPBF16PS", 0.25, 4, 2, 1}, 48},
		{&sapphireRapids, "avx512vnni", 4, 0, Step{"VPDPBUSD", 2, 4, 4, 1}, 768},
		{&sapphireRapids, "avx512vnni", 2, 0, Step{"VPDPWSSD", 2, 4, 2, 1}, 384},
		{&sapphireRapids, "avx512", 2, 0, Step{"VPMADDWD", 1, 4, 2, 1}, 192},
		{&sapphireRapids, "avxvnni", 4, 0, Step{"VPDPBUSD", 2, 4, 4, 1}, 384},
		{&sapphireRapids, "amxint8", 4, 16, Step{"TDPBSSD", 16, 52, 4, 16}, 6144}, // 2048 a cycle
		{&sapphireRapids, "amxbf16", 2, 16, Step{"TDPBF16PS", 16, 52, 2, 16}, 3072},
		{&sapphireRapids, "amxint8", 2, 0, Step{"VPDPWSSD", 2, 4, 2, 1}, 384}, // of int16, which tiles do not take
		{&zen4, "avx512bf16", 2, 0, Step{"VDPBF16PS", 1, 4, 2, 1}, 64 * zen4.Clock / 1e9},
		{&zen4, "avx2", 2, 0, Step{"VPMADDWD", 2, 4, 2, 1}, 64 * zen4.Clock / 1e9},
		{&neoverseV1, "neon", 0, 0, Step{"FMA", 4, 2, 1, 1}, 83.2},
		{&neoverseV1, "neondot", 4, 0, Step{"SDOT", 4, 2, 4, 1}, 332.8},
		{&neoverseV1, "neoni8mm", 4, 0, Step{"SDOT", 4, 2, 4, 1}, 332.8},
		{&neoverseV1, "neoni8mm", 4, 4, Step{"SMMLA", 8, 2, 4, 1}, 665.6},
		{&neoverseV1, "neonbf16", 2, 4, Step{"BFMMLA", 8, 2, 2, 1}, 332.8},
		{&neoverseN2, "neonbf16", 2, 4, Step{"BFMMLA", 2, 2, 2, 1}, 108.8},
		{&neoverseN1, "neon", 2, 0, Step{"SMLAL", 0.5, 2, 2, 1}, 20},
		{&neoverseN1, "neondot", 2, 0, Step{"SMLAL", 0.5, 2, 2, 1}, 20},
		{&zen4, "go", 0, 0, Step{"FMA", 2, 6, 1, 1}, 4 * zen4.Clock / 1e9},
	} {
		have := c.m.Step(c.isa, c.depth, c.atOnce)
		if have != c.want {
			t.Errorf("%s, %s, %d, %d: %+v, want %+v", c.m.Name, c.isa, c.depth, c.atOnce, have, c.want)
		}
		if gops := c.m.StepCeiling(c.isa, 4, have) / 1e9; gops < 0.999*c.gops || gops > 1.001*c.gops {
			t.Errorf("%s, %s, %d, %d: %.1f G/s, want %.1f", c.m.Name, c.isa, c.depth, c.atOnce, gops, c.gops)
		}
	}
}
