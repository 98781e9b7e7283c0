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
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// PrunedSet is all variants of the product of pruned weights with a dense matrix. A
// package-level variable holds one for each element type.
type PrunedSet[T dtype.Float] struct {
	Name     string
	Variants []*kernel.Table[kernel.Func[kernel.SparseArgs]] // best first; none without assembly

	choice choose.Choice
	calls  mem.Pool[prunedProduct[T]] // so that a call allocates nothing
}

const (
	prunedPitch = tiling.PrunedPitch
	prunedGroup = tiling.PrunedGroup
	prunedRows  = tiling.PrunedRows
)

// Pruned is a sparse matrix arranged for products with dense ones of many columns,
// such as the weights of a pruned layer with a batch of activations. It is a copy, in
// blocks of rows and columns, with each block's rows in order of their length. Any
// number of products may use it at once.
type Pruned[T dtype.Float] struct {
	rows, cols int
	depth      int           // columns of a block
	blocks     []prunedBlock // of columns within those of rows
	runs       []int32       // pairs of a number of entries and how many groups, or rows, have it
	order      []int32       // rows, counted from the block's first: of groups, then single ones
	offsets    []int32       // of the entries' rows in a slab, in bytes, from the block's first
	values     []T
}

// prunedBlock is where the parts of one block begin.
type prunedBlock struct{ runs, singles, order, entries int }

// NewPruned arranges m. It takes time linear in the entries and in the number of
// blocks' rows, about that of two or three products with one dense column.
func NewPruned[T dtype.Float](m sparse.Matrix[T]) *Pruned[T] {
	raw := m.Raw()
	p := &Pruned[T]{rows: raw.Rows, cols: raw.Cols, offsets: make([]int32, raw.NNZ), values: make([]T, raw.NNZ)}
	if raw.Rows == 0 || raw.Cols == 0 {
		return p
	}
	pointers := call.RowPointers(raw)
	indices, values := unsafe.Slice((*int32)(raw.Indices), raw.NNZ), unsafe.Slice((*T)(raw.Values), raw.NNZ)
	p.depth = tiling.PrunedDepth(raw.Rows, raw.Cols, raw.NNZ)
	across := mem.Ceil(raw.Cols, p.depth)
	height := min(prunedRows, raw.Rows)
	next := make([]int32, across*height) // by column block and row: entries, then where the next one goes
	grouped := make([]bool, len(next))
	total := 0
	for i0 := 0; i0 < raw.Rows; i0 += prunedRows {
		n := min(prunedRows, raw.Rows-i0)
		clear(next)
		for i := range n {
			for _, j := range indices[pointers[i0+i]:pointers[i0+i+1]] {
				next[int(j)/p.depth*height+i]++
			}
		}
		for c := range across {
			total = p.sortRows(next[c*height:][:n], grouped[c*height:], c == 0 || c == across-1, total)
		}
		for i := range n {
			for k := pointers[i0+i]; k < pointers[i0+i+1]; k++ {
				j := int(indices[k])
				at := &next[j/p.depth*height+i]
				p.offsets[*at], p.values[*at] = int32(j%p.depth*prunedPitch), values[k]
				if *at++; grouped[j/p.depth*height+i] {
					*at += prunedGroup - 1
				}
			}
		}
	}
	p.blocks = append(p.blocks, prunedBlock{len(p.runs), len(p.runs), len(p.order), total})
	p.order = append(p.order, make([]int32, prunedGroup)...) // kernels look ahead
	return p
}

// sortRows begins a block. It orders the rows by their numbers of entries, the longest
// first, with groups of equal ones before those that are left over. It replaces each
// number by where the row's entries begin. Rows without any are left out unless all is
// set.
func (p *Pruned[T]) sortRows(counts []int32, grouped []bool, all bool, from int) (to int) {
	first := prunedBlock{runs: len(p.runs), order: len(p.order), entries: from}
	most := slices.Max(counts)
	byCount := make([][]int32, most+1)
	for i, n := range counts {
		if n > 0 || all {
			byCount[n] = append(byCount[n], int32(i))
		}
	}
	run := func(n int32, rows []int32, group int) {
		if len(rows) == 0 {
			return
		}
		p.runs, p.order = append(p.runs, n, int32(len(rows)/group)), append(p.order, rows...)
		for k, i := range rows {
			grouped[i] = group > 1
			counts[i] = int32(from + k/group*group*int(n) + k%group)
		}
		from += len(rows) * int(n)
	}
	for n := most; n >= 0; n-- {
		rows := byCount[n]
		run(n, rows[:len(rows)-len(rows)%prunedGroup], prunedGroup)
	}
	first.singles = len(p.runs)
	for n := most; n >= 0; n-- {
		rows := byCount[n]
		run(n, rows[len(rows)-len(rows)%prunedGroup:], 1)
	}
	p.blocks = append(p.blocks, first)
	return from
}

// Dims returns the number of rows and columns.
func (p *Pruned[T]) Dims() (rows, cols int) { return p.rows, p.cols }

// NNZ returns the number of entries.
func (p *Pruned[T]) NNZ() int { return len(p.values) }

// Multiply computes out = a*b, or by opt alpha*a*b + beta*out. a is m x k, b is k x n
// and out is m x n. b and out have any strides.
//
// The products of an element are added block by block, and within a block in the order
// of a's entries, whatever the number of threads. alpha multiplies b. Every stored
// entry counts, so that a stored 0 times Inf is NaN, and nothing else is multiplied. It
// panics with a [layout.ShapeError] before any element is read, in these cases: shapes
// do not agree, a slice is too short, or out shares memory with b.
func (set *PrunedSet[T]) Multiply(opt run.Options, out layout.Matrix[T], a *Pruned[T], b layout.Matrix[T]) {
	name := opt.Name(set.Name)
	if a == nil {
		check.Call(name).Refuse("there are no weights; see NewPruned")
	}
	call.CheckSparse(name, opt, &out, a.rows, a.cols, &b)
	kern := choose.Table(&set.choice, name, set.Variants, opt.ISA)
	alpha, beta, _, done := call.Begin(opt, out, a.NNZ() == 0, true, func(opt run.Options, out layout.Matrix[T]) { set.Multiply(opt, out, a, b) })
	if done {
		return
	}
	size := int(unsafe.Sizeof(alpha))
	p := set.calls.Get()
	defer func() { *p = prunedProduct[T]{}; set.calls.Put(p) }()
	*p = prunedProduct[T]{Pruned: a, kern: kern, alpha: alpha, out: out, b: b, mode: kernel.ModeStore}
	if beta != 0 {
		mem.Scale(out, beta)
		p.mode = kernel.ModeUpdate
	}
	p.slabs = mem.Ceil(out.Cols, prunedPitch/size)
	threads := call.ThreadsFor(opt, float64(a.NNZ())*float64(out.Cols))
	if n := mem.Volume(p.slabs, a.cols, prunedPitch); n < math.MaxInt && n <= call.PackLimit(len(b.Data), size) && call.Copies(b) {
		p.b = call.ContiguousRows(b)
		p.packed = panelBuffers.Get()
		p.packed.Grow(n)
		p.job.Run(p, threads, call.PackStep, p.slabs*mem.Ceil(a.cols, p.depth))
		p.job.Run(p, threads, call.SumStep, p.slabs*mem.Ceil(a.rows, prunedRows))
		p.packed.Trim()
		panelBuffers.Put(p.packed)
	} else { // a copy would be far larger than b
		p.job.Run(p, threads, call.PlainStep, mem.Ceil(a.rows, prunedRows))
	}
}

// prunedProduct is one call.
type prunedProduct[T dtype.Float] struct {
	*Pruned[T]
	kern   *kernel.Table[kernel.Func[kernel.SparseArgs]]
	alpha  T
	mode   int64 // of the first block of columns
	out, b layout.Matrix[T]
	slabs  int
	packed *mem.Buffer // the slabs one after another, each all of b's rows

	job call.Job
}

// Task does task t of a step.
func (p *prunedProduct[T]) Task(w *call.Scratch, t int) {
	switch p.job.Step {
	case call.PackStep:
		p.pack(w, t)
	case call.SumStep:
		p.slab(w, t)
	default:
		p.direct(t)
	}
}

// columns returns the columns of a slab.
func (p *prunedProduct[T]) columns(slab int) (from, to int) {
	n := prunedPitch / int(unsafe.Sizeof(p.alpha))
	return slab * n, min((slab+1)*n, p.out.Cols)
}

// pack copies the rows of b of one block of columns of a, as wide as a slab.
func (p *prunedProduct[T]) pack(w *call.Scratch, task int) {
	across := mem.Ceil(p.cols, p.depth)
	slab, k := task/across, task%across*p.depth
	from, to := p.columns(slab)
	n := min(p.depth, p.cols-k)
	c := unsafe.Add(p.packed.P, (slab*p.cols+k)*prunedPitch)
	if p.kern == nil {
		for i := range n {
			row := unsafe.Slice((*T)(unsafe.Add(c, i*prunedPitch)), to-from)
			for j := range row {
				row[j] = p.alpha * p.b.Data[(k+i)*p.b.RowStride+from+j]
			}
		}
		return
	}
	a, b := &w.Args, mem.OperandOf(p.b)
	nv := mem.Ceil(to-from, p.kern.VL)
	a.B, a.LdB, a.C, a.Stride = b.At(k, from), int64(b.RS), c, prunedPitch
	a.K, a.N, a.Alpha = int64(n), int64(to-from-(nv-1)*p.kern.VL), mem.BitsOf(p.alpha)
	p.kern.Of(kernel.Copy)[nv-1].F(a)
}

// slab computes one slab of one block of rows.
func (p *prunedProduct[T]) slab(w *call.Scratch, task int) {
	down, across := mem.Ceil(p.rows, prunedRows), mem.Ceil(p.cols, p.depth)
	slab, i := task/down, task%down
	from, to := p.columns(slab)
	// The sums lie in the worker's memory until the last block. Rows of out may be a power
	// of two apart, and then few of them stay in L2.
	w.Sums.Grow(prunedRows * prunedPitch)
	for c := range across {
		x, end := p.blocks[i*across+c], p.blocks[i*across+c+1]
		if x.runs == end.runs {
			continue
		}
		b := unsafe.Add(p.packed.P, (slab*p.cols+c*p.depth)*prunedPitch)
		mode := int64(kernel.ModeUpdate)
		if c == 0 {
			mode = p.mode
		}
		if p.kern == nil {
			p.plain(x, end, b, i*prunedRows, from, to, mode)
			continue
		}
		a, out := &w.Args, mem.OperandOf(p.out)
		nv := mem.Ceil(to-from, p.kern.VL)
		a.Pointers, a.Width = unsafe.Pointer(&p.runs[x.runs]), int64((x.singles-x.runs)/2)
		a.K = int64((end.runs - x.singles) / 2)
		a.Map, a.Mode = unsafe.Pointer(&p.order[x.order]), mode
		if x.entries < end.entries {
			a.Indices, a.Values = unsafe.Pointer(&p.offsets[x.entries]), unsafe.Pointer(&p.values[x.entries])
		}
		a.B, a.A, a.LdA, a.C, a.LdC = b, w.Sums.P, prunedPitch, w.Sums.P, prunedPitch
		if c == 0 {
			a.A, a.LdA = out.At(i*prunedRows, from), int64(out.RS)
		}
		if c == across-1 {
			a.C, a.LdC = out.At(i*prunedRows, from), int64(out.RS)
		}
		a.N = int64(to - from - (nv-1)*p.kern.VL)
		if int(a.N) < p.kern.VL {
			p.kern.Tile(kernel.Tail, 1, nv)(a)
		} else {
			p.kern.Tile(kernel.Panel, 1, nv)(a)
		}
	}
}

// direct computes one block of rows in Go from b where it lies.
func (p *prunedProduct[T]) direct(i int) {
	across := mem.Ceil(p.cols, p.depth)
	for c := range across {
		p.each(p.blocks[i*across+c], p.blocks[i*across+c+1], func(row, from, to, step int) {
			out := p.out.Data[(i*prunedRows+row)*p.out.RowStride:][:p.out.Cols]
			if c == 0 && p.mode == kernel.ModeStore {
				clear(out)
			}
			for k := from; k < to; k += step {
				v, row := p.values[k], (c*p.depth+int(p.offsets[k])/prunedPitch)*p.b.RowStride
				for j := range out {
					out[j] += T(v * T(p.alpha*p.b.Data[row+j*p.b.ColStride]))
				}
			}
		})
	}
}

// plain is one block of a slab in Go.
func (p *prunedProduct[T]) plain(x, end prunedBlock, b unsafe.Pointer, first, from, to int, mode int64) {
	var op call.Operator[T]
	p.each(x, end, func(row, entry, last, step int) {
		out := p.out.Data[(first+row)*p.out.RowStride+from:][:to-from]
		if mode == kernel.ModeStore {
			clear(out)
		}
		for k := entry; k < last; k += step {
			op.AddRow(out, 1, p.values[k], unsafe.Slice((*T)(unsafe.Add(b, int(p.offsets[k]))), len(out)), 1, len(out))
		}
	})
}

// each yields the rows of a block, counted from its first, each with the range of its entries
// and how far apart they are.
func (p *Pruned[T]) each(x, end prunedBlock, do func(row, from, to, step int)) {
	e, o := x.entries, x.order
	for r := x.runs; r < end.runs; r += 2 {
		group, n := 1, int(p.runs[r])
		if r < x.singles {
			group = prunedGroup
		}
		for range p.runs[r+1] {
			for g := range group {
				do(int(p.order[o+g]), e+g, e+n*group, group)
			}
			e, o = e+n*group, o+group
		}
	}
}
