package graph

import (
	"cmp"
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
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
	alpha, beta, mode, done := call.Begin(opt, out, a.NNZ() == 0 || x.Cols == 0, func(opt run.Options, out layout.Matrix[T]) { set.Multiply(opt, out, a, x, w) })
	if done {
		return
	}
	c := set.calls.Get()
	defer set.release(c)
	set.prepare(c, name, opt, a, x, w)
	c.alpha, c.beta, c.mode = mem.BitsOf(alpha), mem.BitsOf(beta), mode
	mem.Normalize(&out)
	strided := out.ColStride != 1
	if c.c = mem.OperandOf(out); strided {
		c.c = c.ccopy.Rows(out.Rows, out.Cols, int(unsafe.Sizeof(alpha)))
		c.mode = kernel.ModeScale
	}
	c.run(opt)
	if strided {
		mem.Scatter[T](mem.OperandOf(out), 0, 0, out.Rows, out.Cols, c.c, c.beta)
	}
}

// prepare makes a call ready but for where its results go.
func (set *Relations[T]) prepare(c *relationCall[T], name string, opt run.Options, a sparse.Relations[T], x, w layout.Matrix[T]) {
	call.CheckCopy(name, "x", x)
	call.CheckCopy(name, "w", w)
	c.raw, c.kern, c.k, c.l = a.Raw(), set.pick(name, opt.ISA), x.Cols, w.Cols
	if c.kern.ISA != run.Portable {
		c.dense = call.DenseFor(set.Dense(), c.kern.ISA)
	}
	c.x, c.w = call.RowsOf(&c.xcopy, x), call.RowsOf(&c.wcopy, w)
}

// run computes all tiles.
func (c *relationCall[T]) run(opt run.Options) {
	c.tasks.Run(c, call.ThreadsFor(opt, float64(c.raw.Pairs)*float64(c.k)*float64(c.l)), c.raw.Tiles)
}

// release keeps the buffers of a call for another.
func (set *Relations[T]) release(c *relationCall[T]) {
	c.xcopy.Trim()
	c.wcopy.Trim()
	c.ccopy.Trim()
	*c = relationCall[T]{xcopy: c.xcopy, wcopy: c.wcopy, ccopy: c.ccopy}
	set.calls.Put(c)
}

func (set *Relations[T]) pick(name, isa string) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	kern := choose.Table(&set.choice, name, set.Rows(), isa)
	if kern == nil {
		return call.GoRows[T]()
	}
	return kern
}

// checkRelations refuses operands that do not fit, with an epilogue or out.
func checkRelations[T dtype.Float](name string, opt run.Options, e *epilogue.Epilogue, out *layout.Matrix[T], a sparse.Relations[T], x, w *layout.Matrix[T]) {
	fail := func(format string, args ...any) {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf(format, args...)})
	}
	call.CheckOptions(name, &opt)
	call.RefuseScales(name, &opt, e != nil)
	run.CheckReal(name, &opt.Scaling)
	var rows, cols int
	if e != nil {
		rows, cols = e.Rows, e.Cols
	} else {
		rows, cols = out.Rows, out.Cols
	}
	if rows != a.Rows() || x.Rows != a.Cols() || w.Cols != cols || w.Rows != mem.Volume(a.Count(), x.Cols) {
		fail("out is %d x %d, a is %d relations of %d x %d, x is %d x %d, w is %d x %d; want m x l, r of m x n, n x k, and r*k x l",
			rows, cols, a.Count(), a.Rows(), a.Cols(), x.Rows, x.Cols, w.Rows, w.Cols)
	}
	if e == nil {
		if err := out.CheckOut("out"); err != nil {
			fail("%v", err)
		}
		call.CheckBeside(name, "out", out, "x", x)
		call.CheckBeside(name, "out", out, "w", w)
		return
	}
	if err := cmp.Or(x.Check("x"), w.Check("w")); err != nil {
		fail("%v", err)
	}
	if mem.Volume(rows, max(cols, x.Cols), 8*mem.Line) == math.MaxInt { // outputs may be reductions, which do not bound it
		fail("a result of %d x %d is too large; want fewer rows or columns", rows, cols)
	}
	e.CheckOverlap(epi.MemoryOf("x", *x), epi.MemoryOf("w", *w))
}

// relationCall is one call.
type relationCall[T dtype.Float] struct {
	raw         sparse.RawRelations
	kern        *kernel.Table[kernel.Func[kernel.SparseArgs]]
	dense       *kernel.Kernels // nil: in Go
	x, w, c     mem.Operand
	k, l        int
	alpha, beta uint64
	mode        int64
	fused       *call.Epilogue // nil: sums are stored

	xcopy, wcopy, ccopy mem.Buffer
	tasks               call.Tasks
}

func (c *relationCall[T]) Work(bool) {
	w := call.Scratches.Get()
	defer call.Scratches.Put(w)
	for t := range c.tasks.Each {
		c.tile(w, t)
	}
	w.Sums.Trim()
	w.Gathered.Trim()
	w.Result.Trim()
	w.Args = kernel.SparseArgs{}
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
			A: mem.Operand{P: w.Gathered.P, RS: deep, CS: size}, B: c.w.At(r*c.k, 0), LdB: c.w.RS, C: unsafe.Add(w.Sums.P, (from-first)*wide), LdC: wide,
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
