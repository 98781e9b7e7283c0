package dense

import (
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestFetches: nothing is fetched for rows whose products take less than half the time of
// reading, what the same tile reads later for more, and the next panel where there are
// several tiles or elements are as wide as sums.
func TestFetches(t *testing.T) {
	on := *machine.Reference("avx512")
	on.Clock, on.Units = 1e9, []machine.Units{{ISA: "avx512", Vector: 64, FMA: 1, Loads: 1, Stores: 1, Issue: 4, Latency: 4}, {ISA: "go", Vector: 8, FMA: 1, Loads: 1, Stores: 1, Issue: 4, Latency: 4}}
	x := &on.Caches[machine.Memory] // a line in 8 ns: as eight products
	x.Read, x.Latency = 8e9, 100e-9
	kern := tiling.Outline("avx512", 4)
	micro := *kern.MicroKernels
	micro.Depth = 4
	deep := &run.Kernels{ISA: "avx512", MicroKernels: &micro}
	for _, c := range []struct {
		kern *run.Kernels
		elem dtype.Type
		m    int
		want fetch
	}{
		{deep, dtype.I8, 1, fetchNone}, {deep, dtype.I8, 3, fetchNone}, {deep, dtype.I8, 4, fetchAhead}, {deep, dtype.I8, micro.MR, fetchAhead},
		{deep, dtype.I8, micro.MR + 1, fetchNext}, {kern, dtype.F32, 9, fetchNext},
	} {
		acc := dtype.I32
		if c.elem == dtype.F32 {
			acc = dtype.F32
		}
		p := (&Planned{Kernels: c.kern, A: c.elem, B: c.elem, Acc: acc, M: c.m, N: 4096, K: 4096}).product()
		var pl plan
		p.plan(&on, 1, &pl)
		lead := 0
		if c.want == fetchAhead { // 4 * 100 ns * 8 GB/s, in whole steps
			row := pl.vecs.Size * 64
			lead = (3200 + row - 1) / row * row
		}
		if pl.fetch != c.want || pl.lead != lead {
			t.Errorf("%d rows of %v: fetch %d, %d bytes ahead; want %d, %d", c.m, c.elem, pl.fetch, pl.lead, c.want, lead)
		}
	}
}
