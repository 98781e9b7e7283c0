package layer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Column is a layer y = act(x*W + bias). Each rank has some columns of W and computes
// these columns of y. Forward sends nothing. Backward adds up dx over all columns (f and
// g of Shoeybi and others, Megatron-LM, 2019).
//
//	      W0 | W1 | W2
//	x     y0 | y1 | y2
type Column[T dtype.Float] struct{ split[T] }

// NewColumn makes a layer with weights of 0 and so many inputs and outputs over all ranks of
// c. This rank gets the columns that Part says, or none if there are fewer columns than ranks.
// All ranks call it with the same sizes and options.
func NewColumn[T dtype.Float](c *comm.Comm, in, out int, opt Options[T]) (*Column[T], error) {
	l, err := newSplit(c, "Column", in, out, true, opt)
	if err != nil {
		return nil, err
	}
	return &Column[T]{l}, nil
}

// Forward computes this rank's columns y of the layer for a batch x with a row for each
// sample. All ranks have the same x. With Sequence each has its own rows of x, and gets all
// rows of y. tape, if not nil, remembers what Backward needs.
//
// Without Sequence nothing is sent, so an error on one rank is an error there and
// nowhere else. The caller must then not go on. y may share memory with no operand.
func (l *Column[T]) Forward(tape *Tape[T], y, x layout.Matrix[T]) error {
	const what = "layer.Column.Forward"
	err := l.forwardCheck(y, x)
	if l.opt.Sequence {
		err = dist.Agree(l.c, what, err, comm.NewFact("the batch", y.Rows))
	} else if err != nil {
		err = fmt.Errorf("%s: rank %d of %d: %w", what, l.c.Rank(), l.c.Size(), err)
	}
	if err != nil {
		return err
	}
	return l.forward(tape, y, x)
}

func (l *Column[T]) forwardCheck(y, x layout.Matrix[T]) error {
	if err := l.weights(); err != nil {
		return err
	}
	if err := shape("x", x, l.local(y.Rows), l.in); err != nil {
		return err
	}
	if err := shape("y", y, y.Rows, l.part.Cols.Len()); err != nil {
		return err
	}
	return local.Operands(l.opt.Local, y, x, l.W)
}

func (l *Column[T]) forward(tape *Tape[T], y, x layout.Matrix[T]) error {
	z, all := y, x
	if tape != nil && l.opt.Act.F != nil {
		room(&tape.z, y.Rows, y.Cols)
		z = tape.z
	}
	multiply := func(lo, hi int) {
		out, in := z.Slice(lo, hi, 0, z.Cols), all.Slice(lo, hi, 0, all.Cols)
		if tape == nil && l.opt.Kernel != nil {
			l.opt.Kernel(l.opt.Local, out, in, l.W, l.Bias)
			return
		}
		cpu.MatMulOpt(l.opt.Local, out, in, l.W)
	}
	if l.opt.Sequence {
		if tape != nil {
			room(&tape.room, y.Rows, l.in)
			all = tape.room
		} else {
			all = l.temp(1, y.Rows, l.in)
		}
		if err := l.gather(all, x, multiply); err != nil {
			return fmt.Errorf("layer.Column.Forward: %w", err)
		}
	} else {
		multiply(0, y.Rows)
	}
	if tape != nil {
		tape.x = all
	}
	if tape != nil || l.opt.Kernel == nil {
		l.activate(y, z, l.Bias)
	}
	return nil
}

// Backward takes dy, the gradient by this rank's columns of y. It sets DW and DBias to the
// gradients by this rank's weights, and dx to the sum over ranks of the gradient by x. The sum
// is an all-reduce, or with Sequence a reduce-scatter to this rank's rows of x, and proceeds
// while DW is computed. dx and dy must not share memory with each other or anything else. All
// ranks call it, and all get an error if one has one.
func (l *Column[T]) Backward(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	const what = "layer.Column.Backward"
	if err := dist.Agree(l.c, what, l.backwardCheck(tape, dx, dy), comm.NewFact("the batch", dy.Rows)); err != nil {
		return err
	}
	return l.backward(tape, dx, dy)
}

func (l *Column[T]) backwardCheck(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	if err := l.differentiable(tape); err != nil {
		return err
	}
	if err := shape("dy", dy, tape.x.Rows, l.part.Cols.Len()); err != nil {
		return err
	}
	if err := shape("dx", dx, l.local(dy.Rows), l.in); err != nil {
		return err
	}
	return local.Operands(l.opt.Local, dx, dy, l.W)
}

func (l *Column[T]) backward(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	dz := l.gradient(dy, tape.z)
	to := dx
	if !compact(dx) {
		to = layout.New[T](dx.Rows, dx.Cols)
	}
	multiply := func(out layout.Matrix[T], lo, hi int) {
		cpu.MatMulOpt(l.opt.Local, out, dz.Slice(lo, hi, 0, dz.Cols), l.W.T())
	}
	weights := func() { l.weightGradient(tape.x, dz) }
	var err error
	if l.opt.Sequence {
		err = l.scatter(to, dz.Rows, multiply, weights)
	} else {
		err = l.reduce(to, dz.Cols*to.Cols, func(lo, hi int) { multiply(to.Slice(lo, hi, 0, to.Cols), lo, hi) }, nil, weights)
	}
	if err != nil {
		return fmt.Errorf("layer.Column.Backward: %w", err)
	}
	if !same(to, dx) {
		local.Copy(dx, to)
	}
	return nil
}

// compact reports whether x is row-major without gaps.
func compact[T dtype.Float](x layout.Matrix[T]) bool {
	return x.ColStride == 1 && x.RowStride == x.Cols || x.Rows*x.Cols == 0
}
