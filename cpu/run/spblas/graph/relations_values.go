package graph

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Values computes the gradient of the values of a in [Relations.Multiply], from that of its result. For entry k, which is
// element (i, j) of relation r and number k of a.Edges, it is
//
//	dvalues[k] = row i of dout * w_r^T * row j of x
//
// whatever its value is: a sampled product for each relation. Row i of dout times w_r^T is computed once for all
// entries of the row in r, and kept for one tile of rows. Its sum over k is made in an order that depends on x.Cols
// and the variant only. Values panics as Multiply does, and if dvalues has not one element for each entry or shares
// memory with an operand.
func (set *Relations[T]) Values(opt run.Options, dvalues []T, a sparse.Relations[T], x, w, dout layout.Matrix[T]) {
	opt.Caller = opt.Name(set.Name + "Values")
	checkRelationValues(opt, dvalues, a, &x, &w, &dout)
	if len(dvalues) == 0 {
		return
	}
	if x.Cols == 0 || dout.Cols == 0 {
		clear(dvalues)
		return
	}
	name := opt.Caller
	var kern *kernel.Table[kernel.Func[kernel.SparseArgs]]
	if set.Sampled != nil {
		kern = choose.Table(&set.sampled, name, set.Sampled(), opt.ISA)
	}
	call.CheckCopy(name, "x", x)
	call.CheckCopy(name, "dout", dout)
	c := &relationValueCall[T]{raw: a.Raw(), kern: kern, k: x.Cols, l: dout.Cols, w: mem.OperandOf(turnWeights(w, a.Count())), out: dvalues}
	if rows := set.pick(name, opt.ISA); rows.ISA != run.Portable {
		c.dense = call.DenseFor(set.Dense(), rows.ISA)
	}
	var xcopy, dcopy mem.Buffer
	c.x, c.dout = call.RowsOf(&xcopy, x), call.RowsOf(&dcopy, dout)
	c.tasks.Run(c, call.ThreadsFor(opt, float64(c.raw.Pairs)*float64(c.k)*float64(c.l)), c.raw.Tiles)
}

func checkRelationValues[T dtype.Float](opt run.Options, dvalues []T, a sparse.Relations[T], x, w, dout *layout.Matrix[T]) {
	fail := func(format string, args ...any) {
		panic(layout.ShapeError{What: opt.Caller, Why: fmt.Sprintf(format, args...)})
	}
	call.CheckOptions(opt.Caller, &opt)
	if opt.Scaling.On() {
		panic(run.OptionError{What: opt.Caller, Why: "a gradient has no alpha and no beta; leave Options.Scaling unset"})
	}
	if len(dvalues) != a.NNZ() {
		fail("dvalues has %d elements, a has %d entries; want as many", len(dvalues), a.NNZ())
	}
	if dout.Rows != a.Rows() || x.Rows != a.Cols() || w.Cols != dout.Cols || w.Rows != mem.Volume(a.Count(), x.Cols) {
		fail("a is %d relations of %d x %d, x is %d x %d, w is %d x %d, dout is %d x %d; want r of m x n, n x k, r*k x l, and m x l",
			a.Count(), a.Rows(), a.Cols(), x.Rows, x.Cols, w.Rows, w.Cols, dout.Rows, dout.Cols)
	}
	checkTurned(opt.Caller, w)
	for _, o := range []struct {
		name string
		m    *layout.Matrix[T]
	}{{"x", x}, {"dout", dout}, {"w", w}} {
		if err := o.m.Check(o.name); err != nil {
			fail("%v", err)
		}
		if mem.Touch(dvalues, o.m.Data) {
			fail("dvalues shares memory with %s; copy it first", o.name)
		}
	}
}

// relationValueCall is one call of Values.
type relationValueCall[T dtype.Float] struct {
	raw        sparse.RawRelations
	kern       *kernel.Table[kernel.Func[kernel.SparseArgs]] // nil: in Go
	dense      *kernel.Kernels                               // nil: in Go
	x, w, dout mem.Operand
	k, l       int
	out        []T
	tasks      call.Tasks
}

func (c *relationValueCall[T]) Work(bool) {
	w, s := call.Scratches.Get(), call.Scratches.Get()
	defer call.Scratches.Put(w)
	defer call.Scratches.Put(s)
	d := sddmmCall{alpha: mem.BitsOf(T(1)), mode: kernel.ModeStore, out: unsafe.Pointer(unsafe.SliceData(c.out))}
	if c.kern != nil {
		s.Sums.Grow(sddmmChunk * c.kern.VL * dtype.Of[T]().Size())
	}
	for t := range c.tasks.Each {
		c.tile(w, s, &d, t)
	}
	w.Sums.Trim()
	w.Scores.Trim()
	s.Args = kernel.SparseArgs{}
}

// tile computes the entries of one tile of rows. First it computes, for each pair of a row and a
// relation, the row of dout times w_r^T. Then it multiplies these by rows of x, as if the pairs were
// rows of a sparse matrix.
func (c *relationValueCall[T]) tile(w *call.Scratch, s *call.Scratch, d *sddmmCall, t int) {
	size, raw := dtype.Of[T]().Size(), &c.raw
	starts := relationStarts(raw, t)
	first, pairs := int(starts[0]), int(starts[raw.Count]-starts[0])
	if pairs == 0 {
		return
	}
	deep, wide := paddedRow(c.k, size), paddedRow(c.l, size)
	w.Sums.Grow(pairs * deep)
	for r := range raw.Count {
		from, n := int(starts[r]), int(starts[r+1]-starts[r])
		if n == 0 {
			continue
		}
		rowsOfPairs[T](w, raw, from, n, c.dout, wide, c.l)
		one := mem.BitsOf(T(1))
		t := call.Tile{
			A: mem.Operand{P: w.Scores.P, RS: wide, CS: size}, B: c.w.At(r*c.l, 0), LdB: c.w.RS, C: unsafe.Add(w.Sums.P, (from-first)*deep), LdC: deep,
			M: n, N: c.k, K: c.l, Mode: kernel.ModeStore, Alpha: one, Beta: one,
		}
		call.Product[T](&t, c.dense, &w.Dense)
	}
	pointers := call.SliceOf(call.Element[int32](raw.Pointers, first), pairs+1)
	from, to := int(pointers[0]), int(pointers[pairs])
	if c.kern == nil {
		c.dots(w, pointers, deep)
		return
	}
	matrix := sparse.Raw{Rows: pairs, Cols: raw.Cols, NNZ: to, Pointers: unsafe.Pointer(unsafe.SliceData(pointers)), Indices: raw.Indices}
	d.begin(c.kern, matrix, mem.Operand{P: w.Sums.P, RS: deep, CS: size}, c.x, size, c.k)
	for row := 0; from < to; from += sddmmChunk {
		row = d.chunk(s, row, from, min(from+sddmmChunk, to))
	}
}

// dots is the second half of tile in Go.
func (c *relationValueCall[T]) dots(w *call.Scratch, pointers []int32, deep int) {
	for p := range len(pointers) - 1 {
		row := call.SliceOf((*T)(unsafe.Add(w.Sums.P, p*deep)), c.k)
		for k := pointers[p]; k < pointers[p+1]; k++ {
			j := int(*call.Element[int32](c.raw.Indices, int(k)))
			c.out[k] = call.DotRows(row, 1, call.SliceOf((*T)(c.x.At(j, 0)), c.k), 1, c.k)
		}
	}
}
