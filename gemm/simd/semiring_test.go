package simd

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestSemiring: the micro-kernels of every stock semiring, full and cut, store and
// join what C holds; and there are none of those that begin lanes with zeros.
func TestSemiring(t *testing.T) {
	for _, s := range []semiring.Semiring[float32]{semiring.MaxPlus[float32](), semiring.MinPlus[float32](), semiring.MaxTimes[float32](),
		semiring.MinTimes[float32](), semiring.MaxMin[float32](), semiring.PlusMin[float32](), semiring.OrAnd[float32]()} {
		m := lower(t, gemm.Spec[float32, float32, float32, float32]{Name: "Other", Operator: gemm.Over(s), Tile: tiling.Micro{MR: 2, NV: 2}}, amd64.AVX512)
		if m.Joins() || m.Stock {
			t.Errorf("%s has kernels that sums of products have", s.Name)
		}
		for _, k := range m.kernels() {
			if k.f.Name != m.Tile(kernel.Panel, 2, 2) && k.f.Name != m.Tile(kernel.Tail, 1, 2) {
				continue
			}
			k.check = func(c call, f *emit.Func) error {
				c.join = func(old, acc float64) float64 { return float64(s.Plus(float32(old), float32(acc))) }
				return c.against(f, func(i, j int) float64 {
					acc := s.Zero
					for k := range c.k {
						acc = s.Plus(acc, s.Times(float32(number(1, i, k)), float32(number(2, k, j))))
					}
					return float64(acc)
				})
			}
			if err := k.run(k.f); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	broken := semiring.MaxPlus[float32]()
	broken.Zero = 0
	if _, err := Lower(gemm.Spec[float32, float32, float32, float32]{Name: "Other", Operator: gemm.Over(broken)}.Describe(), amd64.AVX2, Options{}); err == nil {
		t.Error("a semiring with another Zero is accepted")
	}
}
