// Package layer has layers of neural networks that are split over ranks: dense layers by columns
// or rows of their weights, and tables of embeddings by rows ([Lookup]).
package layer

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
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
	// Kernel, if not nil, computes a Column's y = act(x*W + bias) at once if there is no
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

// split is what Column and Row have in common.
type split[T dtype.Float] struct {
	Weights[T]
	c       *comm.Comm // its own
	name    string
	in, out int
	part    dist.Rect // of the weights of all ranks
	opt     Options[T]
	scratch [2]layout.Matrix[T]
	sums    sums[T]
}

// The tags of a layer's messages: of rows that are gathered or scattered, and from tagSum
// on of sums.
const (
	tagRows = iota
	tagSum
)

// newSplit makes a layer whose outputs, or else inputs, are spread over ranks.
func newSplit[T dtype.Float](c *comm.Comm, name string, in, out int, outputs bool, opt Options[T]) (split[T], error) {
	what := "layer.New" + name
	l := split[T]{name: name, in: in, out: out, opt: opt}
	var err error
	switch {
	case in < 0 || out < 0:
		err = fmt.Errorf("%d inputs and %d outputs; neither is negative", in, out)
	case in > 0 && out > int(^uint(0)>>1)/16/in:
		err = fmt.Errorf("%d inputs and %d outputs are more weights than can be counted", in, out)
	case opt.Chunks < 0 || opt.Chunks > maxChunks:
		err = fmt.Errorf("%d chunks; want 0 to %d", opt.Chunks, maxChunks)
	case opt.Local.B != nil || opt.Local.Scaling.On():
		err = errors.New("Options.B and Options.Scaling are not for layers")
	}
	facts := []comm.Fact{comm.NewFact("in", in), comm.NewFact("out", out), comm.NewFact("Chunks", opt.Chunks),
		comm.NewFact("Type", dtype.Of[T]()), comm.NewFact("Bias", opt.Bias), comm.NewFact("Sequence", opt.Sequence), comm.NewFact("whether there is an activation", opt.Act.F != nil)}
	if err := dist.Agree(c, what, err, facts...); err != nil {
		return l, err
	}
	if l.c, err = c.Split(0, c.Rank()); err != nil {
		return l, fmt.Errorf("%s: %w", what, err)
	}
	l.part = dist.Rect{Rows: dist.Upto(in), Cols: dist.Upto(out)}
	bias := out
	if outputs {
		l.part.Cols = l.part.Cols.Part(c.Rank(), c.Size())
		bias = l.part.Cols.Len()
	} else {
		l.part.Rows = l.part.Rows.Part(c.Rank(), c.Size())
	}
	l.W, l.DW = layout.New[T](l.part.Rows.Len(), l.part.Cols.Len()), layout.New[T](l.part.Rows.Len(), l.part.Cols.Len())
	if opt.Bias {
		l.Bias, l.DBias = make([]T, bias), make([]T, bias)
	}
	return l, nil
}

// Part returns which rows and columns of the layer's weights this rank has.
func (l *split[T]) Part() dist.Rect { return l.part }

// Close gives back the layer's own group of ranks. All ranks call it.
func (l *split[T]) Close() error { return l.c.Close() }

// rows returns the part of a batch that a rank has with Sequence.
func (l *split[T]) rows(batch, rank int) dist.Span { return dist.Upto(batch).Part(rank, l.c.Size()) }

// local is how many rows of a batch a matrix has that is not split by columns.
func (l *split[T]) local(batch int) int {
	if l.opt.Sequence {
		return l.rows(batch, l.c.Rank()).Len()
	}
	return batch
}

// chunks is into how many parts a sum of so many rows and columns is cut. Products of more
// rows than the skinny ones, and of more columns, add in an order that the depth alone
// decides. A part of their rows therefore has the bits of the whole.
func (l *split[T]) chunks(rows, cols int) int {
	if cols <= tiling.SkinnyMost {
		return 1
	}
	return max(1, min(l.opt.Chunks, rows/(tiling.SkinnyMost+1)))
}

// temp returns a matrix of the layer's own, with anything in it.
func (l *split[T]) temp(i, rows, cols int) layout.Matrix[T] {
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

// shape is an error if x is not rows x cols, or its slice is too short.
func shape[T dtype.Float](name string, x layout.Matrix[T], rows, cols int) error {
	if x.Rows != rows || x.Cols != cols {
		return fmt.Errorf("%s is %d x %d; want %d x %d", name, x.Rows, x.Cols, rows, cols)
	}
	return x.Check(name)
}

// weights checks what a user may have replaced.
func (l *split[T]) weights() error {
	bias := 0
	if l.opt.Bias {
		bias = l.part.Cols.Len()
	}
	if len(l.Bias) != bias {
		return fmt.Errorf("Bias has %d elements; want %d", len(l.Bias), bias)
	}
	return shape("W", l.W, l.part.Rows.Len(), l.part.Cols.Len())
}

// activate puts act(z + bias) into y, which may be z, and z + bias into z.
func (l *split[T]) activate(y, z layout.Matrix[T], bias []T) {
	if f := l.opt.Act.F; f != nil || bias != nil || !same(y, z) {
		local.Tiles(l.opt.Local.Threads, z, 0, 0, func(tile layout.Matrix[T], row, _ int) {
			for i := range tile.Rows {
				for j := range tile.Cols {
					v := tile.At(i, j)
					if bias != nil {
						v += bias[j]
						tile.Set(i, j, v)
					}
					if f != nil {
						v = f(v)
					}
					y.Set(row+i, j, v)
				}
			}
		})
	}
}

// same reports whether x and y are the same matrix.
func same[T dtype.Float](x, y layout.Matrix[T]) bool {
	return len(x.Data) > 0 && len(y.Data) > 0 && &x.Data[0] == &y.Data[0] && x.RowStride == y.RowStride && x.ColStride == y.ColStride
}

// gradient returns dy times the derivative of the activation at z.
func (l *split[T]) gradient(dy, z layout.Matrix[T]) layout.Matrix[T] {
	if l.opt.Act.F == nil {
		return dy
	}
	dz := l.temp(0, dy.Rows, dy.Cols)
	grad := l.opt.Act.Grad
	local.Tiles(l.opt.Local.Threads, dz, 0, 0, func(tile layout.Matrix[T], row, _ int) {
		for i := range tile.Rows {
			for j := range tile.Cols {
				tile.Set(i, j, dy.At(row+i, j)*grad(z.At(row+i, j)))
			}
		}
	})
	return dz
}

// weightGradient leaves x'*dz in DW and the sums of dz's columns in DBias.
func (l *split[T]) weightGradient(x, dz layout.Matrix[T]) {
	cpu.MatMulOpt(l.opt.Local, l.DW, x.T(), dz)
	if l.DBias == nil {
		return
	}
	clear(l.DBias)
	for i := range dz.Rows {
		for j := range l.DBias {
			l.DBias[j] += dz.At(i, j)
		}
	}
}

// differentiable is an error if a Backward cannot be.
func (l *split[T]) differentiable(tape *Tape[T]) error {
	switch {
	case tape == nil || tape.x.Cols != l.part.Rows.Len() || l.opt.Act.F != nil && tape.z.Cols != l.part.Cols.Len():
		return errors.New("the Tape is not of a Forward of this layer")
	case l.opt.Act.F != nil && l.opt.Act.Grad == nil:
		return errors.New("the activation has no Grad")
	}
	return nil
}
