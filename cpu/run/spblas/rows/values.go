package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// Over computes out = a*b of any type of values in plain Go. It is for types that have no
// kernel, and for any semiring at run time. Sums of a semiring without functions are ordinary
// ones.
//
// An element of out is the semiring's Zero plus the products of a row's entries, each rounded,
// in the order in which they are stored. A row without entries is Zero. Integers wrap. Rows are
// shared by threads; formats and the parts of a sum are added slot by slot on one. Options may
// set threads, which change no bit, and no factors. It panics as [Multiply] does. A product of
// complex numbers is that of Go, which on some machines does not round all that it is made of.
func Over[T dtype.Value, A Operand[T]](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a A, b layout.Matrix[T]) {
	over(opt, g, out, any(a), b)
}

func over[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a any, b layout.Matrix[T]) {
	var rows call.Arrays[T]
	var first []int32
	switch a := a.(type) {
	case format.Packed[T]:
		m, k := a.Dims()
		c := newValuesCall(opt, g, out, m, k, b)
		fillMatrix(c.out, c.op.Zero)
		c.addAll(a)
		return
	case rule.Sum[T]:
		m, k := a.Dims()
		c := newValuesCall(opt, g, out, m, k, b)
		fillMatrix(c.out, c.op.Zero)
		for i := range a.Len() {
			c.addAll(a.Part(i).Packed)
		}
		return
	case sparse.Matrix[T]:
		rows = call.ArraysOf(a)
	case Rows[T]:
		rows, first = a.arrays(), a.stage.first
	case Offsets:
		panic(run.OptionError{What: opt.Name("rows.Over"), Why: "segments have kernels in Go for f32 and f64; multiply by a pattern"})
	}
	c := newValuesCall(opt, g, out, rows.Rows, rows.Cols, b)
	c.a, c.first = rows, first
	c.job.Run(c, call.ThreadsFor(opt, float64(rows.Pointers[rows.Rows])*float64(b.Cols)), call.PlainStep, mem.Ceil(c.out.Rows, valuesRows))
}

// arrays returns where rows lie. Those of a band begin elsewhere than the pointers say.
func (a *Rows[T]) arrays() call.Arrays[T] {
	s := &a.stage
	if !s.on() && a.raw.Values != nil { // a matrix
		r := a.raw
		return call.Arrays[T]{Rows: r.Rows, Cols: r.Cols, Pointers: call.RowPointers(r), Each: -1,
			Indices: call.SliceOf((*int32)(r.Indices), r.NNZ), Values: call.SliceOf((*T)(r.Values), r.NNZ)}
	}
	if s.first == nil && s.src != nil {
		panic(run.OptionError{What: "rows.Over", Why: "values of bf16 and f16 have kernels for f32 and f64; use Multiply"})
	}
	if s.first == nil { // a pattern
		return call.OnesOf[T](a.raw)
	}
	return call.Arrays[T]{
		Rows: a.raw.Rows, Cols: a.raw.Cols, Pointers: call.RowPointers(a.raw), Each: -1,
		Indices: s.indices, Values: call.SliceOf((*T)(s.src), len(s.indices)),
	}
}

// valuesRows is how many rows a task has.
const valuesRows = 256

// valuesCall is one product.
type valuesCall[T dtype.Value] struct {
	out, b layout.Matrix[T]
	a      call.Arrays[T]
	first  []int32 // of a band: where the entries of each row begin in a; nil: where its pointers say
	op     call.Operator[T]
	job    call.Job
}

func newValuesCall[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], m, k int, b layout.Matrix[T]) *valuesCall[T] {
	name := opt.Name("rows.Over")
	if c := check.Call(name); opt.Scaling.On() {
		c.RefuseOption("alpha and beta are there for f32 and f64 without a semiring, this is %s; leave Options.Scaling unset", dtype.Name[T]())
	}
	call.CheckSparse(name, opt, &out, m, k, &b)
	call.CheckPortable(check.Call(name), &opt)
	return &valuesCall[T]{out: out, b: b, op: call.OperatorOf(name, g)}
}

// addAll adds the products of all entries of a format.
func (c *valuesCall[T]) addAll(a format.Packed[T]) {
	for e, v := range a.All() {
		c.add(e.I, e.J, v)
	}
}

// add adds v times row j of b to row i of out.
func (c *valuesCall[T]) add(i, j int, v T) {
	if c.out.Cols == 0 { // and no such row
		return
	}
	c.op.AddRow(c.out.Data[i*c.out.RowStride:], c.out.ColStride, v, c.b.Data[j*c.b.RowStride:], c.b.ColStride, c.out.Cols)
}

// Task does some rows.
func (c *valuesCall[T]) Task(_ *call.Scratch, t int) {
	var room [call.PortableLanes]T
	for i := t * valuesRows; i < min((t+1)*valuesRows, c.out.Rows); i++ {
		for j := 0; j < c.out.Cols; j += call.PortableLanes {
			sums := room[:min(call.PortableLanes, c.out.Cols-j)]
			c.row(i, j, sums)
			to := i*c.out.RowStride + j*c.out.ColStride
			for q, s := range sums {
				c.out.Data[to+q*c.out.ColStride] = s
			}
		}
	}
}

// row computes some columns of a row, from j on.
func (c *valuesCall[T]) row(i, j int, sums []T) {
	for q := range sums {
		sums[q] = c.op.Zero
	}
	columns, values := c.entries(i)
	stride := c.b.ColStride
	if len(sums) == 1 { // the product with a vector
		sum := sums[0]
		for e, k := range columns {
			sum = c.op.One(sum, values[e], c.b.Data[int(k)*c.b.RowStride+j*stride])
		}
		sums[0] = sum
		return
	}
	for e, k := range columns {
		c.op.AddRow(sums, 1, values[e], c.b.Data[int(k)*c.b.RowStride+j*stride:], stride, len(sums))
	}
}

// entries returns columns and values of row i.
func (c *valuesCall[T]) entries(i int) ([]int32, []T) {
	if c.first == nil {
		return c.a.Row(i)
	}
	from := c.first[i]
	to := from + c.a.Pointers[i+1] - c.a.Pointers[i]
	return c.a.Indices[from:to], c.a.Values[from:to]
}
