package layer

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An MLP is two layers, y = act(x*W1 + b1)*W2 + b2. Each rank has some of the hidden
// units: columns of W1 and the rows of W2 that take them up. Between the two products
// nothing is sent; of Forward the sum y is, and of Backward the sum dx.
type MLP[T dtype.Float] struct {
	Up   *Layer[T]
	Down *Layer[T]
}

// NewMLP makes an MLP with weights of 0, of in inputs, hidden units and out outputs on all
// ranks of c. opt is that of both layers, but the activation and the Kernel are Up's. All
// ranks call it with the same sizes and options.
func NewMLP[T dtype.Float](c *comm.Comm, in, hidden, out int, opt Options[T]) (*MLP[T], error) {
	up, err := NewColumn(c, in, hidden, opt)
	if err != nil {
		return nil, fmt.Errorf("layer.NewMLP: %w", err)
	}
	opt.Act, opt.Kernel = Activation[T]{}, nil
	down, err := NewRow(c, hidden, out, opt)
	if err != nil {
		return nil, fmt.Errorf("layer.NewMLP: %w", err)
	}
	return &MLP[T]{up, down}, nil
}

// An MLPTape is the Tape of an MLP. The zero MLPTape is ready.
type MLPTape[T dtype.Float] struct {
	up, down Tape[T]
	h        layout.Matrix[T] // the hidden units of this rank
}

// Forward computes y for a batch x. All ranks have the same x and get the same y. With
// Sequence each has its own rows of both, as [dist.Span.Part] cuts batch rows among them, and
// batch is how many there are in all. tape, if not nil, remembers what Backward needs. All
// ranks call it, and get an error if one has one.
func (m *MLP[T]) Forward(tape *MLPTape[T], y, x layout.Matrix[T], batch int) error {
	const what = "layer.MLP.Forward"
	var err error
	var h layout.Matrix[T]
	hidden := m.Up.part.Cols.Len()
	switch {
	case batch < 0 || batch > 0 && hidden > math.MaxInt/16/batch:
		err = fmt.Errorf("a batch of %d is negative or more than can be counted", batch)
	case tape != nil:
		room(&tape.h, batch, hidden)
		h = tape.h
	default:
		h = layout.New[T](batch, hidden)
	}
	if err == nil {
		err = cmp.Or(m.Up.forwardCheck(h, x), m.Down.forwardCheck(y, h))
	}
	if err := dist.Agree(m.Up.c, what, err, comm.NewFact("the batch", batch)); err != nil {
		return err
	}
	var up, down *Tape[T]
	if tape != nil {
		up, down = &tape.up, &tape.down
	}
	if err := m.Up.forward(what, up, h, x); err != nil {
		return err
	}
	return m.Down.forward(what, down, y, h)
}

// Backward computes from dy, the gradient by y, those by the weights, in DW and DBias of
// Up and Down, and by x, in dx. All ranks call it, and get an error if one has one.
func (m *MLP[T]) Backward(tape *MLPTape[T], dx, dy layout.Matrix[T]) error {
	const what = "layer.MLP.Backward"
	var dh layout.Matrix[T]
	err := errors.New("Backward needs the tape of a Forward")
	if tape != nil {
		dh = layout.New[T](tape.h.Rows, tape.h.Cols)
		err = cmp.Or(m.Down.backwardCheck(&tape.down, dh, dy), m.Up.backwardCheck(&tape.up, dx, dh))
	}
	if err := dist.Agree(m.Up.c, what, err, comm.NewFact("the batch", dh.Rows)); err != nil {
		return err
	}
	if err := m.Down.backward(what, &tape.down, dh, dy); err != nil {
		return err
	}
	return m.Up.backward(what, &tape.up, dx, dh)
}

// Close gives back the groups of ranks of both layers. All ranks call it.
func (m *MLP[T]) Close() error { return errors.Join(m.Up.Close(), m.Down.Close()) }
