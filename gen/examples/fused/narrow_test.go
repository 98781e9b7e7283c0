package fused

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestNarrowPack: an epilogue sees the same sums, and reductions join them in the same order,
// whether b is widened as it is packed or by the kernels that load it: for one block of k and
// for several.
func TestNarrowPack(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	half := func(rows, cols int) layout.Matrix[dtype.F16] {
		m := layout.New[dtype.F16](rows, cols)
		for i := range m.Data {
			m.Data[i] = dtype.ToF16(r.NormFloat64())
		}
		return m
	}
	const n = 130
	for _, isa := range run.PlainISAs() {
		if isa == run.Portable {
			continue
		}
		for _, k := range []int{700, 1100} {
			b, res := half(k, n), layout.New[float32](200, n)
			packed := ResidualF16Pack(b)
			if packed.Size != 2 {
				t.Fatalf("packed elements of %d bytes", packed.Size)
			}
			for _, m := range []int{1, 8, 20, 200} {
				a := half(m, k)
				var outs [2]layout.Matrix[dtype.F16]
				var sums [2]layout.Matrix[float32]
				var colMax [2][]float32
				for i := range outs {
					opt := run.Options{ISA: isa, Threads: 1 + i}
					if i == 0 && packed.Kern.ISA == isa {
						opt.B = packed
					}
					outs[i], sums[i], colMax[i] = layout.New[dtype.F16](m, n), layout.New[float32](m, n), make([]float32, n)
					ResidualF16Opt(opt, outs[i], sums[i], colMax[i], a, b, res.Slice(0, m, 0, n), 2)
				}
				if !slices.Equal(outs[0].Data, outs[1].Data) || !slices.Equal(sums[0].Data, sums[1].Data) || !slices.Equal(colMax[0], colMax[1]) {
					t.Errorf("%s, %d x %d x %d: other results by a packed b", isa, m, n, k)
				}
			}
		}
	}
}
