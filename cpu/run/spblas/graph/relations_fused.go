package graph

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

var epilogues mem.Pool[call.Epilogue]

// Fuse computes the sums of [Relations.Multiply] and hands each row of them to the epilogue once,
// whether it has entries or not. It does a tile of rows at a time, while they are in a cache. The rules of
// Multiply hold for the sums, and outputs are what e says.
func (set *Relations[T]) Fuse(opt run.Options, e *run.Epilogue, a sparse.Relations[T], x, w layout.Matrix[T]) {
	checkFusedRelations(e, opt, a.Rows(), a.Cols(), a.Count(), &x, &w)
	if call.Empty(e) {
		return
	}
	c, f := set.calls.Get(), epilogues.Get()
	defer func() {
		set.release(c)
		f.Fusion = epi.Fusion{}
		epilogues.Put(f)
	}()
	set.prepare(c, e.Name, opt, a, x, w)
	c.alpha, c.mode, c.fused = mem.BitsOf(T(1)), kernel.ModeStore, f
	width := f.Begin(&set.epi, e, set.Epilogue, set.Epis, opt.ISA)
	f.Prepare(&f.Partial, e.Rows, e.Cols, 1, c.raw.Tiles, width)
	c.run(opt)
	f.Combine(e.Rows, e.Cols, 1, c.raw.Tiles, nil)
}

func checkFusedRelations[T dtype.Float](e *run.Epilogue, opt run.Options, m, n, count int, x, w *layout.Matrix[T]) {
	fail := func(format string, args ...any) {
		panic(layout.ShapeError{What: e.Name, Why: fmt.Sprintf(format, args...)})
	}
	call.CheckOptions(e.Name, &opt)
	call.RefuseScales(e.Name, &opt, true)
	if e.Rows != m || x.Rows != n || w.Cols != e.Cols || w.Rows != mem.Volume(count, x.Cols) {
		fail("out is %d x %d, a is %d relations of %d x %d, x is %d x %d, w is %d x %d; want m x l, r of m x n, n x k, and r*k x l",
			e.Rows, e.Cols, count, m, n, x.Rows, x.Cols, w.Rows, w.Cols)
	}
	if err := x.Check("x"); err != nil {
		fail("%v", err)
	}
	if err := w.Check("w"); err != nil {
		fail("%v", err)
	}
	if mem.Volume(e.Rows, max(e.Cols, x.Cols), 8*mem.Line) == math.MaxInt { // outputs may be reductions, which do not bound it
		fail("a result of %d x %d is too large; want fewer rows or columns", e.Rows, e.Cols)
	}
	e.CheckOverlap(epi.MemoryOf("x", *x), epi.MemoryOf("w", *w))
}
