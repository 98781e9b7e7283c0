package dense

import (
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestStreams: results go past the caches if they are whole lines that are stored once, and
// more than the last cache keeps.
func TestStreams(t *testing.T) {
	lines := make([]byte, 4*mem.Line)
	aligned := unsafe.Pointer(&lines[(mem.Line-mem.Misaligned(unsafe.Pointer(&lines[0]), mem.Line))%mem.Line])
	for _, c := range []struct {
		name    string
		isa     string
		m, n, k int
		opt     run.Options
		change  func(p *product)
		want    bool
	}{
		{name: "16 MB", isa: "avx512", m: 2048, n: 2048, k: 16, want: true},
		{name: "operands in L1", isa: "avx512", m: 4096, n: 4096, k: 1, want: true},
		{name: "avx2", isa: "avx2", m: 2048, n: 2048, k: 16, want: true},
		{name: "by columns", isa: "avx512", m: 2048, n: 2048, k: 16, want: true, change: func(p *product) { p.a.RS, p.a.CS = 4, 4*2048 }},
		{name: "1 MB", isa: "avx512", m: 512, n: 512, k: 16},
		{name: "two k-blocks", isa: "avx512", m: 2048, n: 2048, k: tiling.KCMax + 1},
		{name: "rows of no whole lines", isa: "avx512", m: 2048, n: 2040, k: 16},
		{name: "half a line from row to row", isa: "avx512", m: 2048, n: 2048, k: 16, change: func(p *product) { p.c.RS += mem.Line / 2 }},
		{name: "from half a line on", isa: "avx512", m: 2048, n: 2048, k: 16, change: func(p *product) { p.c.P = unsafe.Add(aligned, mem.Line/2) }},
		{name: "from a line on", isa: "avx512", m: 2048, n: 2048, k: 16, want: true, change: func(p *product) { p.c.P = unsafe.Add(aligned, mem.Line) }},
		{name: "by columns, through a scratch tile", isa: "avx512", m: 2048, n: 2048, k: 16, change: func(p *product) { p.c.CS = 8 }},
		{name: "an odd vector at the end of a panel", isa: "avx2", m: 2048, n: 2056, k: 16},
		{name: "c is read", isa: "avx512", m: 2048, n: 2048, k: 16, opt: run.Options{Scaling: run.Scale(1, 1)}},
		{name: "scaled", isa: "avx512", m: 2048, n: 2048, k: 16, opt: run.Options{Scaling: run.Scale(2, 0)}},
		{name: "scaled by 1", isa: "avx512", m: 2048, n: 2048, k: 16, opt: run.Options{Scaling: run.Scale(1, 0)}, want: true},
		{name: "scaled by what a float32 has no room for", isa: "avx512", m: 2048, n: 2048, k: 16, opt: run.Options{Scaling: run.Scale(1+1e-12, 1e-60)}, want: true},
		{name: "an epilogue", isa: "avx512", m: 2048, n: 2048, k: 16, change: func(p *product) { p.fused.On = true }},
	} {
		p := (&Planned{Kernels: tiling.Outline(c.isa, 4), A: dtype.F32, B: dtype.F32, Acc: dtype.F32, M: c.m, N: c.n, K: c.k}).product()
		p.c.P = aligned
		if c.change != nil {
			c.change(p)
		}
		if q := p.explain(machine.Reference(c.isa), c.opt); q.Stream != c.want {
			t.Errorf("%s: the plan streams: %v, want %v", c.name, q.Stream, c.want)
		}
	}
}
