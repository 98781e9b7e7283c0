package rows

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// BlockSet is all variants of the product of a matrix of dense blocks with a dense
// one. A package-level variable holds one for each element type.
type BlockSet[T dtype.Float] struct {
	Name     string
	Variants []*kernel.Table[kernel.Func[kernel.SparseArgs]] // best first; none without assembly

	choice choose.Choice
	calls  mem.Pool[blockProduct[T]] // so that a call allocates nothing
}

// Multiply computes out = a*b, or by opt alpha*a*b + beta*out, for an a in the format
// [format.BSR] or [format.DBSR]. a is m x k, b is k x n and out is m x n. b and out
// have any strides.
//
// The products of an element are added by block column, then column, whatever the number
// of threads. It does not multiply slots of a block without an entry of the matrix. The
// kernel would multiply the zeros of blocks with holes. It gets them only with finite
// rows of b, where that adds nothing. It panics with a [layout.ShapeError] before any
// element is read if a has another format, or one of its own whose block rows do not
// ascend or are there twice. It also panics if shapes do not agree, a slice is too
// short, or out shares memory with b. [Blocked] says which formats it takes.
func (set *BlockSet[T]) Multiply(opt run.Options, out layout.Matrix[T], a format.Packed[T], b layout.Matrix[T]) {
	name := opt.Name(set.Name)
	m := checkBlocks(name, opt, &out, a, &b)
	kern := choose.Table(&set.choice, name, set.Variants, opt.ISA)
	alpha, beta, mode, done := call.Begin(opt, out, a.NNZ() == 0, true, func(opt run.Options, out layout.Matrix[T]) { set.Multiply(opt, out, a, b) })
	if done {
		return
	}
	p := set.calls.Get()
	m.holes = p.holes
	defer func() {
		keep := blockMatrix{holes: p.holes}
		*p = blockProduct[T]{blockMatrix: keep, odd: p.odd}
		set.calls.Put(p)
	}()
	*p = blockProduct[T]{blockMatrix: m, kern: kern, alpha: alpha, beta: beta, out: out, b: b, odd: p.odd}
	p.mode = mode
	threads := call.ThreadsFor(opt, float64(a.Slots())*float64(out.Cols))
	if kern != nil {
		p.vecs = call.PanelsOf(out.Cols, kern.VL, kern.NV)
	}
	if kern == nil || !call.Copies(b) || !p.fits() {
		p.job.Run(p, threads, call.PlainStep, m.blockRows)
	} else {
		if p.mask != nil {
			p.findHoles()
		}
		p.compute(threads)
	}
	p.emptyRows()
}

// blockMatrix is a matrix of blocks without its element type.
type blockMatrix struct {
	size       int // rows and columns of a block
	rows, cols int
	blockRows  int     // that are stored
	numbers    []int32 // which block row each is; nil: position i is block row i
	pointers   []int32 // the blocks of each
	columns    []int32 // the block column of each block
	values     unsafe.Pointer
	mask       []uint64 // nil: no block has holes
	holes      []bool   // by block, if there is a mask
}

func checkBlocks[T dtype.Float](name string, opt run.Options, out *layout.Matrix[T], a format.Packed[T], b *layout.Matrix[T]) blockMatrix {
	c := check.Call(name)
	l, ok := blockLevels(a)
	if !ok {
		c.Refuse("a has the format %s; want bsr or dbsr", a.Format())
	}
	if k := firstBack(blockRows(l[0])); k > 0 {
		c.Refuse("a has the format %s with block row %d after %d; want each once and ascending, as dbsr stores them, or SpMM",
			a.Format(), blockRows(l[0])[k], blockRows(l[0])[k-1])
	}
	r, io, jo, ii := a.Raw(), l[0], l[1], l[2]
	call.CheckSparse(name, opt, out, r.Rows, r.Cols, b)
	m := blockMatrix{size: ii.Size, rows: r.Rows, cols: r.Cols, blockRows: io.Positions, values: r.Values}
	m.columns = unsafe.Slice((*int32)(jo.Indices), jo.Positions)
	m.pointers = unsafe.Slice((*int32)(jo.Pointers), io.Positions+1)
	m.numbers = blockRows(io)
	if r.Mask != nil {
		m.mask = unsafe.Slice((*uint64)(r.Mask), mem.Ceil(r.Slots, 64))
	}
	return m
}

// Blocked reports whether a is what [BlockSet.Multiply] takes. That is rows of square
// blocks in the format [format.BSR], or in [format.DBSR] with block rows that ascend,
// each there once. A kernel stores the rows of out that a block row makes and adds
// nothing to them. So another package's format that cuts or shuffles them is refused.
func Blocked[T dtype.Float](a format.Packed[T]) bool {
	l, ok := blockLevels(a)
	return ok && firstBack(blockRows(l[0])) == 0
}

// blockLevels returns the loops io, jo, ii and ji, or that a has others.
func blockLevels[T dtype.Float](a format.Packed[T]) (l [4]format.RawLevel, ok bool) {
	r := a.Raw()
	if r.Levels != len(l) || r.Order != nil {
		return l, false
	}
	for i, name := range [...]string{"io", "jo", "ii", "ji"} {
		if l[i] = a.RawLevel(i); l[i].Name != name {
			return l, false
		}
	}
	io, jo, ii, ji := &l[0], &l[1], &l[2], &l[3]
	return l, jo.Variable && jo.Sparse && io.Variable == io.Sparse && !ii.Variable && !ji.Variable && !ii.Sparse && !ji.Sparse && ii.Size == ji.Size
}

// blockRows returns which block rows are stored, nil if all are.
func blockRows(io format.RawLevel) []int32 {
	if !io.Sparse {
		return nil
	}
	return unsafe.Slice((*int32)(io.Indices), io.Positions)
}

// firstBack returns the first position where rows do not ascend, 0 if they do.
func firstBack(rows []int32) int {
	for k := 1; k < len(rows); k++ {
		if rows[k] <= rows[k-1] {
			return k
		}
	}
	return 0
}

// findHoles notes which blocks have slots inside the matrix without an entry.
func (m *blockMatrix) findHoles() {
	m.holes = slices.Grow(m.holes[:0], len(m.columns))[:len(m.columns)]
	for r := range m.blockRows {
		for p := m.pointers[r]; p < m.pointers[r+1]; p++ {
			m.holes[p] = m.entriesIn(int(p)) < m.height(r)*m.depth(int(p))
		}
	}
}

// entriesIn returns how many slots of block p hold an entry.
func (m *blockMatrix) entriesIn(p int) int {
	n := 0
	for k := p * m.size * m.size; k < (p+1)*m.size*m.size; k++ {
		n += int(m.mask[k/64] >> (k % 64) & 1)
	}
	return n
}

// row returns the first row of the r-th block row that is stored.
func (m *blockMatrix) row(r int) int {
	if m.numbers != nil {
		r = int(m.numbers[r])
	}
	return r * m.size
}

// height returns how many rows of block row r are in the matrix, depth how many
// columns of block p.
func (m *blockMatrix) height(r int) int { return min(m.size, m.rows-m.row(r)) }

func (m *blockMatrix) depth(p int) int { return min(m.size, m.cols-int(m.columns[p])*m.size) }

// blockProduct is one call.
type blockProduct[T dtype.Float] struct {
	blockMatrix
	kern        *kernel.Table[kernel.Func[kernel.SparseArgs]]
	alpha, beta T
	mode        int64
	out, b      layout.Matrix[T]

	vecs   call.Panels // of a row
	panels mem.Extent  // of vecs, that are packed
	packed *mem.Buffer // the panels one after another, each all of b's rows
	odd    []bool      // by panel and block column: there is an Inf or NaN in b

	job call.Job
}

// Task does task t of a step.
func (p *blockProduct[T]) Task(w *call.Scratch, t int) {
	switch p.job.Step {
	case call.PackStep:
		p.pack(w, t)
	case call.SumStep:
		p.tiles(w, t)
	default:
		p.plain(t, 0, p.out.Cols)
	}
}

// panelBuffers keeps the memory of packed panels between calls.
var panelBuffers mem.Pool[mem.Buffer]

// blockBudget is how much of b is packed at once. A packed panel is read soon, so it
// should not leave the caches.
const blockBudget = 2 << 20

// fits reports whether all packed panels are of a size that b accounts for: the time
// that they take is that of their size, too.
func (p *blockProduct[T]) fits() bool {
	size := int(unsafe.Sizeof(p.alpha))
	n := mem.Volume(p.cols, p.vecs.Count, p.vecs.Size, p.kern.VL, size)
	return n < math.MaxInt && n <= call.PackLimit(len(p.b.Data), size)
}

// compute does the product in groups of panels whose copy of b fits the budget.
func (p *blockProduct[T]) compute(threads int) {
	p.packed = panelBuffers.Get()
	defer func() { p.packed.Trim(); panelBuffers.Put(p.packed) }()
	size := int(unsafe.Sizeof(p.alpha))
	perPanel := p.cols * p.vecs.Size * p.kern.VL * size
	atOnce := max(1, blockBudget/max(perPanel, 1))
	p.b = call.ContiguousRows(p.b)
	for v := 0; v < p.vecs.Count; v += atOnce {
		p.panels = mem.Extent{From: v, To: min(v+atOnce, p.vecs.Count)}
		n := p.panels.To - p.panels.From
		p.packed.Grow(n * perPanel)
		blocks := mem.Ceil(p.cols, p.size)
		p.odd = slices.Grow(p.odd[:0], n*blocks)[:n*blocks]
		clear(p.odd)
		p.job.Run(p, threads, call.PackStep, n*blocks)
		p.job.Run(p, threads, call.SumStep, n*p.blockRows)
	}
}

// panel returns where block column jo of a panel begins in the copy of b, and how
// many bytes its rows have.
func (p *blockProduct[T]) panel(panel, jo int) (at unsafe.Pointer, ld int) {
	unit := p.kern.VL * int(unsafe.Sizeof(p.alpha))
	before := p.vecs.At(panel) - p.vecs.At(p.panels.From)
	ld = (p.vecs.At(panel+1) - p.vecs.At(panel)) * unit
	return unsafe.Add(p.packed.P, before*unit*p.cols+jo*p.size*ld), ld
}

// pack copies one block row of b, as wide as a panel.
func (p *blockProduct[T]) pack(w *call.Scratch, task int) {
	blocks := mem.Ceil(p.cols, p.size)
	panel, jo := p.panels.From+task/blocks, task%blocks
	col, nv, last := p.vecs.Panel(panel)
	vl := p.kern.VL
	w.Sums.Grow(vl * 8)
	b := mem.OperandOf(p.b)
	a := &w.Args
	a.B, a.LdB, a.A = b.At(jo*p.size, col), int64(b.RS), w.Sums.P
	a.C, _ = p.panel(panel, jo)
	a.K, a.N = int64(min(p.size, p.cols-jo*p.size)), int64(last)
	p.kern.Of(kernel.Copy)[nv-1].F(a)
	for _, x := range unsafe.Slice((*T)(w.Sums.P), vl) {
		if x != 0 {
			p.odd[task] = true
		}
	}
}

// tiles computes one block row of one panel.
func (p *blockProduct[T]) tiles(w *call.Scratch, task int) {
	panel, r := p.panels.From+task/p.blockRows, task%p.blockRows
	if p.touchesOdd(panel, r) {
		col, n := p.vecs.Columns(panel)
		p.plain(r, col, col+n)
		return
	}
	size := int(unsafe.Sizeof(p.alpha))
	col, nv, last := p.vecs.Panel(panel)
	height, row := p.height(r), p.row(r)
	rows := mem.SplitUp(height, p.kern.MR)
	out := mem.OperandOf(p.out)
	a := &w.Args
	at, ld := p.panel(panel, 0)
	a.B, a.LdB, a.LdC = at, int64(ld), int64(out.RS)
	a.Indices = unsafe.Pointer(unsafe.SliceData(p.columns))
	a.K, a.Stride, a.Width = int64(p.size), int64(p.size*size), int64(p.size*p.size*size)
	a.Ahead, a.Rows = int64(mem.Ceil(p.cols, p.size)-1), int64(p.cols-(mem.Ceil(p.cols, p.size)-1)*p.size)
	a.N = int64(last)
	form := kernel.Panel
	if last < p.kern.VL {
		form = kernel.Tail
	}
	first, from, to := p.values, int(p.pointers[r]), int(p.pointers[r+1])
	if from < to { // else it would point past the end, which the garbage collector does not like
		first = unsafe.Add(p.values, from*p.size*p.size*size)
	}
	for t := range rows.Count {
		i, end := rows.At(t), rows.At(t+1)
		a.Values = unsafe.Add(first, i*p.size*size) // inside the first of all blocks at least
		a.C = out.At(row+i, col)
		a.Alpha, a.Beta, a.Mode = mem.BitsOf(p.alpha), mem.BitsOf(p.beta), p.mode
		some := max(1, blockCall/((end-i)*nv*p.size))
		for k := from; k == from || k < to; k += some {
			a.From, a.Limit = int64(k), int64(min(k+some, to))
			p.kern.Tile(form, end-i, nv)(a)
			if k+some < to { // assembly cannot be preempted, so a long row is several calls
				a.Values = unsafe.Add(a.Values, some*p.size*p.size*size)
				a.Mode, a.Beta = kernel.ModeUpdate, mem.BitsOf(T(1))
			}
		}
	}
}

// blockCall is how many multiply-adds of vectors one call does, about 100 us.
const blockCall = 1 << 19

// touchesOdd reports whether a block with holes of block row r meets an Inf or NaN.
func (p *blockProduct[T]) touchesOdd(panel, r int) bool {
	if p.mask == nil {
		return false
	}
	odd := p.odd[(panel-p.panels.From)*mem.Ceil(p.cols, p.size):]
	for k := p.pointers[r]; k < p.pointers[r+1]; k++ {
		if p.holes[k] && odd[p.columns[k]] {
			return true
		}
	}
	return false
}

// plain computes columns j0 to j1-1 of block row r in Go, entry by entry.
func (p *blockProduct[T]) plain(r, j0, j1 int) {
	n := p.size
	sums := make([]T, j1-j0)
	var op call.Operator[T]
	for i := range p.height(r) {
		clear(sums)
		for k := int(p.pointers[r]); k < int(p.pointers[r+1]); k++ {
			block := unsafe.Slice((*T)(unsafe.Add(p.values, k*n*n*int(unsafe.Sizeof(p.alpha)))), n*n)
			for c := range p.depth(k) {
				slot := (k*n+i)*n + c
				if p.mask != nil && p.mask[slot/64]>>(slot%64)&1 == 0 {
					continue
				}
				op.AddRow(sums, 1, block[i*n+c], p.b.Data[(int(p.columns[k])*n+c)*p.b.RowStride+j0*p.b.ColStride:], p.b.ColStride, len(sums))
			}
		}
		for j, s := range sums {
			mem.Store(p.alpha, s, p.beta, &p.out.Data[(p.row(r)+i)*p.out.RowStride+(j0+j)*p.out.ColStride])
		}
	}
}

// emptyRows scales the block rows that a does not store; those that it does ascend.
func (p *blockProduct[T]) emptyRows() {
	if p.numbers == nil {
		return
	}
	next := 0
	for r := range p.numbers {
		p.scaleRows(next, p.row(r))
		next = p.row(r) + p.size
	}
	p.scaleRows(next, p.rows)
}

// scaleRows scales rows from to to-1 of out, if there are any.
func (p *blockProduct[T]) scaleRows(from, to int) {
	if from < to {
		mem.Scale(p.out.Slice(from, to, 0, p.out.Cols), p.beta)
	}
}
