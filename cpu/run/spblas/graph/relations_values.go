package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
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
	c := set.calls.Get()
	defer set.release(c)
	if set.Sampled != nil {
		c.dots = choose.Table(&set.sampled, opt.Caller, set.Sampled(), opt.ISA)
	}
	set.prepare(c, opt.Caller, &opt, a, x, "dout", dout)
	c.turned, c.dvalues = mem.OperandOf(turnWeights(w, a.Count())), dvalues
	c.run(&opt, valueStep, c.raw.Tiles)
}

func checkRelationValues[T dtype.Float](opt run.Options, dvalues []T, a sparse.Relations[T], x, w, dout *layout.Matrix[T]) {
	c := check.Call(opt.Caller)
	call.CheckOptions(c, &opt, noFactors)
	if len(dvalues) != a.NNZ() {
		c.Refuse("dvalues has %d elements, a has %d entries; want as many", len(dvalues), a.NNZ())
	}
	if dout.Rows != a.Rows() || x.Rows != a.Cols() || w.Cols != dout.Cols || w.Rows != mem.Volume(a.Count(), x.Cols) {
		c.Refuse("a is %d relations of %d x %d, x is %d x %d, w is %d x %d, dout is %d x %d; want r of m x n, n x k, r*k x l, and m x l",
			a.Count(), a.Rows(), a.Cols(), x.Rows, x.Cols, w.Rows, w.Cols, dout.Rows, dout.Cols)
	}
	checkTurned(c, w)
	for _, o := range []struct {
		name string
		m    *layout.Matrix[T]
	}{{"x", x}, {"dout", dout}, {"w", w}} {
		check.Read(c, o.name, o.m)
		if mem.Touch(dvalues, o.m.Data) {
			c.Refuse("dvalues shares memory with %s; copy it first", o.name)
		}
	}
}

// values computes the entries of one tile of rows. First it computes, for each pair of a row and a
// relation, the row of dout times w_r^T. Then it multiplies these by rows of x, as if the pairs were
// rows of a sparse matrix.
func (c *relationCall[T]) values(w *call.Scratch, t int) {
	size, raw := dtype.Of[T]().Size(), &c.raw
	starts := relationStarts(raw, t)
	first, pairs := int(starts[0]), int(starts[raw.Count]-starts[0])
	if pairs == 0 {
		return
	}
	deep, wide := paddedRow(c.k, size), paddedRow(c.l, size)
	w.Result.Grow(pairs * deep)
	for r := range raw.Count {
		from, n := int(starts[r]), int(starts[r+1]-starts[r])
		if n == 0 {
			continue
		}
		rowsOfPairs[T](w, raw, from, n, c.y, wide, c.l)
		one := mem.BitsOf(T(1))
		t := call.Tile{
			A: mem.Operand{P: w.Scores.P, RS: wide, CS: size}, B: c.turned.At(r*c.l, 0), LdB: c.turned.RS, C: unsafe.Add(w.Result.P, (from-first)*deep), LdC: deep,
			M: n, N: c.k, K: c.l, Mode: kernel.ModeStore, Alpha: one, Beta: one,
		}
		call.Product[T](&t, c.dense, &w.Dense)
	}
	pointers := call.SliceOf(call.Element[int32](raw.Pointers, first), pairs+1)
	from, to := int(pointers[0]), int(pointers[pairs])
	if c.dots == nil {
		c.valuesInGo(w, pointers, deep)
		return
	}
	matrix := sparse.Raw{Rows: pairs, Cols: raw.Cols, NNZ: to, Pointers: unsafe.Pointer(unsafe.SliceData(pointers)), Indices: raw.Indices}
	d := chunks{alpha: mem.BitsOf(T(1)), mode: kernel.ModeStore, out: unsafe.Pointer(unsafe.SliceData(c.dvalues))}
	d.begin(c.dots, matrix, mem.Operand{P: w.Result.P, RS: deep, CS: size}, c.x, size, c.k)
	for row := 0; from < to; from += sddmmChunk {
		row = d.chunk(w, row, from, min(from+sddmmChunk, to))
	}
}

// valuesInGo is the second half of values in Go.
func (c *relationCall[T]) valuesInGo(w *call.Scratch, pointers []int32, deep int) {
	for p := range len(pointers) - 1 {
		row := call.SliceOf((*T)(unsafe.Add(w.Result.P, p*deep)), c.k)
		for k := pointers[p]; k < pointers[p+1]; k++ {
			j := int(*call.Element[int32](c.raw.Indices, int(k)))
			c.dvalues[k] = call.DotRows(row, 1, call.SliceOf((*T)(c.x.At(j, 0)), c.k), 1, c.k)
		}
	}
}
