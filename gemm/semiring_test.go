package gemm

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestMaxPlus: one step, with the numbers that are special.
func TestMaxPlus(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	f32 := emit.Scalar(emit.F32)
	for _, c := range []struct{ acc, x, y, want float64 }{
		{-inf, 1, 2, 3}, {5, 1, 2, 5}, {3, 1, 2, 3}, {-inf, -inf, 7, -inf}, {-inf, -inf, -inf, -inf}, {1, inf, -inf, 1}, {1, nan, 2, 1}, {-inf, inf, 1, inf},
	} {
		p := emit.Pointer(emit.Global, 4)
		f, err := emit.Build("step", []emit.Arg{{Name: "out", Type: p}}, func(b *emit.Builder) {
			v := func(x float64) *emit.Value { return b.Const(f32, x) }
			b.Store(MaxPlus.Step(b, v(c.acc), v(c.x), v(c.y)), emit.At(b.Param("out", p), 0))
		})
		if err != nil {
			t.Fatal(err)
		}
		out := emit.NewMemory("out", emit.Global, 4)
		m := &emit.Machine{}
		m.Bind("out", emit.PtrTo(out, 0))
		if err := m.Run(f); err != nil {
			t.Fatal(err)
		}
		have := []float32{0}
		out.Decode(have)
		if float64(have[0]) != c.want {
			t.Errorf("max(%g, %g + %g) = %g, want %g", c.acc, c.x, c.y, have[0], c.want)
		}
	}
}

// TestMaxPlusCPU: the same value is an operator of the CPU's kernels.
func TestMaxPlusCPU(t *testing.T) {
	m := lower(t, Spec[float32, float32, float32, float32]{Name: "Longest", Operator: MaxPlus, Tile: tiling.Micro{MR: 2, NV: 1}}, amd64.AVX512)
	for _, k := range m.kernels() {
		if k.f.Name != m.Full[1][0] {
			continue
		}
		k.check = func(c call, f *emit.Func) error {
			return c.against(f, func(i, j int) float64 {
				acc := math.Inf(-1)
				for k := range c.k {
					acc = max(acc, number(1, i, k)+number(2, k, j))
				}
				return acc
			})
		}
		if err := k.run(k.f); err != nil {
			t.Error(err)
		}
	}
}
