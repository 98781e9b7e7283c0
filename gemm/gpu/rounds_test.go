package gpu

import (
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestRounds: a function that returns the type of the sums is rounded to the result, and
// what is reduced is what was stored, not what the function returned.
func TestRounds(t *testing.T) {
	third := gemm.Map1(func(x float32) float32 { return x / 3 }).RowSum("total").ColMax("top")
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "Rounds", Epilogue: third, GPU: oneWarp})
	for i, k := range []Kernel{kernelFor(m, 16, true, false), kernelFor(m, 0, false, false)} {
		c := call{m: 35, n: 68, k: 20, batch: 2, unit: 8, pad: 1, seed: uint64(i), cT: !k.Wide}
		c.aT, c.bT = !k.A.KMajor, k.B.KMajor
		slots, err := c.run(m, k)
		if err != nil {
			t.Fatalf("%s: %v", k.Func.Name, err)
		}
		out := func(z, i, j int) float64 { return float64(dtype.ToBF16(float32(c.sum(z, i, j)) / 3).Float32()) }
		if err := c.against(slots[0], out); err != nil {
			t.Errorf("%s: %v", k.Func.Name, err)
		}
		c.reductions(t, m, k, slots, out)
	}
}
