// Package layer has layers of neural networks that are split over ranks: dense layers by columns
// or rows of their weights, and tables of embeddings by rows ([Lookup]).
package layer

import (
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An Activation is a function of one number and its derivative, by which a gradient is
// multiplied. The zero Activation leaves numbers as they are.
type Activation[T dtype.Float] struct {
	F    func(z T) T
	Grad func(z T) T // needed by Backward only
}

// Options say how a layer computes y = act(x*W + bias). All ranks give the same
// values, except for Local.
type Options[T dtype.Float] struct {
	Local cpu.Options // of the products on this rank; Scaling and B are not for it
	Act   Activation[T]
	Bias  bool // there is one
	// Chunks is into how many parts, by rows, a result is cut that ranks add up: while one
	// is added the next is computed. The result has the same bits for any number. There
	// are fewer where a part would have at most [tiling.SkinnyMost] rows, and one for a
	// result of at most as many columns. 0 means 1.
	Chunks int
	// Sequence keeps only this rank's rows of a batch x that other layers do not split by
	// columns: part Rank of Size, as [dist.Span.Part] cuts. A reduce-scatter, and later an
	// all-gather, replace an all-reduce; together they send as many bytes. (Korthikanti and
	// others, Reducing activation recomputation in large transformer models, 2022.)
	Sequence bool
	// Kernel, if not nil, computes a column layer's y = act(x*W + bias) at once if there is no
	// Tape. It is a generated product with an epilogue. bias is nil without one.
	Kernel func(opt cpu.Options, y, x, w layout.Matrix[T], bias []T)
}

// Weights are a rank's part of a layer, and of the gradient that Backward left.
type Weights[T dtype.Float] struct {
	W, DW       layout.Matrix[T] // rows are inputs, columns are outputs
	Bias, DBias []T              // nil if the layer has none
}

// A Tape remembers what a Forward computed for the Backward that belongs to it. The zero
// Tape is ready. It holds on to x of that Forward, which must not change before.
type Tape[T dtype.Float] struct {
	x, z layout.Matrix[T]
	room layout.Matrix[T] // its own memory for x that was gathered
}

// A Layer is y = act(x*W + bias), with W split over ranks by columns or by rows.
//
//	by columns:    W0 | W1 | W2       by rows:                  W0
//	          x    y0 | y1 | y2                  x0 | x1 | x2   W1    y = x0*W0 + x1*W1 + x2*W2
//	                                                            W2
//
// By columns each rank computes its columns of y. Forward sends nothing, and Backward adds up
// dx over all columns. By rows each rank has its columns of x. Forward adds up the products,
// and applies bias and activation to the sum, once; Backward sends nothing. (f and g of Shoeybi
// and others, Megatron-LM, 2019.)
type Layer[T dtype.Float] struct {
	Weights[T]
	c       *comm.Comm // its own
	name    string     // Column or Row
	columns bool
	part    dist.Rect // of the weights of all ranks
	opt     Options[T]
	scratch [3]layout.Matrix[T]
	sums    sums[T]
}

// The tags of a layer's messages: of rows that are gathered or scattered, and from tagSum
// on of sums.
const (
	tagRows = iota
	tagSum
)

// NewColumn makes a layer that is split by columns, with weights of 0 and so many inputs and
// outputs over all ranks of c. This rank gets the columns that Part says, or none if there are
// fewer columns than ranks. All ranks call it with the same sizes and options.
func NewColumn[T dtype.Float](c *comm.Comm, in, out int, opt Options[T]) (*Layer[T], error) {
	return newLayer(c, "Column", in, out, opt)
}

// NewRow makes a layer that is split by rows, likewise. This rank gets the rows that Part says,
// and the whole bias.
func NewRow[T dtype.Float](c *comm.Comm, in, out int, opt Options[T]) (*Layer[T], error) {
	return newLayer(c, "Row", in, out, opt)
}

func newLayer[T dtype.Float](c *comm.Comm, name string, in, out int, opt Options[T]) (*Layer[T], error) {
	what := "layer.New" + name
	var err error
	switch {
	case in < 0 || out < 0:
		err = fmt.Errorf("%d inputs and %d outputs; neither is negative", in, out)
	case in > 0 && out > math.MaxInt/16/in:
		err = fmt.Errorf("%d inputs and %d outputs are more weights than can be counted", in, out)
	case opt.Chunks < 0 || opt.Chunks > maxChunks:
		err = fmt.Errorf("%d chunks; want 0 to %d", opt.Chunks, maxChunks)
	case opt.Local.B != nil || opt.Local.Scaling.On():
		err = errors.New("Options.B and Options.Scaling are not for layers")
	}
	err = dist.Agree(c, what, err, comm.NewFact("in", in), comm.NewFact("out", out), comm.NewFact("Chunks", opt.Chunks), comm.NewFact("Type", dtype.Of[T]()),
		comm.NewFact("Bias", opt.Bias), comm.NewFact("Sequence", opt.Sequence), comm.NewFact("whether there is an activation", opt.Act.F != nil))
	if err != nil {
		return nil, err
	}
	l := &Layer[T]{name: name, columns: name == "Column", opt: opt, part: dist.Rect{Rows: dist.Upto(in), Cols: dist.Upto(out)}}
	if l.c, err = c.Split(0, c.Rank()); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	cut := &l.part.Rows
	if l.columns {
		cut = &l.part.Cols
	}
	*cut = cut.Part(c.Rank(), c.Size())
	rows, cols := l.part.Rows.Len(), l.part.Cols.Len()
	l.W, l.DW = layout.New[T](rows, cols), layout.New[T](rows, cols)
	if opt.Bias {
		l.Bias, l.DBias = make([]T, cols), make([]T, cols)
	}
	return l, nil
}

// Part returns which rows and columns of the layer's weights this rank has.
func (l *Layer[T]) Part() dist.Rect { return l.part }

// Close gives back the layer's own group of ranks. All ranks call it.
func (l *Layer[T]) Close() error { return l.c.Close() }

// rows returns the part of a batch that a rank has with Sequence.
func (l *Layer[T]) rows(batch, rank int) dist.Span { return dist.Upto(batch).Part(rank, l.c.Size()) }

// local is how many rows of a batch a matrix has that is not split by columns.
func (l *Layer[T]) local(batch int) int {
	if l.opt.Sequence {
		return l.rows(batch, l.c.Rank()).Len()
	}
	return batch
}

// batch returns how many rows a batch has: those of the operand that is split by columns.
func (l *Layer[T]) batch(y, x layout.Matrix[T]) int {
	if l.columns {
		return y.Rows
	}
	return x.Rows
}

// check says what is wrong with weights, which a user may have replaced, or with operands that
// have the shapes of y and x.
func (l *Layer[T]) check(y, x layout.Matrix[T], out, in string) error {
	rows, cols, bias := l.part.Rows.Len(), l.part.Cols.Len(), 0
	if l.opt.Bias {
		bias = cols
	}
	if len(l.Bias) != bias {
		return fmt.Errorf("Bias has %d elements; want %d", len(l.Bias), bias)
	}
	batch := l.batch(y, x)
	ofX, ofY := batch, l.local(batch)
	if l.columns {
		ofX, ofY = ofY, ofX
	}
	return errors.Join(shape("W", l.W, rows, cols), shape(in, x, ofX, rows), shape(out, y, ofY, cols))
}

// shape is an error if x is not rows x cols, or its slice is too short.
func shape[T dtype.Float](name string, x layout.Matrix[T], rows, cols int) error {
	if x.Rows != rows || x.Cols != cols {
		return fmt.Errorf("%s is %d x %d; want %d x %d", name, x.Rows, x.Cols, rows, cols)
	}
	return x.Check(name)
}

// temp returns a matrix of the layer's own, with anything in it.
func (l *Layer[T]) temp(i, rows, cols int) layout.Matrix[T] {
	room(&l.scratch[i], rows, cols)
	return l.scratch[i]
}

// room makes m a row-major matrix of this size, with anything in it.
func room[T dtype.Float](m *layout.Matrix[T], rows, cols int) {
	data := m.Data[:cap(m.Data)]
	if len(data) < rows*cols {
		data = make([]T, rows*cols)
	}
	*m = layout.RowMajor(data[:rows*cols], rows, cols)
}

// compact reports whether x is row-major without gaps.
func compact[T dtype.Float](x layout.Matrix[T]) bool {
	return x.ColStride == 1 && x.RowStride == x.Cols || x.Rows*x.Cols == 0
}

// same reports whether x and y are the same matrix.
func same[T dtype.Float](x, y layout.Matrix[T]) bool {
	return len(x.Data) > 0 && len(y.Data) > 0 && &x.Data[0] == &y.Data[0] && x.RowStride == y.RowStride && x.ColStride == y.ColStride
}
