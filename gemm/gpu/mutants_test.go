package gpu

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// mutants makes the mutants of a kernel: copies, their groups, their waits and
// stores removed, waits and sizes of copies loosened. Barriers are not among them:
// the interpreter runs threads in step, and only the emulator sees a race.
func mutants(f *emit.Func) *gemmtest.Breeder {
	b := gemmtest.NewBreeder(f, nil)
	for i, op := range b.Ops {
		switch {
		case op.Def.Name == "store":
			b.Add(i, "removed", gemmtest.Remove)
		case op.Inst == nil || len(op.Results) > 0 || op.Inst == inst.BarSync:
		default:
			b.Add(i, "removed", gemmtest.Remove)
			if op.Inst == inst.CpAsyncWait {
				b.Add(i, "one group more", func(_ *emit.Func, op *emit.Op) { op.Attr.Imm++ })
			}
			if len(op.Args) == 3 {
				b.Add(i, "whole", func(f *emit.Func, op *emit.Op) {
					op.Args[2] = gemmtest.Before(f, op, "const", emit.Attr{Imm: 16}, emit.Int32)
				})
			}
		}
	}
	return b
}

// TestMutants: the tests see every mutant.
func TestMutants(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	tile := tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3}
	add := func(x, y float32) float32 { return x + y }
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Sum", GPU: tile,
		Epilogue: gemm.Map2(add, gemm.PerColumn[float32]("bias")).RowSum("sums")})
	bias := func(_, _, j int) float64 { return float64(j%5 - 1) }
	for _, k := range []Kernel{kernelFor(m, 16, true, false), kernelFor(m, 16, false, true)} {
		suite := func(f *emit.Func) error {
			k := k
			k.Func = f
			for i, c := range []call{{m: 35, n: 70, k: 71, batch: 2}, {m: 64, n: 64, k: 200}, {m: 31, n: 17, k: 9}, {m: 33, n: 67, k: 159}} {
				c.unit, c.seed, c.early, c.up = 8, uint64(i*3), i == 2, i == 3
				c.aT, c.bT = !k.A.KMajor, k.B.KMajor
				c.operands = map[int]func(z, i, j int) float64{1: bias}
				slots, err := c.run(m, k)
				out := func(z, i, j int) float64 { return c.sum(z, i, j) + bias(z, i, j) }
				if err == nil {
					err = c.against(slots[0], out)
				}
				if err == nil {
					c.batch = max(c.batch, 1)
					err = c.partials(m, m.Fusion.Reduces[0], slots[2:], out)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		if err := suite(k.Func); err != nil {
			t.Fatal(err)
		}
		n, survived := 0, 0
		b := mutants(k.Func)
		for mu := range b.Make(level.Pick(b.Len(), 0, 8)) {
			n++
			if mu.Func.Check() == nil && suite(mu.Func) == nil {
				survived++
				t.Errorf("%s survives: %s", k.Func.Name, mu.What)
			}
		}
		t.Logf("%s: mutants tried %d of %d, caught %d", k.Func.Name, n, b.Len(), n-survived)
	}
}
