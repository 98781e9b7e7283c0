// Package asmtest is for tests of package asm and of what prints assembly with it: a [Suite] of
// programs, and [Suite.Verify], which checks that no two values that are needed share a register.
package asmtest

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// Verify checks an allocation with its own idea of liveness: it lays the function
// out as a graph of steps in the order in which they are printed, solves the
// dataflow equations, and then no step may write a register that holds another
// value which is still read.
func (s *Suite) Verify(a *asm.Alloc) error {
	c := &graph{s: s, a: a}
	c.block(a.F.Body)
	c.solve()
	for _, s := range c.steps {
		if err := c.check(s); err != nil {
			return fmt.Errorf("%s: %s: %w", a.F.Name, s.name, err)
		}
	}
	return nil
}

// graph is the control flow of one function.
type graph struct {
	s     *Suite
	a     *asm.Alloc
	steps []*graphStep
	open  []*graphStep // whose successor is the next step
}

// graphStep reads uses and then writes defs. A parallel copy has in from what
// defs are copied from, nil for constants.
type graphStep struct {
	name       string
	uses, defs []*emit.Value
	from       []*emit.Value
	noCode     bool          // a copy for which nothing is printed
	late       []*emit.Value // read after the result may have been written
	next       []*graphStep
	liveIn     map[*emit.Value]bool
	liveOut    map[*emit.Value]bool
}

func (c *graph) add(s *graphStep) *graphStep {
	for _, o := range c.open {
		o.next = append(o.next, s)
	}
	s.liveIn, s.liveOut = map[*emit.Value]bool{}, map[*emit.Value]bool{}
	c.steps = append(c.steps, s)
	c.open = []*graphStep{s}
	return s
}

// register returns the file and number of the register of v; ok is false if it
// has none.
func (c *graph) register(v *emit.Value) (cls asm.Class, r int, ok bool) {
	cls = c.a.Cls[v.ID]
	return cls, c.a.Index(v), cls != asm.None
}

// reads resolves what is read for v: the operands of a condition, nothing for an
// immediate.
func (c *graph) reads(vs ...*emit.Value) (out []*emit.Value) {
	for _, v := range vs {
		switch {
		case v.Type == emit.Bool && v.Op != nil:
			out = append(out, c.reads(v.Op.Args...)...)
		case c.a.Cls[v.ID] != asm.None:
			out = append(out, v)
		}
	}
	return out
}

// move adds a parallel copy.
func (c *graph) move(name string, defs, srcs []*emit.Value) *graphStep {
	s := &graphStep{name: name}
	for i, d := range defs {
		if c.a.Cls[d.ID] == asm.None {
			continue
		}
		s.defs = append(s.defs, d)
		from := c.reads(srcs[i])
		s.uses = append(s.uses, from...)
		if from == nil {
			from = []*emit.Value{nil}
		}
		s.from = append(s.from, from[0])
	}
	return c.add(s)
}

// last returns what a block yields.
func last(b *emit.Block) []*emit.Value { return b.Ops[len(b.Ops)-1].Args }

func (c *graph) block(b *emit.Block) {
	for _, op := range b.Ops {
		text := op.String()
		switch op.Def.Name {
		case "yield":
		case "bitcast":
			c.move(text, op.Results, op.Args)
		case "for":
			c.loop(op, text)
		case "while":
			head, body := op.Blocks[0], op.Blocks[1]
			c.move(text+" enters", head.Args, op.Args)
			top := len(c.steps)
			c.block(head)
			c.move(text+" passes", body.Args, last(head)[1:])
			test := c.add(&graphStep{name: text + " tests", uses: c.reads(last(head)[0])})
			c.block(body)
			back := c.move(text+" goes back", head.Args, last(body))
			back.next = append(back.next, c.steps[top])
			c.open = []*graphStep{test}
			c.move(text+" leaves", op.Results, body.Args).noCode = true
		case "if":
			test := c.add(&graphStep{name: text + " tests", uses: c.reads(op.Args[0])})
			var ends []*graphStep
			for _, in := range op.Blocks {
				c.open = []*graphStep{test}
				c.block(in)
				ends = append(ends, c.move(text+" joins", op.Results, last(in)))
			}
			c.open = ends
		default:
			s := &graphStep{name: text, uses: c.reads(op.Args...), defs: c.reads(op.Results...)}
			if r := op.Result(); r != nil && r.Type == emit.Bool {
				continue // compared where it is used
			}
			for _, i := range c.s.Late(op) {
				s.late = append(s.late, c.reads(op.Args[i])...)
			}
			c.add(s)
		}
	}
}

func (c *graph) loop(op *emit.Op, text string) {
	body := op.Blocks[0]
	idx, first, bound := body.Args[0], op.Args[0], op.Args[1]
	test := []*emit.Value{idx}
	if c.a.CountsDown(op) {
		first = bound
	} else {
		test = append(test, bound)
	}
	c.move(text+" enters", body.Args, append([]*emit.Value{first}, op.Args[3:]...))
	var ends []*graphStep
	if !op.Attr.Once {
		ends = append(ends, c.add(&graphStep{name: text + " guards", uses: c.reads(test...)}))
	}
	top := len(c.steps)
	c.block(body)
	c.move(text+" goes back", body.Args[1:], last(body))
	latch := c.add(&graphStep{name: text + " counts", uses: c.reads(test...), defs: []*emit.Value{idx}})
	latch.next = append(latch.next, c.steps[top])
	c.open = append(ends, latch)
	c.move(text+" leaves", op.Results, body.Args[1:]).noCode = true
}

// solve computes what is live before and after each step.
func (c *graph) solve() {
	for changed := true; changed; {
		changed = false
		for i := len(c.steps) - 1; i >= 0; i-- {
			s := c.steps[i]
			for _, n := range s.next {
				for v := range n.liveIn {
					s.liveOut[v] = true
				}
			}
			before := len(s.liveIn)
			for v := range s.liveOut {
				s.liveIn[v] = true
			}
			for _, d := range s.defs {
				delete(s.liveIn, d)
			}
			for _, u := range s.uses {
				s.liveIn[u] = true
			}
			changed = changed || len(s.liveIn) != before
		}
	}
}

// bits returns the vector that v is a bitcast of, or v.
func bits(v *emit.Value) *emit.Value {
	for v.Op != nil && v.Op.Def.Name == "bitcast" && v.Type.Lanes > 1 {
		v = v.Op.Args[0]
	}
	return v
}

func (c *graph) check(s *graphStep) error {
	source := map[*emit.Value]*emit.Value{}
	for i, f := range s.from {
		source[s.defs[i]] = f
	}
	for i, d := range s.defs {
		cls, r, _ := c.register(d)
		if r < 0 || r >= c.a.M.Registers(c.a.T, cls) {
			return fmt.Errorf("%%%d is in register %d of class %d", d.ID, r, cls)
		}
		if s.noCode && s.from[i] != nil {
			if fc, fr, _ := c.register(s.from[i]); fc != cls || fr != r {
				return fmt.Errorf("%%%d is expected where %%%d is, and no copy is made", d.ID, s.from[i].ID)
			}
		}
		others := append([]*emit.Value(nil), s.late...)
		for v := range s.liveOut {
			others = append(others, v)
		}
		for _, v := range others {
			vc, vr, ok := c.register(v)
			if v == d || !ok || vc != cls || vr != r {
				continue
			}
			// The same content under two names is no conflict.
			if from := source[d]; from != nil && (v == from || source[v] == from) || bits(v) == bits(d) {
				continue
			}
			return fmt.Errorf("%%%d overwrites %%%d in register %d of class %d, which is still read", d.ID, v.ID, vr, vc)
		}
	}
	return nil
}
