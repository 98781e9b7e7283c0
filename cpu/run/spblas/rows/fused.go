package rows

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// fuse is Multiply of compressed rows with an epilogue.
func fuse[T dtype.Float, B dtype.Elem](s *SpMM[T], opt run.Options, e *epilogue.Epilogue, a *Rows[T], b layout.Matrix[B]) {
	call.CheckCopy(e.Name, "b", b)
	p, f := rowProducts.Get(), rowFusions.Get()
	kern := s.pickRows(&opt)
	p.init(kern, dtype.Of[T]().Size(), dtype.Of[B]().Size(), a.stored, a.raw, b.Cols)
	if a.stage.on() { // else it is clear
		p.stage = a.stage
	}
	p.alpha, p.beta, p.mode = mem.BitsOf(T(1)), 0, s.mode(kernel.ModeStore)
	p.b = call.RowsOf(&p.bcopy, b)
	// Rows are summed in the worker's memory; p.c says how they lie there.
	p.c = mem.Operand{RS: p.panels.Size * kern.VL * p.size, CS: p.size}
	panels, tiles := p.panels.Count, p.perPass+1
	f.vector, f.joined = s.Vector, 0
	if s.Vector {
		p.c.RS = p.size
		f.chunks = mem.Ceil(p.unit/call.RowWork+2, epi.SumsInL1/p.size)
		panels, tiles = p.perPass*(f.chunks+1), 1 // a chunk of rows each, and a row that was cut
	}
	p.vec = p.oneColumn(s.Mean)
	p.fused = f
	width := f.Begin(&s.epi, e, s.Epilogue, s.Epis, opt.ISA)
	f.Prepare(&f.Partial, e.Rows, e.Cols, panels, tiles, width)
	p.run(opt)
	joinPieces(p, s.plus())
	f.Combine(e.Rows, e.Cols, panels, tiles, p)
	p.release()
	p.fused, f.Fusion = nil, epi.Fusion{}
	rowProducts.Put(p)
	rowFusions.Put(f)
}

// FirstColumn says which column of the result is the first of a panel.
func (p *rowProduct) FirstColumn(panel int) int { return min(p.panels.At(panel)*p.kern.VL, p.n) }

// rowFusion is the epilogue of one sparse product. Partial results of columns are
// one for each task, in the order of its rows, and one for the rows that were cut.
//
// A result that is a vector is one row to its epilogue, so that a vector register has
// many of its elements:
//
//	sums of rows    | task 0: chunk, chunk | task 1: chunk ... |   rows that were cut
//	partial results | 0       1            | chunks ...        |   perPass*chunks ...
type rowFusion struct {
	call.Epilogue
	epi    epi.Call // of rows that were cut
	vector bool
	chunks int // of a task
	joined int // rows that were cut, so far
}

var rowFusions mem.Pool[rowFusion]

// rows computes rows from to to-1 of panel q, which task t does: as many at once as
// stay in L1, and then their epilogue.
func (f *rowFusion) rows(p *rowProduct, w *call.Scratch, q, t, from, to int) {
	col, nv, last := p.panels.Panel(q)
	cols := (nv-1)*p.kern.VL + last
	some := min(to-from, max(1, epi.SumsInL1/p.c.RS))
	w.Sums.Grow(some * p.c.RS)
	for i := from; i < to; i += some {
		n := min(some, to-i)
		p.rows(w, nv, i, i+n, w.Sums.P)
		if f.vector {
			f.Run(&w.Epi, mem.Operand{P: w.Sums.P, RS: n * p.size, CS: p.size}, 0, i, 1, n, t*f.chunks+(i-from)/some, 0)
			continue
		}
		f.Run(&w.Epi, mem.Operand{P: w.Sums.P, RS: p.c.RS, CS: p.size}, i, col, n, cols, q, t)
	}
	w.Epi.Forget()
}

// row ends a row that several tasks computed.
func (f *rowFusion) row(p *rowProduct, q, row int, sum unsafe.Pointer, cols int) {
	if f.vector {
		f.Run(&f.epi, mem.Operand{P: sum, RS: p.size, CS: p.size}, 0, row, 1, 1, p.perPass*f.chunks+f.joined, 0)
		f.joined++
		return
	}
	f.Run(&f.epi, mem.Operand{P: sum, RS: p.c.RS, CS: p.size}, row, p.panels.At(q)*p.kern.VL, 1, cols, q, p.perPass)
	f.epi.Forget()
}
