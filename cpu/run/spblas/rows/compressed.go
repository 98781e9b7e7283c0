package rows

import (
	"cmp"
	"math"
	"sort"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// store is multiply of compressed rows whose sums are stored.
func store[T dtype.Float, B dtype.Elem](s *SpMM[T], opt run.Options, out layout.Matrix[T], a *Rows[T], b layout.Matrix[B]) {
	none := a.raw.NNZ == 0 && s.Semiring == nil
	alpha, beta, mode, done := call.Begin(opt, out, none, true, func(opt run.Options, out layout.Matrix[T]) { store(s, opt, out, a, b) })
	if done {
		return
	}
	kern, c := s.pickRows(&opt), nestCall[T]{alpha: alpha, beta: beta, mode: s.mode(mode)}
	if call.CopyColumns(b) >= b.Cols {
		rowsInto(s, opt, kern, c, out, a, b)
		return
	}
	if a.raw.NNZ < call.DistinctRows(b) && s.Semiring == nil && !s.Mean && !s.Pattern && !a.stage.on() {
		if b, ok := any(b).(layout.Matrix[T]); ok {
			rowsInPlace(alpha, beta, out, a.raw, b)
			return
		}
	}
	call.BySlabs(out, b, func(out layout.Matrix[T], b layout.Matrix[B]) { rowsInto(s, opt, kern, c, out, a, b) })
}

// rowsInto computes a product into out, whose rows are contiguous, by c.mode or, if out has sums already, adding to
// them.
func rowsInto[T dtype.Float, B dtype.Elem](s *SpMM[T], opt run.Options, kern *kernel.Table[kernel.Func[kernel.SparseArgs]], c nestCall[T], out layout.Matrix[T], a *Rows[T], b layout.Matrix[B]) {
	p := rowProducts.Get()
	p.init(kern, dtype.Of[T]().Size(), dtype.Of[B]().Size(), a.stored, a.raw, out.Cols)
	if a.stage.on() { // else it is clear
		p.stage = a.stage
	}
	p.alpha, p.beta, p.mode = mem.BitsOf(c.alpha), mem.BitsOf(c.beta), c.mode
	if c.add {
		p.beta, p.mode = mem.BitsOf(T(1)), kernel.ModeUpdate
	}
	p.b = call.RowsOf(&p.bcopy, b)
	p.c = mem.OperandOf(out)
	p.decide(c.mode == kernel.ModeMean)
	p.run(opt)
	joinPieces(p, s.plus())
	p.release()
	rowProducts.Put(p)
}

// mode is how kernels store a row that mode would store if it were a sum.
func (s *SpMM[T]) mode(mode int64) int64 {
	if s.Mean {
		return kernel.ModeMean
	}
	return mode
}

// pickRows returns the kernels for compressed rows: those of the ISA, or portable ones.
func (s *SpMM[T]) pickRows(opt *run.Options) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	k := choose.Table(&s.rows, opt.Name(s.Name), s.Rows, opt.ISA)
	switch {
	case k != nil:
		return k
	case s.Semiring != nil || s.Mean || s.Pattern:
		return rowsOver(s.operator())
	}
	return call.GoRows[T]()
}

// plus returns how two sums become one; nil: by adding them.
func (s *SpMM[T]) plus() func(x, y T) T { return s.operator().Plus }

// meanRow divides the sum of row r by the number of its entries if p is of means.
func meanRow[T dtype.Float](p *rowProduct, r int, sum []T) {
	if p.mode != kernel.ModeMean {
		return
	}
	factor := 1 / T(max(p.at(r+1)-p.at(r), 1))
	for j := range sum {
		sum[j] *= factor
	}
}

// joinSums takes n partial sums at src into those at dst.
func joinSums[T dtype.Float](dst, src *T, n int, plus func(x, y T) T) {
	x, y := call.SliceOf(dst, n), call.SliceOf(src, n)
	if plus == nil {
		for i := range x {
			x[i] += y[i]
		}
		return
	}
	for i := range x {
		x[i] = plus(x[i], y[i])
	}
}

// rowProduct is one product of a matrix in compressed rows, without its element
// type. The columns of C are cut into panels, and each panel into tasks of about as
// much work. A task is a range of rows, or part of a long one:
//
//	rows    ========|==|=   |=====|=     |===|
//	tasks   0       1   2    3     4     5        rows 2 and 4 are long: their
//	                                              pieces are added up afterwards
//
// The starts of tasks depend on the matrix and n alone.
type rowProduct struct {
	kern        *kernel.Table[kernel.Func[kernel.SparseArgs]]
	size        int // bytes of an element
	sizeB       int // of b
	a           sparse.Raw
	b, c        mem.Operand // with contiguous rows
	n           int
	alpha, beta uint64
	mode        int64
	ahead       int                                            // entries
	vec         kernel.Func[kernel.SparseArgs]                 // for one column; nil if b and c are not, or b has gaps
	full, tail  []kernel.Entry[kernel.Func[kernel.SparseArgs]] // for the panels
	fused       *rowFusion                                     // what becomes of finished rows; nil: c, by mode
	stage       staging                                        // how rows are laid out

	panels  call.Panels
	unit    int // work of a task
	perPass int // tasks of a panel
	job     call.Job

	starts  []cursor // where tasks begin, and the end
	cuts    []int32  // by start: number of the cut, if it lies inside a row, or -1
	nCuts   int
	partial mem.Buffer // for each panel and cut, what lies before it and after it

	bcopy mem.Buffer
}

var rowProducts mem.Pool[rowProduct]

// A call may move callBytes of B, which takes about 100 us at worst, since assembly
// cannot be preempted. A small matrix is cut into sixteenths, so that threads share it
// evenly.
const (
	callBytes = 1 << 21
	leastUnit = 512
)

// init cuts a into tasks. An element of b has sizeB bytes, and stored where the caller has it; 0: as many.
func (p *rowProduct) init(kern *kernel.Table[kernel.Func[kernel.SparseArgs]], size, sizeB, stored int, a sparse.Raw, n int) {
	p.kern, p.size, p.sizeB, p.a, p.n = kern, size, sizeB, a, n
	p.panels = call.PanelsOf(n, kern.VL, kern.NV)
	width := p.panels.Width() * cmp.Or(stored, sizeB)
	total := a.NNZ + call.RowWork*a.Rows
	p.unit = max(min(callBytes/(width+64), mem.Ceil(total, 16)), leastUnit)
	p.perPass = mem.Ceil(total, p.unit)
	p.starts, p.cuts, p.nCuts = p.starts[:0], p.cuts[:0], 0
	for t := range p.perPass + 1 {
		at, cut := p.find(t), -1
		if at.row < a.Rows && at.entry > p.at(at.row) {
			cut = p.nCuts
			p.nCuts++
		}
		p.starts, p.cuts = append(p.starts, at), append(p.cuts, int32(cut))
	}
	// Kernels that prefetch add in one chain, the others in several. The choice follows from the reference, so
	// that a result has the same bits on all machines. How far ahead they fetch does not show.
	form := kernel.Panel
	p.ahead = 0
	if total := int64(a.Cols) * int64(width); tiling.FetchesRows(machine.Reference(p.kern.ISA), total) {
		form, p.ahead = kernel.Fetch, call.FetchDistance(width, total)
	}
	p.full, p.tail = kern.Both(form)
}

func (p *rowProduct) release() {
	p.a, p.b, p.c, p.stage = sparse.Raw{}, mem.Operand{}, mem.Operand{}, staging{}
	p.bcopy.Trim()
	p.partial.Trim()
}

// at is pointer r.
func (p *rowProduct) at(r int) int { return int(*call.Element[int32](p.a.Pointers, r)) }

// cursor is where a task begins: row and entry.
type cursor struct{ row, entry int }

// begin returns where task t of a panel begins.
func (p *rowProduct) begin(t int) cursor { return p.starts[t] }

// find works it out: in a row longer than a unit anywhere, else at the start of a
// row.
func (p *rowProduct) find(t int) cursor {
	x := t * p.unit
	// The last row whose work begins at x or before.
	r := sort.Search(p.a.Rows, func(r int) bool { return p.at(r+1)+call.RowWork*(r+1) > x })
	if r == p.a.Rows {
		return cursor{r, p.a.NNZ}
	}
	from, to := p.at(r), p.at(r+1)
	if to-from <= p.unit {
		return cursor{r, from}
	}
	if k := x - call.RowWork*r; k < to {
		return cursor{r, k}
	}
	return cursor{r + 1, to}
}

// slot is where the sum of the piece of a row goes that ends at the cut where task t
// begins (side 0), or begins there (side 1).
func (p *rowProduct) slot(q, t, side int) unsafe.Pointer {
	width := p.panels.Size * p.kern.VL * p.size
	return unsafe.Add(p.partial.P, ((q*p.nCuts+int(p.cuts[t]))*2+side)*width)
}

func (p *rowProduct) run(opt run.Options) {
	n := mem.Volume(p.panels.Count, p.nCuts, 2, p.panels.Size, p.kern.VL, p.size)
	if n == math.MaxInt {
		check.Call(opt.Caller).Refuse("%d columns of rows that are cut %d times take more memory than there is; multiply fewer at a time", p.n, p.nCuts)
	}
	p.partial.Grow(n)
	p.job.Run(p, call.ThreadsFor(opt, float64(p.a.NNZ+call.RowWork*p.a.Rows)*float64(p.n)), call.SumStep, p.panels.Count*p.perPass)
}

// Task does a task of a panel, of which it is number t.
func (p *rowProduct) Task(w *call.Scratch, t int) {
	q, t := t/p.perPass, t%p.perPass
	from, to := p.begin(t), p.begin(t+1)
	if from == to {
		return
	}
	col, nv, last := p.panels.Panel(q)
	args := &w.Args
	args.Indices, args.Values = p.a.Indices, p.a.Values
	args.B, args.LdB, args.LdC = p.b.At(0, col), int64(p.b.RS), int64(p.c.RS)
	args.Alpha, args.Beta = p.alpha, p.beta
	args.N = int64(last)

	if from.entry > p.at(from.row) { // it begins inside a row
		end := min(p.at(from.row+1), to.entry)
		p.piece(w, nv, from.row, from.entry, end, p.slot(q, t, 1))
		if to.row == from.row {
			return
		}
		from = cursor{from.row + 1, end}
	}
	args.Mode = p.mode
	switch {
	case to.row == from.row:
	case p.fused != nil:
		p.fused.rows(p, w, q, t, from.row, to.row)
	default:
		p.rows(w, nv, from.row, to.row, p.c.At(from.row, col))
	}
	if start := p.at(min(to.row, p.a.Rows-1)); to.row < p.a.Rows && to.entry > start { // it ends inside a row
		p.piece(w, nv, to.row, start, to.entry, p.slot(q, t+1, 0))
	}
}

// piece sums entries from to to-1 of one row to dst.
func (p *rowProduct) piece(w *call.Scratch, nv, row, from, to int, dst unsafe.Pointer) {
	w.Range2 = [2]int32{int32(from), int32(to)}
	args := &w.Args
	args.Pointers, args.Rows, args.C, args.Mode = unsafe.Pointer(&w.Range2), 1, dst, kernel.ModeStore
	fetch := to+p.ahead <= p.a.NNZ
	if p.stage.on() {
		p.stagedPiece(w, nv, row, from, to, fetch)
		return
	}
	p.call(args, nv, fetch)
}

// rows computes rows from to to-1. Those at the end of the matrix, where no index is
// left to look ahead at, go apart.
func (p *rowProduct) rows(w *call.Scratch, nv, from, to int, c unsafe.Pointer) {
	args := &w.Args
	cut := to
	if p.at(to)+p.ahead > p.a.NNZ {
		cut = from + sort.Search(to-from, func(r int) bool { return p.at(from+r+1)+p.ahead > p.a.NNZ })
	}
	if p.stage.on() {
		p.stagedRows(w, nv, from, cut, c, true)
		if cut < to { // otherwise c has no such row
			p.stagedRows(w, nv, cut, to, unsafe.Add(c, (cut-from)*p.c.RS), false)
		}
		return
	}
	if cut > from {
		args.Pointers, args.Rows, args.C = unsafe.Pointer(call.Element[int32](p.a.Pointers, from)), int64(cut-from), c
		p.call(args, nv, true)
	}
	if cut < to {
		args.Pointers, args.Rows = unsafe.Pointer(call.Element[int32](p.a.Pointers, cut)), int64(to-cut)
		args.C = unsafe.Add(c, (cut-from)*p.c.RS)
		p.call(args, nv, false)
	}
}

// call calls the kernel for nv vectors. fetch says that indices may be read ahead; else those that fetch fetch what they use.
func (p *rowProduct) call(args *kernel.SparseArgs, nv int, fetch bool) {
	args.Ahead = 0
	if fetch {
		args.Ahead = int64(4 * p.ahead)
	}
	switch {
	case p.vec != nil:
		p.vec(args)
	case int(args.N) < p.kern.VL:
		p.tail[nv-1].F(args)
	default:
		p.full[nv-1].F(args)
	}
}

// joinPieces adds up the rows that several tasks computed, in the order of their
// entries, and stores them.
func joinPieces[T dtype.Float](p *rowProduct, plus func(x, y T) T) {
	alpha, beta := *(*T)(unsafe.Pointer(&p.alpha)), *(*T)(unsafe.Pointer(&p.beta))
	for t := 1; t < p.perPass; t++ {
		at := p.begin(t)
		if p.cuts[t] < 0 || p.cuts[t-1] >= 0 && p.begin(t-1).row == at.row {
			continue // no row is cut here, or not for the first time
		}
		last := t // the task that ends the row
		for last+1 < p.perPass && p.begin(last+1).row == at.row {
			last++
		}
		for q := range p.panels.Count {
			col, cols := p.panels.Columns(q)
			sum := (*T)(p.slot(q, t, 0))
			for piece := t; piece <= last; piece++ {
				joinSums(sum, (*T)(p.slot(q, piece, 1)), cols, plus)
			}
			meanRow(p, at.row, call.SliceOf(sum, cols))
			if p.fused != nil {
				p.fused.row(p, q, at.row, unsafe.Pointer(sum), cols)
				continue
			}
			call.FinishRow(call.SliceOf((*T)(p.c.At(at.row, col)), cols), call.SliceOf(sum, cols), p.mode, alpha, beta, plus)
		}
	}
}

// decide chooses what depends on where b and c lie.
func (p *rowProduct) decide(mean bool) {
	p.vec = p.oneColumn(mean)
	if p.mode == kernel.ModeStore && p.n%p.kern.VL == 0 && p.ahead > 0 &&
		mem.Misaligned(p.c.P, mem.Line) == 0 && p.c.RS%mem.Line == 0 && call.StoresPast(p.kern.ISA, int64(p.a.Rows)*int64(p.n*p.size)) {
		p.mode = kernel.ModeStream
	}
}

// oneColumn returns the kernel for one column if that can do a call, else nil.
func (p *rowProduct) oneColumn(mean bool) kernel.Func[kernel.SparseArgs] {
	if p.n != 1 || p.b.RS != p.size && p.a.NNZ > 0 || mean {
		return nil
	}
	return p.kern.One(kernel.Columns)
}
