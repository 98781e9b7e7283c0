package run

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Fuse computes a ⊗ b and hands every finished row to the epilogue once, whether it
// has entries or not and however many goroutines made it. The rules of
// [Aggregate.Multiply] hold for the sums, and outputs are what e says.
func (s *Aggregate[T]) Fuse(opt Options, e *Epilogue, a sparse.Matrix[T], b layout.Matrix[T]) {
	checkFuse(e, opt, s.Vector, a.Rows(), a.Cols(), &b)
	s.checkCall(opt, b.Cols)
	s.fuse(opt, e, a.Raw(), b)
}

// FusePacked is Fuse of what [Aggregate.MultiplyPacked] takes.
func (s *Aggregate[T]) FusePacked(opt Options, e *Epilogue, a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	checkFuse(e, opt, s.Vector, m, k, &b)
	s.checkCall(opt, b.Cols)
	s.fuse(opt, e, s.rows(a), b)
}

// checkFuse is what every fused product of a sparse m x k matrix checks first.
func checkFuse[T dtype.Float](e *Epilogue, opt Options, vector bool, m, k int, b *layout.Matrix[T]) {
	fail := func(why string) { panic(layout.ShapeError{What: e.name, Why: why}) }
	if vector && (k != b.Rows || m != e.cols) {
		fail(fmt.Sprintf("y has %d elements, a is %d x %d, x has %d; want m, m x k, k", e.cols, m, k, b.Rows))
	}
	if !vector && (k != b.Rows || m != e.rows || b.Cols != e.cols) {
		fail(fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", e.rows, e.cols, m, k, b.Rows, b.Cols))
	}
	if err := b.Check("b"); err != nil {
		fail(err.Error())
	}
	if opt.B != nil {
		fail("Options.B is for dense products; a sparse one has no use for a packed b")
	}
	if volume(e.rows, max(e.cols, b.Cols), 8*line) == math.MaxInt { // outputs may be reductions, which do not bound it
		fail(fmt.Sprintf("a result of %d x %d is too large", e.rows, e.cols))
	}
	e.checkOverlap(memory{}, memoryOf("b", *b))
}

// fuse is Fuse of what was checked.
func (s *Aggregate[T]) fuse(opt Options, e *Epilogue, a sparse.Raw, b layout.Matrix[T]) {
	if e.rows == 0 || e.cols == 0 {
		e.combine(e.rows, e.cols, 0, 0, nil)
		return
	}
	checkCopy(s.Name, "b", b)
	p, f := rowProducts.get(), rowFusions.get()
	kern := s.pick(opt.ISA)
	p.init(kern, dtype.Of[T]().Size(), a, b.Cols)
	p.alpha, p.beta, p.mode = bitsOf(T(1)), 0, s.mode(kernel.ModeStore)
	p.b = rowsOf(&p.bcopy, b)
	// Rows are summed in the worker's memory; p.c says how they lie there.
	p.c = operand{rs: p.panels.size * kern.VL * p.size, cs: p.size}
	panels, tiles := p.panels.count, p.perPass+1
	f.vector, f.joined = s.Vector, 0
	if s.Vector {
		p.c.rs = p.size
		f.chunks = ceil(p.unit/rowWork+2, sumsInL1/p.size)
		panels, tiles = p.perPass*(f.chunks+1), 1 // a chunk of rows each, and a row that was cut
	}
	p.vec = s.oneColumn(p)
	p.fused = f
	width := f.begin(e, s.Epilogue, s.Epis, opt.ISA)
	f.prepare(&f.partial, e.rows, e.cols, panels, tiles, width)
	p.run(opt.threads())
	joinPieces(p, s.join())
	f.combine(e.rows, e.cols, panels, tiles, func(panel int) int { return min(p.panels.at(panel)*kern.VL, p.n) })
	p.release()
	p.fused, f.fusion = nil, fusion{}
	rowProducts.put(p)
	rowFusions.put(f)
}

// rowFusion is the epilogue of one sparse product. Partial results of columns are
// one for each task, in the order of its rows, and one for the rows that were cut.
//
// A result that is a vector is one row to its epilogue, so that a vector register has
// many of its elements:
//
//	sums of rows    | task 0: chunk, chunk | task 1: chunk ... |   rows that were cut
//	partial results | 0       1            | chunks ...        |   perPass*chunks ...
type rowFusion struct {
	fusion
	partial buffer
	epi     kernel.EpiArgs // of rows that were cut
	vector  bool
	chunks  int // of a task
	joined  int // rows that were cut, so far
}

// begin takes the epilogue of a call, in which scalars get their addresses and the
// kernel is chosen. It returns how many partial results that leaves for a row.
func (f *rowFusion) begin(e *Epilogue, portable kernel.EpiKernel, kernels []*EpiVariant, isa string) (width int) {
	f.fusion, f.portable = e.fusion, portable
	for i := range f.n {
		if f.slots[i].P == nil {
			f.slots[i].P = unsafe.Pointer(&f.scalars[i])
		}
	}
	k := pickVariant(e.name, kernels, func(k *EpiVariant) string { return k.ISA }, isa)
	if k == nil || !f.contiguous {
		return 1
	}
	f.asm = k.Kernel
	return k.Lanes
}

// rowScratch is where a worker has rows before their epilogue.
type rowScratch struct {
	sums buffer
	epi  kernel.EpiArgs
}

var (
	rowFusions   pool[rowFusion]
	rowScratches pool[rowScratch]
)

// rows computes rows from to to-1 of panel q, which task t does: as many at once as
// stay in L1, and then their epilogue.
func (f *rowFusion) rows(p *rowProduct, w *rowWorker, q, t, from, to int) {
	v0, v1 := p.panels.at(q), p.panels.at(q+1)
	col := v0 * p.kern.VL
	cols := min(v1*p.kern.VL, p.n) - col
	s := rowScratches.get()
	some := min(to-from, max(1, sumsInL1/p.c.rs))
	s.sums.grow(some * p.c.rs)
	for i := from; i < to; i += some {
		n := min(some, to-i)
		p.rows(w, v1-v0, i, i+n, s.sums.p)
		if f.vector {
			f.run(&s.epi, operand{s.sums.p, n * p.size, p.size}, 0, i, 1, n, t*f.chunks+(i-from)/some, 0)
			continue
		}
		f.run(&s.epi, operand{s.sums.p, p.c.rs, p.size}, i, col, n, cols, q, t)
	}
	s.epi = kernel.EpiArgs{}
	rowScratches.put(s)
}

// row ends a row that several tasks computed.
func (f *rowFusion) row(p *rowProduct, q, row int, sum unsafe.Pointer, cols int) {
	if f.vector {
		f.run(&f.epi, operand{sum, p.size, p.size}, 0, row, 1, 1, p.perPass*f.chunks+f.joined, 0)
		f.joined++
		return
	}
	f.run(&f.epi, operand{sum, p.c.rs, p.size}, row, p.panels.at(q)*p.kern.VL, 1, cols, q, p.perPass)
	f.epi = kernel.EpiArgs{}
}
