package rows

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// fuseInto begins an epilogue and returns the matrix in which sums are made.
func (s *SpMM[T]) fuseInto(opt run.Options, e *epilogue.Epilogue, m, n int) (f *nestEnd, sums layout.Matrix[T]) {
	f = nestEnds.Get()
	size := dtype.Of[T]().Size()
	place, ok := e.Place(size)
	switch {
	case !ok:
		place = f.mem.Rows(m, n, size)
	case s.Vector:
		place.RS = size
	}
	f.begin(e, s.Vector, place, m, n, size)
	f.width = f.Epilogue.Begin(&s.epi, e, s.Epilogue, s.Epis, opt.ISA)
	ld := place.RS / size
	return f, layout.Matrix[T]{Data: unsafe.Slice((*T)(place.P), (m-1)*ld+n), Rows: m, Cols: n, RowStride: ld, ColStride: 1}
}

// nestEnd is what becomes of rows of sums when they are complete: means, results of an
// epilogue, or both. Partial results of columns are one for each piece of rows.
type nestEnd struct {
	call.Epilogue
	vector     bool
	counts     []int32 // of the entries of each row, if sums become means
	sums       mem.Operand
	m, n, size int
	fused      bool
	block      int   // rows ended at once: as many as stay in L1
	rows, cols int   // of the epilogue
	width      int   // partial results of a row
	panels     int   // of columns, or of a vector its blocks
	tiles      int   // of rows
	firsts     []int // columns of panels
	mem        mem.Buffer
	job        call.Job
}

var nestEnds mem.Pool[nestEnd]

// begin sets what does not depend on how rows are met. e is nil without an epilogue.
func (f *nestEnd) begin(e *epilogue.Epilogue, vector bool, sums mem.Operand, m, n, size int) {
	f.sums, f.m, f.n, f.size, f.vector = sums, m, n, size, vector
	f.counts, f.fused, f.block = nil, e != nil, max(1, epi.SumsInL1/max(1, n*size))
	if e != nil {
		f.rows, f.cols = e.Rows, e.Cols
	}
}

// prepare makes room for partial results. cols has the panels of columns, nil if there is one.
func (f *nestEnd) prepare(panels, tiles int, cols *call.Panels) {
	f.panels, f.tiles, f.firsts = panels, tiles, f.firsts[:0]
	for q := range panels {
		col := 0
		if cols != nil {
			col, _ = cols.Columns(q)
		}
		f.firsts = append(f.firsts, col)
	}
	if f.fused {
		f.Prepare(&f.Partial, f.rows, f.cols, panels, tiles, f.width)
	}
}

// end ends rows from to to-1 of n columns from col on, of one panel and tile.
func (f *nestEnd) end(c *epi.Call, from, to, col, n, panel, tile int) {
	for i := from; i < to; i += f.block {
		rows := min(f.block, to-i)
		sums := mem.Operand{P: f.sums.At(i, col), RS: f.sums.RS, CS: f.size}
		switch {
		case f.counts == nil:
		case f.size == 4:
			divideRows[float32](sums, f.counts[i:i+rows], n)
		default:
			divideRows[float64](sums, f.counts[i:i+rows], n)
		}
		switch {
		case !f.fused:
		case f.vector:
			f.Run(c, mem.Operand{P: sums.P, RS: rows * f.size, CS: f.size}, 0, i, 1, rows, panel, 0)
			panel++
		default:
			f.Run(c, sums, i, col, rows, n, panel, tile)
		}
	}
}

// divideRows makes means of sums: rows of n, each of so many entries.
func divideRows[T dtype.Float](sums mem.Operand, counts []int32, n int) {
	for i, count := range counts {
		factor, row := 1/T(max(count, 1)), call.SliceOf((*T)(sums.At(i, 0)), n)
		for j := range row {
			row[j] *= factor
		}
	}
}

// all ends all rows, a block at a time.
func (f *nestEnd) all(opt run.Options) {
	blocks := mem.Ceil(f.m, f.block)
	if f.vector {
		f.prepare(blocks, 1, nil)
	} else {
		f.prepare(1, blocks, nil)
	}
	threads := work.Allowed(opt.Threads)
	if f.m*f.n < work.Threaded/32 {
		threads = 1
	}
	f.job.Run(f, threads, call.SumStep, blocks)
}

// Task ends block t.
func (f *nestEnd) Task(w *call.Scratch, t int) {
	i := t * f.block
	panel, tile := 0, t
	if f.vector {
		panel, tile = t, 0
	}
	f.end(&w.Epi, i, min(i+f.block, f.m), 0, f.n, panel, tile)
	w.Epi.Forget()
}

// FirstColumn says which column of the result is the first of a panel.
func (f *nestEnd) FirstColumn(panel int) int { return f.firsts[panel] }

// finish joins partial results and lets go of the call's memory.
func (f *nestEnd) finish() {
	f.Combine(f.rows, f.cols, f.panels, f.tiles, f)
	f.release()
}

func (f *nestEnd) release() {
	f.Fusion, f.counts, f.sums = epi.Fusion{}, nil, mem.Operand{}
	f.mem.Trim()
	nestEnds.Put(f)
}
