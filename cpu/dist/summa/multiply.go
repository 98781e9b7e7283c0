package summa

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
)

// mul is Mul with checked operands.
func (s *Product[T]) mul(opt *Options[T], out, a, b layout.Matrix[T]) error {
	if opt.Kernel != nil {
		return s.whole(opt, out, a, b)
	}
	alpha, beta := opt.Local.Scaling.Factors()
	target := out
	if s.plan.Grid.Layers > 1 {
		target = s.sum
	}
	begin := func(i int) cpu.Options {
		local := opt.Local
		switch {
		case i > 0:
			local.Scaling = cpu.Scale(alpha, 1)
		case s.plan.Grid.Layers > 1:
			local.Scaling = cpu.Scale(alpha, 0)
		}
		return local
	}
	s.start(a, b)
	for i, g := range s.groups {
		x, y, err := s.operands(g)
		if err != nil {
			return err
		}
		cpu.MatMulOpt(begin(i), target, x, y)
		s.used(g.Hi)
	}
	if len(s.steps) == 0 { // k is 0: out is scaled
		cpu.MatMulOpt(begin(0), target, layout.Matrix[T]{Rows: target.Rows}, layout.Matrix[T]{Cols: target.Cols})
	}
	if err := s.drain(); err != nil {
		return err
	}
	if s.plan.Grid.Layers > 1 {
		if err := s.join(beta, out); err != nil {
			return err
		}
	}
	if opt.Epilogue != nil {
		me := s.plan.C(s.c.Rank())
		local.Tiles(opt.Local.Threads, out, me.Rows.Lo, me.Cols.Lo, opt.Epilogue)
	}
	return nil
}

// whole brings together all rows of a and columns of b of this rank and multiplies them by
// the caller's kernel.
func (s *Product[T]) whole(opt *Options[T], out, a, b layout.Matrix[T]) error {
	me := s.plan.C(s.c.Rank())
	s.start(a, b)
	allA, allB, err := s.operands(dist.Upto(len(s.steps)))
	if err != nil {
		return err
	}
	s.used(len(s.steps))
	if err := s.drain(); err != nil {
		return err
	}
	opt.Kernel(opt.Local, out, allA, allB, me.Rows.Lo, me.Cols.Lo)
	return nil
}

// operands returns what some steps multiply, when all of it is here: a panel of each
// operand in place, or several put together.
func (s *Product[T]) operands(g dist.Span) (x, y layout.Matrix[T], err error) {
	for i := g.Lo; i < g.Hi; i++ {
		if err := s.wait(i); err != nil {
			return x, y, err
		}
		s.a.keep(g, i)
		s.b.keep(g, i)
	}
	return s.a.operand(g), s.b.operand(g), nil
}

// start begins a product with the parts of the operands that are here.
func (s *Product[T]) start(a, b layout.Matrix[T]) {
	s.flight.Begin(s.c)
	s.a.start(a)
	s.b.start(b)
}

// used says that the panels below a step were multiplied by.
func (s *Product[T]) used(step int) { s.a.used, s.b.used = step, step }

// wait returns when both panels of a step are here. Meanwhile, and before, it begins to
// receive the next ones and hands on what has come.
func (s *Product[T]) wait(step int) error {
	err := s.progress(false)
	for err == nil && !(s.a.ready(step) && s.b.ready(step)) {
		err = s.progress(true)
	}
	return err
}

// drain waits for what is being sent after the last step.
func (s *Product[T]) drain() error {
	err := s.progress(false)
	for err == nil && s.flight.Len() > 0 {
		err = s.progress(true)
	}
	return err
}

// progress begins what can begin and takes note of what is done; with wait, it waits for
// something, if anything is on the way.
func (s *Product[T]) progress(wait bool) error {
	streams := [...]*stream[T]{s.a, s.b}
	for _, x := range streams {
		if err := x.advance(); err != nil {
			return fmt.Errorf("panels of %s: %w", operandName(x.tag), err)
		}
	}
	done, err := s.flight.Poll(wait)
	if err != nil {
		return fmt.Errorf("panels: %w", err)
	}
	for _, key := range done {
		streams[key&1].over(key)
	}
	return nil
}
