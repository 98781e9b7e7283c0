package run

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// AggregateNest is all variants of one generated sparse product whose matrix is in a
// format that is not compressed rows. It computes sums of products.
type AggregateNest[T dtype.Float] struct {
	Name     string
	Variants []*NestKernels
	Format   string // of the matrix
	Features int    // columns of b; 0: any
	Vector   bool   // as Aggregate has it
	Epilogue kernel.EpiKernel
	Epis     []*EpiVariant
}

func (s *AggregateNest[T]) check(opt Options, a sparse.Packed[T], n int) {
	checkFormat(s.Name, s.Format, a)
	plain := Aggregate[T]{Name: s.Name, Features: s.Features, Epilogue: s.Epilogue}
	plain.checkCall(opt, n)
}

// MultiplyPacked computes out = a*b, or by opt alpha*a*b + beta*out. It panics with a
// [layout.ShapeError] if a is in another format; [NestSetOf.Multiply] says the rest.
func (s *AggregateNest[T]) MultiplyPacked(opt Options, out layout.Matrix[T], a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	checkSparse(s.Name, opt, &out, m, k, &b)
	s.check(opt, a, b.Cols)
	set := NestSetOf[T]{Name: s.Name, Variants: s.Variants, Rows: &RowSet[T]{Name: s.Name}}
	set.Multiply(opt, out, a, b)
}

// FusePacked computes a*b and hands every sum to the epilogue once. Where the format
// ends, and whether it meets a row at all, differs from format to format, so sums are
// kept until the last is made.
func (s *AggregateNest[T]) FusePacked(opt Options, e *Epilogue, a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	checkFuse(e, opt, s.Vector, m, k, &b)
	s.check(opt, a, b.Cols)
	if e.rows == 0 || e.cols == 0 {
		e.combine(e.rows, e.cols, 0, 0, nil)
		return
	}
	f := sumFusions.get()
	size := dtype.Of[T]().Size()
	f.sums = f.mem.rows(m, b.Cols, size)
	out := layout.RowMajor(unsafe.Slice((*T)(f.sums.p), m*b.Cols), m, b.Cols)
	set := NestSetOf[T]{Name: s.Name, Variants: s.Variants, Rows: &RowSet[T]{Name: s.Name}}
	set.Multiply(opt, out, a, b)
	width := f.begin(e, s.Epilogue, s.Epis, opt.ISA)
	f.piece, f.vector, f.rows = max(1, sumsInL1/f.sums.rs), s.Vector, m
	pieces := ceil(m, f.piece)
	panels, tiles := 1, pieces
	if s.Vector {
		panels, tiles = pieces, 1
	}
	f.prepare(&f.partial, e.rows, e.cols, panels, tiles, width)
	f.next.Store(0)
	threads := opt.threads()
	if m*b.Cols < threadedWork/32 {
		threads = 1
	}
	j := jobs.get()
	j.do = f
	j.run(min(threads, pieces))
	putJob(j)
	f.combine(e.rows, e.cols, panels, tiles, func(panel int) int { return panel * b.Cols })
	f.fusion = fusion{}
	sumFusions.put(f)
}

// sumFusion is the epilogue of a whole matrix of sums, pieces of rows at a time.
type sumFusion struct {
	rowFusion
	mem   buffer
	sums  operand
	rows  int
	piece int // rows done at once
	next  atomic.Int64
}

var sumFusions pool[sumFusion]

// work is the share of one goroutine.
func (f *sumFusion) work(*worker) {
	s := rowScratches.get()
	for {
		t := int(f.next.Add(1)) - 1
		i := t * f.piece
		if i >= f.rows {
			break
		}
		n, sums := min(f.piece, f.rows-i), operand{f.sums.at(i, 0), f.sums.rs, f.sums.cs}
		if f.vector {
			f.run(&s.epi, sums, 0, i, 1, n, t, 0)
		} else {
			f.run(&s.epi, sums, i, 0, n, f.cols, 0, t)
		}
	}
	s.epi = kernel.EpiArgs{}
	rowScratches.put(s)
}
