package rows

import (
	"sort"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// nestCall is what one product of [SpMM.nest] has besides its operands.
type nestCall[T dtype.Float] struct {
	alpha, beta T
	mode        int64    // for them
	add         bool     // out holds sums already, to which those of a are added
	ends        *nestEnd // what becomes of rows that are complete; nil: they stay
}

// nest computes sums of a ⊗ b into out, in semirings too, and then hands rows to c.ends. It
// does so as soon as a block of them is complete if the loops of a make rows one after
// another, else at the end. For means it makes the sums.
func (s *SpMM[T]) nest(opt run.Options, c nestCall[T], out layout.Matrix[T], a format.Packed[T], b layout.Matrix[T]) {
	kern, set, masked := s.nestKernels(&opt, a, b)
	if kern == nil {
		s.packedInGo(c, out, a, b)
		if c.ends != nil {
			c.ends.all(opt)
		}
		return
	}
	p := nestProducts.Get()
	p.kern, p.set, p.size, p.n, p.ends = kern, set, dtype.Of[T]().Size(), out.Cols, c.ends
	p.b = call.RowsOf(&p.bcopy, b)
	p.zero = mem.BitsOf(s.operator().Zero)
	p.c = mem.OperandOf(out)
	traversal, outer := nestPlan(p, a, masked)
	ended := c.ends != nil && !c.add && cutRows(p, a, outer, traversal)
	if traversal == nestSome && p.once { // as good as all rows, but for those that are missing
		traversal = nestRows
		switch {
		case c.add || ended:
		case s.Semiring != nil:
			p.missing(out.Rows, func(from, to int) { p.fill(p.c.At(from, 0), to-from, out.Cols) })
		case c.beta != 1:
			p.missing(out.Rows, func(from, to int) { mem.Scale(out.Slice(from, to, 0, out.Cols), c.beta) })
		}
	}
	switch {
	case traversal == nestRows && c.add:
		p.args.Mode, p.args.Alpha, p.args.Beta = kernel.ModeUpdate, mem.BitsOf(c.alpha), mem.BitsOf(T(1))
	case traversal == nestRows:
		p.args.Mode, p.args.Alpha, p.args.Beta = c.mode, mem.BitsOf(c.alpha), mem.BitsOf(c.beta)
	default: // rows are added to, and some may not be met at all
		switch {
		case c.add || ended:
		case s.Semiring != nil:
			p.fill(p.c.P, out.Rows, out.Cols)
		default:
			mem.Scale(out, c.beta)
		}
		p.args.Mode, p.args.Alpha, p.args.Beta = kernel.ModeUpdate, mem.BitsOf(c.alpha), mem.BitsOf(T(1))
	}
	p.one = mem.BitsOf(T(1))
	if ended {
		p.prepareEnds()
	}
	p.byRows = ended
	p.run(opt)
	p.release()
	nestProducts.Put(p)
	if c.ends != nil && !ended {
		c.ends.all(opt)
	}
}

// nestKernels returns the kernels for a, nil if it is multiplied in Go.
func (s *SpMM[T]) nestKernels(opt *run.Options, a format.Packed[T], b layout.Matrix[T]) (kern *kernel.Table[kernel.Func[kernel.SparseArgs]], set nestSet, masked bool) {
	kern = choose.Table(&s.nests, opt.Name(s.Name), s.Nests, opt.ISA)
	if set, masked = findNest(kern, a); set.full == nil || !call.Copies(b) || a.NNZ() == 0 {
		kern = nil
	}
	return kern, set, masked
}

// nestSet is the kernels for some loops, by vectors.
type nestSet struct {
	full, tail []kernel.Entry[kernel.Func[kernel.SparseArgs]]
}

// findNest returns the kernels for a, none if there are none, and whether they want a mask that a has not.
func findNest[T dtype.Float](k *kernel.Table[kernel.Func[kernel.SparseArgs]], a format.Packed[T]) (set nestSet, masked bool) {
	for next := 0; k != nil && next < len(k.Entries); {
		loops := k.Entries[next].Op
		var found nestSet
		found.full, found.tail, next = k.Loops(next)
		ok, ones := a.HasLoops(loops)
		if ok {
			set, masked = found, ones
		}
		if ok && !ones { // without a mask is best
			break
		}
	}
	return set, masked
}

// nestProduct is one product without its element type: panels of columns, and in
// each pieces of the outermost loop.
type nestProduct struct {
	kern     *kernel.Table[kernel.Func[kernel.SparseArgs]]
	set      nestSet
	size, n  int
	b, c     mem.Operand
	args     kernel.SparseArgs // what all calls share
	panels   call.Panels
	slots    int     // slots and rows
	pieces   int     // of the outermost loop
	perPanel int     // tasks
	starts   []int   // where they begin
	inOrder  bool    // pieces of a panel may write the same row
	some     []int32 // the rows that the outermost loop meets, if not all
	cut      []int32 // pointers of rows of which one may be too long for a call; nil: none
	unit     int     // entries of a call, but for those of one position
	once     bool    // it meets each of them once, in ascending order
	one      uint64  // the bits of 1
	zero     uint64  // of the sum of nothing
	job      call.Job

	ends      *nestEnd // of rows that are complete; nil: nothing becomes of them
	byRows    bool     // it is told of a block of rows when it is complete
	per       int      // rows of a position of the outermost loop
	rowStarts []int    // where the rows of pieces begin
	windows   []window // if rows are moved; else none
	chunks    []int    // of results that are a vector, the first call of each piece

	bcopy mem.Buffer
	ones  []uint64
}

var nestProducts mem.Pool[nestProduct]

// How a format's outermost loop meets the rows.
const (
	nestRows    = iota // each once
	nestSome           // some, each one after the other, maybe several times
	nestScatter        // in any order
)

// nestPlan sets up the arrays and the pieces of the outermost loop.
func nestPlan[T dtype.Float](p *nestProduct, a format.Packed[T], ones bool) (traversal, outer int) {
	r := a.Raw()
	args := &p.args
	*args = kernel.SparseArgs{Values: r.Values, Mask: r.Mask, Map: r.Order, LdB: int64(p.b.RS), LdC: int64(p.c.RS), Rows: int64(r.Rows), Limit: int64(r.Cols)}
	if ones {
		words := mem.Ceil(r.Slots, 64)
		for len(p.ones) < words {
			p.ones = append(p.ones, ^uint64(0))
		}
		args.Mask = unsafe.Pointer(unsafe.SliceData(p.ones))
	}
	rows := 0
	for k := range r.Levels {
		l := a.RawLevel(k)
		args.Levels[k] = kernel.NestLevel{Pointers: l.Pointers, Indices: l.Indices, Size: int64(l.Size)}
		if l.Name != "i" && l.Name != "io" && l.Name != "ii" {
			continue
		}
		switch {
		case k == 0 && l.Sparse:
			traversal = nestSome
		case k > 0 && (l.Variable || l.Sparse):
			traversal = nestScatter
		}
		if rows++; rows == 1 {
			outer = k
		}
	}
	if traversal == nestRows && !meetsAllRows(a) {
		traversal = nestScatter // rows that are not met are still cleared, or scaled
	}
	if traversal == nestScatter {
		outer = 0
	}
	l := a.RawLevel(outer)
	count := l.Size
	if l.Variable {
		count = l.Positions
	}
	p.panels = call.PanelsOf(p.n, p.kern.VL, len(p.set.full))
	width := p.panels.Width() * p.size
	lookAhead(p, a, width)
	work := r.Slots + call.RowWork*count
	p.slots = work
	p.unit = max(min(callBytes/(width+64), mem.Ceil(work, 16)), leastUnit)
	p.pieces = min(mem.Ceil(work, p.unit), max(count, 1))
	p.cutByWork(r, a.RawLevel(min(1, r.Levels-1)), outer, count)
	p.inOrder = traversal == nestScatter
	p.some, p.once = nil, false
	if traversal == nestSome {
		p.some = unsafe.Slice((*int32)(l.Indices), count)
		p.inOrder = !p.cutBetweenRows()
		p.once = l.Name == "i" && firstBack(p.some) == 0
	}
	return traversal, outer
}

// meetsAllRows reports whether the loops of a, none of which is over some rows only,
// pass every row. A format may have fewer positions than there are rows.
func meetsAllRows[T dtype.Float](a format.Packed[T]) bool {
	var outer, inner bool
	for k := range a.Raw().Levels {
		switch l := a.RawLevel(k); {
		case l.Variable || l.Sparse:
		case l.Name == "i":
			return true
		case l.Name == "io":
			outer = true
		case l.Name == "ii":
			inner = true
		}
	}
	return outer && inner
}

// cutByWork sets the starts of pieces such that each is as much work, as far as the
// axis inside the outermost one says how much a position is.
func (p *nestProduct) cutByWork(a format.Raw, within format.RawLevel, outer, count int) {
	p.starts, p.cut = p.starts[:0], nil
	if outer > 0 || a.Levels == 1 || !within.Variable {
		for i := range p.pieces + 1 {
			p.starts = append(p.starts, i*count/p.pieces)
		}
		return
	}
	pointers := unsafe.Slice((*int32)(within.Pointers), count+1)
	each := a.Slots / max(within.Positions, 1)
	work := func(x int) int { return int(pointers[x])*each + call.RowWork*x }
	for i := range p.pieces {
		p.starts = append(p.starts, sort.Search(count, func(x int) bool { return work(x) >= i*work(count)/p.pieces }))
	}
	p.starts = append(p.starts, count)
	if a.Levels == 2 && within.Name == "j" && within.Sparse {
		p.cut = pointers
	}
}

// lookAhead decides how far ahead rows of B are fetched. If ii lies between, the next
// entry of a row is so many positions on.
func lookAhead[T dtype.Float](p *nestProduct, a format.Packed[T], width int) {
	r, stride := a.Raw(), 1
	for k := range r.Levels {
		switch l := a.RawLevel(k); l.Name {
		case "ii":
			stride = l.Size
		case "j":
			p.args.Last = int64(l.Positions - 1)
		}
	}
	if total := int64(r.Cols) * int64(width); tiling.FetchesRows(machine.This(), total) {
		p.args.Ahead = int64(call.FetchDistance(width, total) * stride)
	}
}

// cutBetweenRows moves the starts of pieces to where another row begins, and reports
// whether rows ascend, so that no row is in two pieces.
func (p *nestProduct) cutBetweenRows() bool {
	rows := p.some
	for i := 1; i < len(rows); i++ {
		if rows[i] < rows[i-1] {
			return false
		}
	}
	for s := 1; s < p.pieces; s++ {
		x := max(p.starts[s], p.starts[s-1])
		for x > 0 && x < len(rows) && rows[x] == rows[x-1] {
			x++
		}
		p.starts[s] = x
	}
	return true
}

// missing calls f for each range of m rows that are not in p.some.
func (p *nestProduct) missing(m int, f func(from, to int)) {
	next := 0
	for _, r := range p.some {
		if next < int(r) {
			f(next, int(r))
		}
		next = int(r) + 1
	}
	if next < m {
		f(next, m)
	}
}

func (p *nestProduct) release() {
	p.args, p.b, p.c, p.some, p.cut = kernel.SparseArgs{}, mem.Operand{}, mem.Operand{}, nil, nil
	p.ends, p.byRows = nil, false
	p.bcopy.Trim()
}

func (p *nestProduct) run(opt run.Options) {
	p.perPanel = p.pieces
	if p.inOrder {
		p.perPanel = 1
	}
	p.job.Run(p, call.ThreadsFor(opt, float64(p.slots)*float64(p.n)), call.SumStep, p.panels.Count*p.perPanel)
}

// Task does pieces of a panel.
func (p *nestProduct) Task(w *call.Scratch, t int) {
	switch {
	case p.byRows:
		p.rowsPiece(w, t/p.perPanel, t%p.perPanel)
		w.Epi.Forget()
	case !p.inOrder:
		p.piece(w, t/p.perPanel, p.starts[t%p.perPanel], p.starts[t%p.perPanel+1])
	default:
		for piece := range p.pieces {
			p.piece(w, t, p.starts[piece], p.starts[piece+1])
		}
	}
}

// piece does positions from to to-1 of panel q.
func (p *nestProduct) piece(w *call.Scratch, q, from, to int) {
	if from >= to {
		return
	}
	col, nv, last := p.panels.Panel(q)
	w.Args = p.args
	args := &w.Args
	args.B, args.C, args.N = p.b.At(0, col), p.c.At(0, col), int64(last)
	f := p.set.full[nv-1].F
	if last < p.kern.VL {
		f = p.set.tail[nv-1].F
	}
	if p.some == nil || p.cut == nil || int(p.cut[to]-p.cut[from]) <= 2*p.unit {
		args.From, args.To = int64(from), int64(to)
		f(args)
		return
	}
	for x := from; x < to; { // assembly cannot be preempted, so a long row is several calls
		end := x + 1
		for end < to && int(p.cut[end+1]-p.cut[x]) <= p.unit {
			end++
		}
		if n := int(p.cut[x+1] - p.cut[x]); n > 2*p.unit {
			p.longRow(w, f, x)
		} else {
			args.From, args.To = int64(x), int64(end)
			f(args)
		}
		x = end
	}
}

// longRow does the row at position x of a format of rows with their entries. It does
// the first part as any row, and the others add to it.
func (p *nestProduct) longRow(w *call.Scratch, f kernel.Func[kernel.SparseArgs], x int) {
	args := &w.Args
	saved := *args
	args.Levels[0].Indices = unsafe.Add(args.Levels[0].Indices, 4*x)
	args.Levels[1].Pointers = unsafe.Pointer(&w.Range2)
	args.From, args.To = 0, 1
	last := int(p.cut[x+1])
	for k := int(p.cut[x]); k < last; k += p.unit {
		w.Range2 = [2]int32{int32(k), int32(min(k+p.unit, last))}
		f(args)
		args.Mode, args.Beta = kernel.ModeUpdate, p.one
	}
	*args = saved
}

// packedInGo is the product of any format in plain Go, by its Walk.
func (s *SpMM[T]) packedInGo(c nestCall[T], out layout.Matrix[T], a format.Packed[T], b layout.Matrix[T]) {
	op := s.operator()
	switch {
	case c.add:
	case op.Plus != nil:
		fillMatrix(out, op.Zero)
	default:
		mem.Scale(out, c.beta)
	}
	for e, v := range a.All() {
		x := v
		switch {
		case op.Plus != nil:
		case s.Pattern:
			x = c.alpha
		default:
			x *= c.alpha
		}
		op.AddRow(out.Data[e.I*out.RowStride:], out.ColStride, x, b.Data[e.J*b.RowStride:], b.ColStride, out.Cols)
	}
}

// fill makes rows of n elements at c sums of nothing.
func (p *nestProduct) fill(c unsafe.Pointer, rows, n int) {
	for i := range rows {
		if row := unsafe.Add(c, i*p.c.RS); p.size == 4 {
			fillRow(call.SliceOf((*float32)(row), n), *(*float32)(unsafe.Pointer(&p.zero)))
		} else {
			fillRow(call.SliceOf((*float64)(row), n), *(*float64)(unsafe.Pointer(&p.zero)))
		}
	}
}

func fillRow[T dtype.Float](x []T, v T) {
	for i := range x {
		x[i] = v
	}
}

// fillMatrix sets all elements of m.
func fillMatrix[T dtype.Value](m layout.Matrix[T], v T) {
	for i := range m.Rows {
		for j := range m.Cols {
			m.Data[i*m.RowStride+j*m.ColStride] = v
		}
	}
}
