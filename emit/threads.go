package emit

import (
	"errors"
	"fmt"
	"iter"
	"strings"
)

// How several threads run. Each is a coroutine that gives way when it reaches an
// instruction that its whole group executes, or one that has to wait.

// errStopped unwinds a thread after another one has failed.
var errStopped = errors.New("emit: stopped")

// group returns the threads that a level means for thread id.
func (p *program) group(l Level, id int) (first, n int) {
	n = l.Threads()
	if n == 0 {
		return 0, p.threads
	}
	return id / n * n, n
}

func makeInst(p *program, s *step, _ []*block) action {
	inst := s.op.Inst
	_, n := p.group(inst.Sync, 0)
	if p.threads%n != 0 {
		p.refuse(s.op, "is executed by %d threads together, and the machine has %d", n, p.threads)
		return nil
	}
	if inst.Run == nil {
		p.refuse(s.op, "the instruction has no meaning for the interpreter")
		return nil
	}
	s.in, s.out = make([][]Word, n), make([][]Word, n)
	for i := range n {
		s.in[i], s.out[i] = make([]Word, len(s.args)), make([]Word, len(s.results))
	}
	if n > 1 {
		return func(t *thread) error { return t.wait(s) } // schedule executes it
	}
	return func(t *thread) error {
		for {
			err := p.execute(s, []*thread{t})
			if err != ErrRetry {
				return err
			}
			if err := t.wait(s); err != nil {
				return err
			}
		}
	}
}

// execute runs the instruction for a group.
func (p *program) execute(s *step, group []*thread) error {
	for i, t := range group {
		for j, a := range s.args {
			s.in[i][j] = t.v[a]
			if ty := s.op.Inst.In[j]; ty.Ptr {
				if err := t.v[a].Mem.aligned(t.v[a].Offset(), ty.Align); err != nil {
					return fmt.Errorf("operand %d: %w", j, err)
				}
			}
		}
		for j, r := range s.results {
			clear(t.v[r].Lane)
			s.out[i][j] = Word{Lane: t.v[r].Lane}
		}
	}
	p.m.inst, p.m.first, p.m.n = s.op.Inst, group[0].id, len(group)
	if err := s.op.Inst.Run(p.m, s.op.Attr.Imm, s.in, s.out); err != nil {
		return err
	}
	for i, t := range group {
		for j, r := range s.results {
			if len(s.out[i][j].Lane) != len(t.v[r].Lane) {
				return fmt.Errorf("the meaning gave result %d %d lanes, not %d", j, len(s.out[i][j].Lane), len(t.v[r].Lane))
			}
			t.set(r, s.out[i][j])
		}
	}
	return nil
}

// wait lets other threads run. It returns when the scheduler has executed s for
// the group, or when s is to be tried again.
func (t *thread) wait(s *step) error {
	if t.suspend == nil {
		return fmt.Errorf("deadlock: waits, and there is no other thread")
	}
	t.at = s
	if !t.suspend() {
		return errStopped
	}
	return nil
}

// schedule runs all threads to their end.
func (p *program) schedule(n int) error {
	threads := make([]*thread, n)
	resume := make([]func() (struct{}, bool), n)
	for i := range threads {
		t := p.newThread(i)
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			t.suspend = func() bool { return yield(struct{}{}) }
			t.err = t.block(p.body)
			t.done = true
		})
		defer stop()
		threads[i], resume[i] = t, next
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for live := n; live > 0; {
		if p.m.Seed != 0 {
			p.m.random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		moved := false
		for _, i := range order {
			t := threads[i]
			if t.done {
				continue
			}
			if s := t.at; s != nil && len(s.in) > 1 {
				ready, err := p.arrived(threads, t)
				if err != nil {
					return err
				}
				if !ready {
					continue
				}
				first, n := p.group(s.op.Inst.Sync, i)
				switch err := p.execute(s, threads[first:first+n]); err {
				case ErrRetry:
					continue
				case nil:
					for _, u := range threads[first : first+n] {
						u.at = nil
					}
				default:
					return p.fail(s.op, first, n, err)
				}
			}
			before, was := p.m.steps, t.at
			t.at = nil
			resume[i]()
			if t.err != nil {
				return t.err
			}
			if t.done {
				live--
			}
			moved = moved || t.done || t.at != was || p.m.steps != before
		}
		if !moved && live > 0 {
			return p.deadlock(threads)
		}
	}
	return nil
}

// arrived reports whether all threads of t's group wait where t waits. The error
// says that they never will: one has ended, or waits for t elsewhere.
func (p *program) arrived(threads []*thread, t *thread) (bool, error) {
	first, n := p.group(t.at.op.Inst.Sync, t.id)
	ready := true
	for _, u := range threads[first : first+n] {
		if u.at == t.at {
			continue
		}
		ready = false
		why := ""
		switch {
		case u.done:
			why = "has ended"
		case u.at != nil && len(u.at.in) > 1:
			if f, n := p.group(u.at.op.Inst.Sync, u.id); f <= t.id && t.id < f+n {
				why = "is at " + place(u.at.op)
			}
		}
		if why != "" {
			return false, p.f.Refuse(t.at.op, "divergent: %s must execute it together, but thread %d %s", threadNames(first, n), u.id, why)
		}
	}
	return ready, nil
}

// deadlock says where the threads are that are not done.
func (p *program) deadlock(threads []*thread) error {
	var at []string
	var op *Op
	for i := 0; i < len(threads); {
		n := 1
		for i+n < len(threads) && threads[i+n].at == threads[i].at {
			n++
		}
		if s := threads[i].at; s != nil {
			if op == nil {
				op = s.op
			}
			at = append(at, threadNames(i, n)+" at "+place(s.op))
		}
		i += n
	}
	return p.f.Refuse(op, "deadlock: nothing can go on: %s", strings.Join(at, ", "))
}

func place(op *Op) string {
	s := op.Inst.Name
	if w := op.Where(); w != "" {
		s += " (" + w + ")"
	}
	return s
}
