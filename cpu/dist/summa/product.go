// Package summa multiplies dense matrices that are spread over ranks: SUMMA and its 2.5-D
// relatives, by a [Plan] that says beforehand what is sent.
package summa

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Options change one product.
type Options[T dtype.Float] struct {
	// Local are the options of the products on this rank: threads, and with Scaling the
	// product is alpha*a*b + beta*out. All ranks scale alike. B must be nil: panels of b
	// come from other ranks.
	Local cpu.Options
	// Epilogue, if not nil, is called for parts of out when these are complete: once for
	// each element, after the last panel was multiplied and the layers were added. The
	// tile is in out, and its first element belongs to this global row and column. It may
	// change the tile and nothing else, and may be called from several goroutines at once.
	Epilogue func(tile layout.Matrix[T], row, col int)
	// Kernel, if not nil, computes a rank's whole part of out at once, with all of k, from
	// its rows of a and columns of b. Use it for a generated product with its own epilogue.
	// The part begins at this global row and column. Kernel needs one layer, no Scaling, no
	// Epilogue, and memory for these rows and columns. It begins when all panels are there.
	Kernel func(opt cpu.Options, out, a, b layout.Matrix[T], row, col int)
}

// A Product multiplies matrices that are spread over ranks, by a [Plan]. It holds the
// buffers for that, from its first product on. One rank's calls follow each other; several
// Products work at once.
type Product[T dtype.Float] struct {
	plan   Plan
	c      *comm.Comm // its own, so that its messages meet no others
	steps  []step
	groups []dist.Span // of steps that are multiplied at once
	a, b   *stream[T]

	flight wire.Flight[T]
	sum    layout.Matrix[T] // of this layer, if there are several
	busy   atomic.Bool
}

// The tags of a Product's messages.
const (
	tagA = iota
	tagB
	tagC
)

func operandName(tag int) string { return [...]string{"a", "b", "out"}[tag] }

// New prepares products by a plan. All ranks of c call it, with the same plan. If one
// does not, or has another number of ranks, all get an error that says which rank.
func New[T dtype.Float](c *comm.Comm, plan Plan) (*Product[T], error) {
	return newProduct[T](c, "summa.New", plan, plan.Check(), func(rank int) int { return rank }, nil)
}

// newProduct is New for ranks whose places in the grid are not those of their
// numbers.
func newProduct[T dtype.Float](c *comm.Comm, what string, plan Plan, err error, place func(rank int) int, more []comm.Fact) (*Product[T], error) {
	if err == nil && plan.Grid.Ranks() != c.Size() {
		err = fmt.Errorf("a grid of %v has %d ranks, the Comm has %d", plan.Grid, plan.Grid.Ranks(), c.Size())
	}
	if err == nil && plan.Type != dtype.Of[T]() {
		err = fmt.Errorf("the plan is for %v, the product is of %v", plan.Type, dtype.Of[T]())
	}
	if err := dist.Agree(c, what, err, append(plan.facts(), more...)...); err != nil {
		return nil, err
	}
	own, err := c.Split(0, place(c.Rank()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	s := &Product[T]{plan: plan, c: own, flight: wire.Flight[T]{C: own}}
	s.prepare()
	return s, nil
}

// prepare makes the streams of panels.
func (s *Product[T]) prepare() {
	p, g, me := s.plan, s.plan.Grid, s.c.Rank()
	l, i, j := g.place(me)
	s.steps = p.steps(l)
	s.groups = p.groups(s.steps)
	rows, cols := p.box(me)
	m, n := rows.Len(), cols.Len()
	ra, rb := ring{size: g.Cols, me: j}, ring{size: g.Rows, me: i}
	s.a = &stream[T]{ring: ra, flight: &s.flight, tag: tagA, from: g.rank(l, i, ra.left()), to: g.rank(l, i, ra.right()), columns: true, across: m}
	s.b = &stream[T]{ring: rb, flight: &s.flight, tag: tagB, from: g.rank(l, rb.left(), j), to: g.rank(l, rb.right(), j), across: n}
	for _, step := range s.steps {
		a, b := p.A(g.rank(l, i, step.a)).Cols, p.B(g.rank(l, step.b, j)).Rows
		s.a.panels = append(s.a.panels, panel{step.k, step.a, step.k.Lo - a.Lo})
		s.b.panels = append(s.b.panels, panel{step.k, step.b, step.k.Lo - b.Lo})
	}
}

// room makes the buffers, once operands have shown that their sizes are real.
func (s *Product[T]) room() {
	if s.a.slots != nil {
		return
	}
	slots := s.plan.slots(s.steps)
	s.a.prepare(slots, s.groups)
	s.b.prepare(slots, s.groups)
	if s.plan.Grid.Layers > 1 {
		s.sum = layout.New[T](s.a.across, s.b.across)
	}
}

// Plan returns the plan.
func (s *Product[T]) Plan() Plan { return s.plan }

// Close gives back the Product's own group of ranks. All ranks call it.
func (s *Product[T]) Close() error { return s.c.Close() }

// Mul computes out = a*b. a, b and out are this rank's parts of the three matrices. They have
// the shapes of the plan's A, B and C and any strides that [cpu.MatMul] takes. All ranks call
// it. If the arguments of one rank do not fit, or its out shares memory with a or b, all
// return an error that names the rank, before they read or send an element.
//
// The result has the same bits in every run and for any number of threads. It depends on
// the plan. An element of out is the sum of the steps' products, in the order of k in each
// layer, and then of the layers' sums in their order.
//
// Each rank sends and receives what [Plan.Cost] says. Messages that check the arguments
// count in [dist.AgreePhase].
func (s *Product[T]) Mul(opt Options[T], out, a, b layout.Matrix[T]) error {
	const what = "summa.Product.Mul"
	if !s.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: rank %d: another call of this Product runs; make a Product for each", what, s.c.Rank())
	}
	defer s.busy.Store(false)
	if err := dist.Agree(s.c, what, s.check(opt, out, a, b), comm.NewFact("alpha and beta", opt.Local.Scaling.String())); err != nil {
		return err
	}
	opt.Local.Caller = what
	s.room()
	if err := s.mul(&opt, out, a, b); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Mul computes out = a*b once: see [New] and [Product.Mul].
func Mul[T dtype.Float](c *comm.Comm, plan Plan, opt Options[T], out, a, b layout.Matrix[T]) error {
	s, err := New[T](c, plan)
	if err != nil {
		return err
	}
	return errors.Join(s.Mul(opt, out, a, b), s.Close())
}

// check says what is wrong with the operands of this rank.
func (s *Product[T]) check(opt Options[T], out, a, b layout.Matrix[T]) error {
	me := s.c.Rank()
	for _, x := range []struct {
		name string
		have layout.Matrix[T]
		want dist.Rect
	}{{"a", a, s.plan.A(me)}, {"b", b, s.plan.B(me)}, {"out", out, s.plan.C(me)}} {
		if x.have.Rows != x.want.Rows.Len() || x.have.Cols != x.want.Cols.Len() {
			return fmt.Errorf("%s is %d x %d; the part of this rank in a grid of %v is %d x %d (%v)",
				x.name, x.have.Rows, x.have.Cols, s.plan.Grid, x.want.Rows.Len(), x.want.Cols.Len(), x.want)
		}
	}
	if opt.Local.Scaling.Turns() {
		return fmt.Errorf("Options.Scaling is %v, and elements are real; want factors without imaginary parts", opt.Local.Scaling.String())
	}
	if opt.Local.B != nil {
		return errors.New("Options.B is a packed b, and panels of b come from other ranks")
	}
	if opt.Kernel != nil && (s.plan.Grid.Layers > 1 || opt.Local.Scaling.On() || opt.Epilogue != nil) {
		return fmt.Errorf("a Kernel goes with one layer, and with neither Scaling nor Epilogue; the grid is %v, Scaling %v", s.plan.Grid, opt.Local.Scaling)
	}
	return local.Operands(opt.Local, out, a, b)
}
