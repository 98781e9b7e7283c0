package spblas

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// fuseNest computes a*b of a matrix whose loops are not those of compressed rows. Where
// the format ends, and whether it meets a row at all, differs from format to format, so
// sums are kept until the last is made.
func (s *SpMM[T]) fuseNest(opt run.Options, e *run.Epilogue, a sparse.Packed[T], b layout.Matrix[T]) {
	f := sumFusions.Get()
	m, _ := a.Dims()
	f.sums = f.mem.Rows(m, b.Cols, dtype.Of[T]().Size())
	out := layout.RowMajor(unsafe.Slice((*T)(f.sums.P), m*b.Cols), m, b.Cols)
	opt.Caller = e.Name
	s.multiplyNest(opt, out, a, b)
	width := f.begin(&s.epi, e, s.Epilogue, s.Epis, opt.ISA)
	f.piece, f.vector, f.rows = max(1, epi.SumsInL1/f.sums.RS), s.Vector, m
	pieces := mem.Ceil(m, f.piece)
	panels, tiles := 1, pieces
	if s.Vector {
		panels, tiles = pieces, 1
	}
	f.Prepare(&f.partial, e.Rows, e.Cols, panels, tiles, width)
	f.tasks.begin(pieces)
	threads := work.Allowed(opt.Threads)
	if m*b.Cols < work.Threaded/32 {
		threads = 1
	}
	work.Run(f, min(threads, pieces))
	f.Combine(e.Rows, e.Cols, panels, tiles, func(panel int) int { return panel * b.Cols })
	f.Fusion = epi.Fusion{}
	sumFusions.Put(f)
}

// sumFusion is the epilogue of a whole matrix of sums, pieces of rows at a time.
type sumFusion struct {
	rowFusion
	mem   mem.Buffer
	sums  mem.Operand
	rows  int
	piece int // rows done at once
	tasks tasks
}

var sumFusions mem.Pool[sumFusion]

// Work is the share of one goroutine.
func (f *sumFusion) Work(bool) {
	s := rowScratches.Get()
	for t := range f.tasks.each {
		i := t * f.piece
		n, sums := min(f.piece, f.rows-i), mem.Operand{P: f.sums.At(i, 0), RS: f.sums.RS, CS: f.sums.CS}
		if f.vector {
			f.Run(&s.epi, sums, 0, i, 1, n, t, 0)
		} else {
			f.Run(&s.epi, sums, i, 0, n, f.Cols, 0, t)
		}
	}
	s.epi.Forget()
	rowScratches.Put(s)
}
