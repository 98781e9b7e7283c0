package rows

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// MultiplyValues computes out = a*b of any type of values in plain Go. It is for types that have
// no kernel, and for any semiring at run time. Sums of a semiring without functions are ordinary
// ones.
//
// An element of out is the semiring's Zero plus the products of a row's entries, each rounded,
// in the order in which they are stored. A row without entries is Zero. Integers wrap. Options
// may set threads, which change no bit, and no factors. It panics as [SpMM.Multiply] does.
func MultiplyValues[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a sparse.Matrix[T], b layout.Matrix[T]) {
	multiplyArrays(opt, g, out, call.ArraysOf(a), nil, b)
}

// MultiplyValuesBand is MultiplyValues of a band, where it lies.
func MultiplyValuesBand[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a sparse.Band[T], b layout.Matrix[T]) {
	whole, band := call.ArraysOf(a.Of()), a.Raw()
	whole.Pointers = call.RowPointers(band)
	multiplyArrays(opt, g, out, whole, a.First(), b)
}

// MultiplyValuesPattern is MultiplyValues of a pattern; every entry is the number 1 of T.
func MultiplyValuesPattern[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a sparse.Pattern, b layout.Matrix[T]) {
	multiplyArrays(opt, g, out, call.OnesOf[T](a), nil, b)
}

// multiplyArrays multiplies rows that lie where first says, or, if that is nil, one after another.
func multiplyArrays[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a call.Arrays[T], first []int32, b layout.Matrix[T]) {
	c := newValuesCall(opt, g, out, a.Rows, a.Cols, b)
	c.a, c.first = a, first
	c.tasks.Begin(mem.Ceil(c.out.Rows, valuesRows))
	work.Run(c, call.ThreadsFor(opt, float64(a.Pointers[a.Rows])*float64(b.Cols)))
}

// MultiplyValuesPacked is MultiplyValues of a matrix in a format, on one thread: the products are added
// in the order of the slots.
func MultiplyValuesPacked[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	c := newValuesCall(opt, g, out, m, k, b)
	c.fill()
	for e, v := range a.All() {
		c.add(e.I, e.J, v)
	}
}

// MultiplyValuesSum is MultiplyValuesPacked of all parts, one after another.
func MultiplyValuesSum[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], a sparse.Sum[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	c := newValuesCall(opt, g, out, m, k, b)
	c.fill()
	for i := range a.Len() {
		for e, v := range a.Part(i).All() {
			c.add(e.I, e.J, v)
		}
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
	tasks  call.Tasks
}

func newValuesCall[T dtype.Value](opt run.Options, g semiring.Semiring[T], out layout.Matrix[T], m, k int, b layout.Matrix[T]) *valuesCall[T] {
	name := opt.Name("spblas.MultiplyValues")
	if opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: fmt.Sprintf("alpha and beta are there for f32 and f64 without a semiring, this is %s; leave Options.Scaling unset", dtype.Name[T]())})
	}
	call.CheckSparse(name, opt, &out, m, k, &b)
	call.CheckPortable(name, opt)
	return &valuesCall[T]{out: out, b: b, op: call.OperatorOf(name, g)}
}

// fill sets all of out to zero, the operator's.
func (c *valuesCall[T]) fill() {
	for i := range c.out.Rows {
		for j := range c.out.Cols {
			c.out.Data[i*c.out.RowStride+j*c.out.ColStride] = c.op.Zero
		}
	}
}

// add adds v times row j of b to row i of out.
func (c *valuesCall[T]) add(i, j int, v T) {
	from, to := j*c.b.RowStride, i*c.out.RowStride
	for range c.out.Cols {
		sum := &c.out.Data[to]
		*sum = c.op.One(*sum, v, c.b.Data[from])
		from, to = from+c.b.ColStride, to+c.out.ColStride
	}
}

// Work is the share of one goroutine.
func (c *valuesCall[T]) Work(bool) {
	var room [call.PortableLanes]T
	for t := range c.tasks.Each {
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
		v, from := values[e], int(k)*c.b.RowStride+j*stride
		if c.op.Plus == nil && stride == 1 {
			for q, x := range c.b.Data[from : from+len(sums)] {
				sums[q] += T(v * x)
			}
			continue
		}
		for q := range sums {
			sums[q] = c.op.One(sums[q], v, c.b.Data[from+q*stride])
		}
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
