package layer

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
)

// Forward computes y for a batch x with a row for each sample. By columns, all ranks have the
// same x and get their columns of y; with Sequence each has its own rows of x, and gets all
// rows of y. By rows, each rank has its columns of x. All get y, or with Sequence their rows of
// it; the sums of one chunk are on their way while the next is computed. tape, if not nil,
// remembers what Backward needs; all ranks have one or none has. y may share memory with no
// operand.
//
// All ranks call it, and get an error if one has one. By columns without Sequence nothing is
// sent, so an error on one rank is an error there and nowhere else, and the caller must not
// go on.
func (l *Layer[T]) Forward(tape *Tape[T], y, x layout.Matrix[T]) error {
	facts := []comm.Fact{comm.NewFact("the batch", l.batch(y, x))}
	if !l.columns { // with a Tape what ranks send each other is not activated yet
		facts = append(facts, comm.NewFact("whether there is a Tape", tape != nil && l.opt.Act.F != nil))
	}
	what := "layer." + l.name + ".Forward"
	if err := l.agree(what, !l.columns, l.forwardCheck(y, x), facts...); err != nil {
		return err
	}
	return l.forward(what, tape, y, x)
}

// Backward takes dy, the gradient by y. It sets DW and DBias to the gradients by this rank's
// weights, and dx to the gradient by x. dy and dx lie as y and x do. By columns dx is a sum over
// ranks, an all-reduce, or with Sequence a reduce-scatter; it proceeds while DW is computed. By
// rows, with Sequence, an all-gather brings the other rows of dy. dx and dy must not share
// memory with each other or anything else.
//
// All ranks call it, and all get an error if one has one, except by rows without Sequence,
// where nothing is sent.
func (l *Layer[T]) Backward(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	what := "layer." + l.name + ".Backward"
	if err := l.agree(what, l.columns, l.backwardCheck(tape, dx, dy), comm.NewFact("the batch", l.batch(dy, dx))); err != nil {
		return err
	}
	return l.backward(what, tape, dx, dy)
}

// agree is dist.Agree if the call sends anything.
func (l *Layer[T]) agree(what string, sends bool, err error, facts ...comm.Fact) error {
	switch {
	case sends || l.opt.Sequence:
		return dist.Agree(l.c, what, err, facts...)
	case err != nil:
		return fmt.Errorf("%s: rank %d of %d: %w", what, l.c.Rank(), l.c.Size(), err)
	}
	return nil
}

func (l *Layer[T]) forwardCheck(y, x layout.Matrix[T]) error {
	return cmp.Or(l.check(y, x, "y", "x"), local.Operands(l.opt.Local, y, x, l.W))
}

func (l *Layer[T]) backwardCheck(tape *Tape[T], dx, dy layout.Matrix[T]) error {
	switch {
	case tape == nil || tape.x.Cols != l.part.Rows.Len() || l.opt.Act.F != nil && tape.z.Cols != l.part.Cols.Len():
		return errors.New("the Tape is not of a Forward of this layer")
	case l.opt.Act.F != nil && l.opt.Act.Grad == nil:
		return errors.New("the activation has no Grad")
	case l.batch(dy, dx) != tape.x.Rows:
		return fmt.Errorf("a batch of %d; the Tape is of one of %d", l.batch(dy, dx), tape.x.Rows)
	}
	return cmp.Or(l.check(dy, dx, "dy", "dx"), local.Operands(l.opt.Local, dx, dy, l.W))
}

func (l *Layer[T]) forward(what string, tape *Tape[T], y, x layout.Matrix[T]) error {
	z, keep := y, tape != nil && l.opt.Act.F != nil // sums before the activation
	if keep {
		room(&tape.z, y.Rows, y.Cols)
		z = tape.z
	}
	multiply := func(out, in layout.Matrix[T]) {
		if l.columns && tape == nil && l.opt.Kernel != nil {
			l.opt.Kernel(l.opt.Local, out, in, l.W, l.Bias)
			return
		}
		cpu.MatMulOpt(l.opt.Local, out, in, l.W)
	}
	var err error
	all, bias, finished := x, l.Bias, false
	if l.columns {
		into := &l.scratch[1]
		if tape != nil {
			into = &tape.room
		}
		all, err = l.spread(into, x, y.Rows, func(all layout.Matrix[T], lo, hi int) {
			multiply(z.Slice(lo, hi, 0, z.Cols), all.Slice(lo, hi, 0, all.Cols))
		})
		finished = tape == nil && l.opt.Kernel != nil
	} else {
		var finish func(own []T, at int)
		if !l.opt.Sequence {
			finish, bias, finished = l.finish(keep), nil, !keep
		}
		err = l.join(z, x.Rows, x.Cols, func(out layout.Matrix[T], lo, hi int) { multiply(out, x.Slice(lo, hi, 0, x.Cols)) }, finish, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !finished {
		l.activate(y, z, bias)
	}
	if tape != nil {
		tape.x = all
	}
	return nil
}

func (l *Layer[T]) backward(what string, tape *Tape[T], dx, dy layout.Matrix[T]) error {
	dz := l.gradient(dy, tape.z)
	multiply := func(out, in layout.Matrix[T]) { cpu.MatMulOpt(l.opt.Local, out, in, l.W.T()) }
	var err error
	if l.columns {
		err = l.join(dx, dz.Rows, dz.Cols, func(out layout.Matrix[T], lo, hi int) { multiply(out, dz.Slice(lo, hi, 0, dz.Cols)) },
			nil, func() { l.weightGradient(tape.x, dz) })
	} else {
		dz, err = l.spread(&l.scratch[1], dz, dx.Rows, func(all layout.Matrix[T], lo, hi int) {
			multiply(dx.Slice(lo, hi, 0, dx.Cols), all.Slice(lo, hi, 0, all.Cols))
		})
		if err == nil {
			l.weightGradient(tape.x, dz)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
