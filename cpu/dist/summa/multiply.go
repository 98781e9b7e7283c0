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
	s.a.start(a)
	s.b.start(b)
	for i, g := range s.groups {
		x, y, err := s.operands(g)
		if err != nil {
			return err
		}
		cpu.MatMulOpt(begin(i), target, x, y)
		s.a.done(g.Hi)
		s.b.done(g.Hi)
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
	s.a.start(a)
	s.b.start(b)
	allA, allB, err := s.operands(dist.Upto(len(s.steps)))
	if err != nil {
		return err
	}
	s.a.done(len(s.steps))
	s.b.done(len(s.steps))
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

// wait returns when both panels of a step are here. Meanwhile, and before, it begins to
// receive the next ones and hands on what has come.
func (s *Product[T]) wait(step int) error {
	for {
		if err := s.progress(false); err != nil {
			return err
		}
		if s.a.ready(step) && s.b.ready(step) {
			return nil
		}
		if err := s.progress(true); err != nil {
			return err
		}
	}
}

// drain waits for what is being sent after the last step.
func (s *Product[T]) drain() error {
	for s.a.pending() || s.b.pending() {
		if err := s.progress(true); err != nil {
			return err
		}
	}
	return nil
}

// progress begins what can begin and takes note of what is done; with wait, it waits for
// something, if anything is on the way.
func (s *Product[T]) progress(wait bool) error {
	if err := s.a.advance(); err != nil {
		return err
	}
	if err := s.b.advance(); err != nil {
		return err
	}
	streams := [...]*stream[T]{s.a, s.b}
	s.requests = s.requests[:0]
	for _, x := range streams {
		s.requests = append(append(s.requests, x.in...), x.out...)
	}
	done, err := s.c.Some(s.requests, wait, s.done[:0])
	s.done = done
	if err != nil {
		return err
	}
	for _, i := range done {
		x := streams[0]
		if n := len(x.in) + len(x.out); i >= n {
			i, x = i-n, streams[1]
		}
		if n := len(x.in); i < n {
			err = x.received(i)
		} else {
			err = x.sent(i - n)
		}
		if err != nil {
			return fmt.Errorf("panels of %s: %w", operandName(x.tag), err)
		}
	}
	return nil
}
