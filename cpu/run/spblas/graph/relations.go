package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Relations is all variants of gathering, multiplying and scattering by relations. A
// package-level variable holds one for each element type.
type Relations[T dtype.Float] struct {
	Name string
	// Rows returns the kernels that gather and scatter, best first, none without assembly, and
	// Dense those that multiply. They are functions since other packages' variables would
	// take code that runs before main.
	Rows  func() []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	Dense func() []*kernel.Kernels
	// Sampled returns those for gradients of values; nil: these are computed in Go.
	Sampled func() []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	// Epilogue is the epilogue in Go, nil if there is none, and Epis its kernels.
	Epilogue kernel.Func[kernel.EpiArgs]
	Epis     []*kernel.Table[kernel.Func[kernel.EpiArgs]]

	choice, epi, sampled choose.Choice
	calls                mem.Pool[relationCall[T]]
}

// Multiply computes, or by opt alpha times it + beta*out,
//
//	out = sum over relations r of a_r * x * w_r
//
// which is a layer of an RGCN, or a convolution over points. a is m x n, x is n x k and out is
// m x l. w holds the matrices w_r, each k x l, one under another. All may have any strides.
//
// For a tile of rows of out and a relation, it gathers the rows of a_r * x that have entries and multiplies
// them by w_r, while all is in L2. Each row of out then adds up its parts, in the order of relations,
// whatever the number of threads. Multiply panics with a [layout.ShapeError] before any element is read, in
// these cases: shapes do not agree, a slice is too short, or out shares memory with x or w.
func (set *Relations[T]) Multiply(opt run.Options, out layout.Matrix[T], a sparse.Relations[T], x, w layout.Matrix[T]) {
	name := opt.Name(set.Name)
	checkRelations(name, opt, nil, &out, a, &x, &w)
	alpha, beta, mode, done := call.Begin(opt, out, a.NNZ() == 0 || x.Cols == 0, true, func(opt run.Options, out layout.Matrix[T]) { set.Multiply(opt, out, a, x, w) })
	if done {
		return
	}
	c := set.calls.Get()
	defer set.release(c)
	set.prepare(c, name, &opt, a, x, "w", w)
	c.alpha, c.beta, c.mode = mem.BitsOf(alpha), mem.BitsOf(beta), mode
	c.c = mem.OperandOf(out)
	c.run(&opt, call.SumStep, c.raw.Tiles)
}

// prepare makes a call ready but for where its results go. y is w, or what is given of the result's gradient.
func (set *Relations[T]) prepare(c *relationCall[T], name string, opt *run.Options, a sparse.Relations[T], x layout.Matrix[T], what string, y layout.Matrix[T]) {
	call.CheckCopy(name, "x", x)
	call.CheckCopy(name, what, y)
	c.raw, c.kern, c.k, c.l = a.Raw(), call.RowsFor[T](&set.choice, name, set.Rows(), opt.ISA), x.Cols, y.Cols
	if c.kern.ISA != run.Portable {
		c.dense = call.DenseFor(set.Dense(), c.kern.ISA)
	}
	c.x, c.y = call.RowsOf(&c.xcopy, x), call.RowsOf(&c.ycopy, y)
}

// run does all tasks of a step.
func (c *relationCall[T]) run(opt *run.Options, step call.Step, count int) {
	c.job.Run(c, call.ThreadsFor(*opt, float64(c.raw.Pairs)*float64(c.k)*float64(c.l)), step, count)
}

// release keeps the buffers of a call for another.
func (set *Relations[T]) release(c *relationCall[T]) {
	c.xcopy.Trim()
	c.ycopy.Trim()
	*c = relationCall[T]{xcopy: c.xcopy, ycopy: c.ycopy}
	set.calls.Put(c)
}

// checkRelations refuses operands that do not fit, with an epilogue or out.
func checkRelations[T dtype.Float](name string, opt run.Options, e *epilogue.Epilogue, out *layout.Matrix[T], a sparse.Relations[T], x, w *layout.Matrix[T]) {
	c := check.Call(name)
	call.CheckOptions(c, &opt, "")
	var rows, cols int
	if e != nil {
		c.Unscaled(&opt, check.Fused)
		rows, cols = e.Rows, e.Cols
	} else {
		run.CheckReal(name, &opt.Scaling)
		rows, cols = out.Rows, out.Cols
	}
	if rows != a.Rows() || x.Rows != a.Cols() || w.Cols != cols || w.Rows != mem.Volume(a.Count(), x.Cols) {
		c.Refuse("out is %d x %d, a is %d relations of %d x %d, x is %d x %d, w is %d x %d; want m x l, r of m x n, n x k, and r*k x l",
			rows, cols, a.Count(), a.Rows(), a.Cols(), x.Rows, x.Cols, w.Rows, w.Cols)
	}
	if e == nil {
		check.Written(c, "out", out)
		check.Beside(c, "out", out, "x", x)
		check.Beside(c, "out", out, "w", w)
		return
	}
	check.Read(c, "x", x)
	check.Read(c, "w", w)
	call.CheckEnd(e, x.Cols, epi.MemoryOf("x", *x), epi.MemoryOf("w", *w))
}

// relationCall is one call: of a product, or of a gradient of w or of values.
type relationCall[T dtype.Float] struct {
	raw   sparse.RawRelations
	kern  *kernel.Table[kernel.Func[kernel.SparseArgs]]
	dense *kernel.Kernels // nil: in Go
	x, y  mem.Operand     // y is w, or of gradients dout
	k, l  int
	job   call.Job

	// Of a product:
	c           mem.Operand
	alpha, beta uint64
	mode        int64
	fused       *call.Epilogue // nil: sums are stored
	// Of gradients:
	dw      layout.Matrix[T]
	dots    *kernel.Table[kernel.Func[kernel.SparseArgs]] // nil: in Go
	turned  mem.Operand                                   // w_r, transposed
	dvalues []T

	xcopy, ycopy mem.Buffer
}

// The steps of gradients.
const (
	weightStep = call.OwnStep + iota // a relation
	valueStep                        // a tile
)

// Task does task t of a step.
func (c *relationCall[T]) Task(w *call.Scratch, t int) {
	switch c.job.Step {
	case weightStep:
		c.weights(w, t)
	case valueStep:
		c.values(w, t)
	default:
		c.tile(w, t)
	}
}

// relationStarts returns where the pairs of each relation begin in a tile.
func relationStarts(raw *sparse.RawRelations, t int) []int32 {
	return call.SliceOf(call.Element[int32](raw.Starts, t*raw.Count), raw.Count+1)
}

// tile computes one tile of rows.
func (c *relationCall[T]) tile(w *call.Scratch, t int) {
	size, raw := dtype.Of[T]().Size(), &c.raw
	starts := relationStarts(raw, t)
	first, pairs := int(starts[0]), int(starts[raw.Count]-starts[0])
	deep, wide := paddedRow(c.k, size), paddedRow(c.l, size)
	w.Sums.Grow(max(1, pairs) * wide)
	ones := onesFor(w, max(1, pairs), size)
	if c.k == 0 { // and nothing is multiplied
		clear(call.SliceOf((*byte)(w.Sums.P), pairs*wide))
	}
	for r := range raw.Count {
		from, n := int(starts[r]), int(starts[r+1]-starts[r])
		if n == 0 || c.k == 0 {
			continue
		}
		w.Gathered.Grow(n * deep)
		gatherPairs(w, c.kern, raw, from, n, c.x, deep, c.k, size)
		t := call.Tile{
			A: mem.Operand{P: w.Gathered.P, RS: deep, CS: size}, B: c.y.At(r*c.k, 0), LdB: c.y.RS, C: unsafe.Add(w.Sums.P, (from-first)*wide), LdC: wide,
			M: n, N: c.l, K: c.k, Mode: kernel.ModeStore, Alpha: mem.BitsOf(T(1)), Beta: mem.BitsOf(T(1)),
		}
		call.Product[T](&t, c.dense, &w.Dense)
	}
	i0 := t * raw.TileRows
	order := raw.Order // of which nothing is read if the tile has no pairs
	if pairs > 0 {
		order = unsafe.Pointer(call.Element[int32](raw.Order, first))
	}
	w.Args = kernel.SparseArgs{
		Pointers: unsafe.Pointer(call.Element[int32](raw.RowPointers, t*(raw.TileRows+1))), Indices: order, Values: ones,
		Rows: int64(min(raw.TileRows, raw.Rows-i0)), Mode: c.mode, Alpha: c.alpha, Beta: c.beta,
	}
	sums := mem.Operand{P: w.Sums.P, RS: wide}
	if c.fused == nil {
		rowKernels(c.kern, false, &w.Args, sums, mem.Operand{P: c.c.At(i0, 0), RS: c.c.RS}, c.l, size)
		return
	}
	w.Result.Grow(int(w.Args.Rows) * wide)
	result := mem.Operand{P: w.Result.P, RS: wide, CS: size}
	rowKernels(c.kern, false, &w.Args, sums, result, c.l, size)
	c.fused.Run(&w.Epi, result, i0, 0, int(w.Args.Rows), c.l, 0, t)
	w.Epi.Forget()
}

// gatherPairs makes n pairs from from on. They are rows of k elements at w.gathered, each the
// sum of the rows of x that its entries ask for.
func gatherPairs(w *call.Scratch, kern *kernel.Table[kernel.Func[kernel.SparseArgs]], raw *sparse.RawRelations, from, n int, x mem.Operand, deep, k, size int) {
	g := &w.Args
	*g = kernel.SparseArgs{
		Pointers: unsafe.Pointer(call.Element[int32](raw.Pointers, from)), Indices: raw.Indices, Values: raw.Values,
		Rows: int64(n), Mode: kernel.ModeStore,
	}
	total := int64(raw.Cols) * int64(k*size)
	fetch := kern.ISA != run.Portable && tiling.FetchesRows(machine.Reference(kern.ISA), total) // which kernels: a matter of bits
	ahead := call.FetchDistance(k*size, total)
	if end := int(*call.Element[int32](raw.Pointers, from+n)); fetch && end+ahead <= raw.NNZ {
		g.Ahead = int64(4 * ahead)
	}
	rowKernels(kern, fetch, g, x, mem.Operand{P: w.Gathered.P, RS: deep}, k, size)
}

// rowsOfPairs copies the rows of m that n pairs from from on belong to, to rows of wide bytes.
func rowsOfPairs[T dtype.Float](w *call.Scratch, raw *sparse.RawRelations, from, n int, m mem.Operand, wide, cols int) {
	w.Scores.Grow(n * wide)
	for p, i := range call.SliceOf(call.Element[int32](raw.PairRows, from), n) {
		copy(call.SliceOf((*T)(unsafe.Add(w.Scores.P, p*wide)), cols), call.SliceOf((*T)(m.At(int(i), 0)), cols))
	}
}

// rowKernels computes n columns of the rows that g says.
func rowKernels(kern *kernel.Table[kernel.Func[kernel.SparseArgs]], fetch bool, g *kernel.SparseArgs, b, out mem.Operand, n, size int) {
	form := kernel.Panel
	if fetch {
		form = kernel.Fetch
	}
	full, tail := kern.Both(form)
	cols := call.PanelsOf(n, kern.VL, min(kern.NV, 16))
	g.LdB, g.LdC = int64(b.RS), int64(out.RS)
	for q := range cols.Count {
		col, nv, last := cols.Panel(q)
		g.N, g.B, g.C = int64(last), unsafe.Add(b.P, col*size), unsafe.Add(out.P, col*size)
		if last < kern.VL {
			tail[nv-1].F(g)
		} else {
			full[nv-1].F(g)
		}
	}
}

// paddedRow is the distance between rows of n elements in a buffer: whole lines.
func paddedRow(n, size int) int { return mem.Ceil(n*size, mem.Line) * mem.Line }

// onesFor returns n ones.
func onesFor(w *call.Scratch, n, size int) unsafe.Pointer {
	w.Scores.Grow(n * size)
	if size == 4 {
		call.SetOnes(call.SliceOf((*float32)(w.Scores.P), n))
	} else {
		call.SetOnes(call.SliceOf((*float64)(w.Scores.P), n))
	}
	return w.Scores.P
}
