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

// A Row is a layer y = act(x*W + bias). Each rank has some rows of W and these columns of
// x. Forward adds up the products, and applies bias and activation to the sum, once.
// Backward sends nothing.
//
//	             W0
//	x0 | x1 | x2 W1    y = x0*W0 + x1*W1 + x2*W2
//	             W2
type Row[T dtype.Float] struct{ split[T] }

// NewRow makes a layer with weights of 0 and so many inputs and outputs over all ranks of c.
// This rank gets the rows that Part says, and the whole bias. All ranks call it with the same
// sizes and options.
func NewRow[T dtype.Float](c *comm.Comm, in, out int, opt Options[T]) (*Row[T], error) {
	l, err := newSplit(c, "Row", in, out, false, opt)
	if err != nil {
		return nil, err
	}
	return &Row[T]{l}, nil
}

// Forward computes y for a batch; x are the columns of the batch that belong to this rank. All ranks get y,
// or with Sequence their rows of it; the sums of one chunk are on their way while the next is computed.
// tape, if not nil, remembers what Backward needs; all ranks have one or none has. y shares memory with no
// operand. All ranks call it, and get an error if one has one.
func (l *Row[T]) Forward(tape *Tape[T], y, x layout.Matrix[T]) error {
	const what = "layer.Row.Forward"
	// With a Tape what ranks send each other is not activated yet.
	taped := comm.NewFact("whether there is a Tape", tape != nil && l.opt.Act.F != nil)
	if err := dist.Agree(l.c, what, l.forwardCheck(y, x), comm.NewFact("the batch", x.Rows), taped); err != nil {
		return err
	}
	return l.forward(tape, y, x)
}

func (l *Row[T]) forwardCheck(y, x layout.Matrix[T]) error {
	if err := l.weights(); err != nil {
		return err
	}
	if err := shape("x", x, x.Rows, l.part.Rows.Len()); err != nil {
		return err
	}
	if err := shape("y", y, l.local(x.Rows), l.out); err != nil {
		return err
	}
	return local.Operands(l.opt.Local, y, x, l.W)
}

func (l *Row[T]) forward(tape *Tape[T], y, x layout.Matrix[T]) error {
	z := y
	keep := tape != nil && l.opt.Act.F != nil // sums before the activation
	if keep || !compact(y) {
		if keep {
			room(&tape.z, y.Rows, y.Cols)
			z = tape.z
		} else {
			z = l.temp(0, y.Rows, y.Cols)
		}
	}
	multiply := func(out layout.Matrix[T], lo, hi int) {
		cpu.MatMulOpt(l.opt.Local, out, x.Slice(lo, hi, 0, x.Cols), l.W)
	}
	var err error
	if l.opt.Sequence {
		if err = l.scatter(z, x.Rows, multiply, nil); err == nil {
			l.activate(y, z, l.Bias)
		}
	} else {
		err = l.reduce(z, x.Cols*z.Cols, func(lo, hi int) { multiply(z.Slice(lo, hi, 0, z.Cols), lo, hi) }, l.finish(keep), nil)
		switch {
		case err != nil:
		case keep:
			l.activate(y, z, nil)
		case !same(y, z):
			local.Copy(y, z)
		}
	}
	if err != nil {
		return fmt.Errorf("layer.Row.Forward: %w", err)
	}
	if tape != nil {
		tape.x = x
	}
	return nil
}

// finish is done to each sum where it was added up, before others get it. It adds the bias,
// and applies the activation unless z is kept.
func (l *Row[T]) finish(keep bool) func(own []T, at int) {
	f := l.opt.Act.F
	if keep {
		f = nil
	}
	if l.out == 0 || f == nil && l.Bias == nil {
		return nil
	}
	return func(own []T, at int) {
		j := at % l.out
		for i, v := range own {
			if l.Bias != nil {
				v += l.Bias[j]
			}
			if f != nil {
				v = f(v)
			}
			own[i] = v
			if j++; j == l.out {
				j = 0
			}
		}
	}
}

// Backward takes dy, the gradient by y, which is the same on all ranks. It sets DW and DBias
// to the gradients by this rank's weights, and dx to that by its columns of x. With Sequence
// each rank has its rows of dy, and an all-gather brings the others. dx and dy must not share
// memory with each other or anything else.
//
// Without Sequence nothing is sent, and a mistake on one rank is an error there only.
func (l *Row[T]) Backward(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	const what = "layer.Row.Backward"
	err := l.backwardCheck(tape, dx, dy)
	if l.opt.Sequence {
		err = dist.Agree(l.c, what, err, comm.NewFact("the batch", dx.Rows))
	} else if err != nil {
		err = fmt.Errorf("%s: rank %d of %d: %w", what, l.c.Rank(), l.c.Size(), err)
	}
	if err != nil {
		return err
	}
	return l.backward(tape, dx, dy)
}

func (l *Row[T]) backwardCheck(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	if err := l.differentiable(tape); err != nil {
		return err
	}
	if err := shape("dx", dx, tape.x.Rows, l.part.Rows.Len()); err != nil {
		return err
	}
	if err := shape("dy", dy, l.local(dx.Rows), l.out); err != nil {
		return err
	}
	return local.Operands(l.opt.Local, dx, dy, l.W)
}

func (l *Row[T]) backward(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	dz := l.gradient(dy, tape.z)
	all := dz
	multiply := func(lo, hi int) {
		cpu.MatMulOpt(l.opt.Local, dx.Slice(lo, hi, 0, dx.Cols), all.Slice(lo, hi, 0, all.Cols), l.W.T())
	}
	if l.opt.Sequence {
		all = l.temp(1, dx.Rows, l.out)
		if err := l.gather(all, dz, multiply); err != nil {
			return fmt.Errorf("layer.Row.Backward: %w", err)
		}
	} else {
		multiply(0, dx.Rows)
	}
	l.weightGradient(tape.x, all)
	return nil
}
