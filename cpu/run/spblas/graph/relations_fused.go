package graph

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

var epilogues mem.Pool[call.Epilogue]

// Fuse computes the sums of [Relations.Multiply] and hands each row of them to the epilogue once,
// whether it has entries or not. It does a tile of rows at a time, while they are in a cache. The rules of
// Multiply hold for the sums, and outputs are what e says.
func (set *Relations[T]) Fuse(opt run.Options, e *epilogue.Epilogue, a sparse.Relations[T], x, w layout.Matrix[T]) {
	checkRelations(e.Name, opt, e, nil, a, &x, &w)
	if call.Empty(e) {
		return
	}
	c, f := set.calls.Get(), epilogues.Get()
	defer func() {
		set.release(c)
		f.Fusion = epi.Fusion{}
		epilogues.Put(f)
	}()
	set.prepare(c, e.Name, &opt, a, x, "w", w)
	c.alpha, c.mode, c.fused = mem.BitsOf(T(1)), kernel.ModeStore, f
	width := f.Begin(&set.epi, e, set.Epilogue, set.Epis, opt.ISA)
	f.Prepare(&f.Partial, e.Rows, e.Cols, 1, c.raw.Tiles, width)
	c.run(&opt, call.SumStep, c.raw.Tiles)
	f.Combine(e.Rows, e.Cols, 1, c.raw.Tiles, nil)
}
