package spblas

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// AggregateNest is all variants of one generated sparse product whose matrix is in a
// format that is not compressed rows. It computes sums of products.
type AggregateNest[T dtype.Float] struct {
	Name     string
	Variants []*run.NestKernels
	Format   string // of the matrix
	Features int    // columns of b; 0: any
	Vector   bool   // as Aggregate has it
	Epilogue kernel.EpiKernel
	Epis     []*run.EpiVariant

	epi choose.Choice
}

func (s *AggregateNest[T]) check(opt run.Options, a sparse.Packed[T], n int) {
	checkFormat(s.Name, s.Format, a)
	plain := Aggregate[T]{Name: s.Name, Features: s.Features, Epilogue: s.Epilogue}
	plain.checkCall(opt, n)
}

// MultiplyPacked computes out = a*b, or by opt alpha*a*b + beta*out. It panics with a
// [layout.ShapeError] if a is in another format; [NestSetOf.Multiply] says the rest.
func (s *AggregateNest[T]) MultiplyPacked(opt run.Options, out layout.Matrix[T], a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	checkSparse(s.Name, opt, &out, m, k, &b)
	s.check(opt, a, b.Cols)
	set := NestSetOf[T]{Name: s.Name, Variants: s.Variants, Rows: &RowSet[T]{Name: s.Name}}
	set.Multiply(opt, out, a, b)
}

// FusePacked computes a*b and hands every sum to the epilogue once. Where the format
// ends, and whether it meets a row at all, differs from format to format, so sums are
// kept until the last is made.
func (s *AggregateNest[T]) FusePacked(opt run.Options, e *run.Epilogue, a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	checkFuse(e, opt, s.Vector, m, k, &b)
	s.check(opt, a, b.Cols)
	if e.Rows == 0 || e.Cols == 0 {
		e.Combine(e.Rows, e.Cols, 0, 0, nil)
		return
	}
	f := sumFusions.Get()
	size := dtype.Of[T]().Size()
	f.sums = f.mem.Rows(m, b.Cols, size)
	out := layout.RowMajor(unsafe.Slice((*T)(f.sums.P), m*b.Cols), m, b.Cols)
	set := NestSetOf[T]{Name: s.Name, Variants: s.Variants, Rows: &RowSet[T]{Name: s.Name}}
	set.Multiply(opt, out, a, b)
	width := f.begin(&s.epi, e, s.Epilogue, s.Epis, opt.ISA)
	f.piece, f.vector, f.rows = max(1, epi.SumsInL1/f.sums.RS), s.Vector, m
	pieces := mem.Ceil(m, f.piece)
	panels, tiles := 1, pieces
	if s.Vector {
		panels, tiles = pieces, 1
	}
	f.Prepare(&f.partial, e.Rows, e.Cols, panels, tiles, width)
	f.next.Store(0)
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
	next  atomic.Int64
}

var sumFusions mem.Pool[sumFusion]

// work is the share of one goroutine.
func (f *sumFusion) Work(bool) {
	s := rowScratches.Get()
	for {
		t := int(f.next.Add(1)) - 1
		i := t * f.piece
		if i >= f.rows {
			break
		}
		n, sums := min(f.piece, f.rows-i), mem.Operand{P: f.sums.At(i, 0), RS: f.sums.RS, CS: f.sums.CS}
		if f.vector {
			f.Run(&s.epi, sums, 0, i, 1, n, t, 0)
		} else {
			f.Run(&s.epi, sums, i, 0, n, f.Cols, 0, t)
		}
	}
	s.epi = kernel.EpiArgs{}
	rowScratches.Put(s)
}
