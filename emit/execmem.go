package emit

import "fmt"

// How memory operations and control flow are executed.

var memoryActions = map[string]func(p *program, s *step, blocks []*block) action{
	"load": makeLoad, "loadm": makeLoad, "loadb": makeLoad,
	"store": makeStore, "storem": makeStore, "prefetch": func(*program, *step, []*block) action { return nil },
}

// address is where a memory operation accesses.
type address struct {
	ptr, index int // slots; index is -1 if there is none
	scale, off int64
	align      int // what the pointer's type promises
	natural    int // what the access itself needs
}

// makeAddress reads the operands from n on. On a GPU an access must be aligned
// to its size, at most 16 bytes (PTX ISA, "Addresses as Operands"). On a CPU vectors
// may be anywhere.
func makeAddress(s *step, n, size int) address {
	t := s.op.Args[n].Type
	a := address{ptr: s.args[n], index: -1, scale: s.op.Attr.Scale, off: s.op.Attr.Off, align: t.Align}
	if len(s.args) > n+1 {
		a.index = s.args[n+1]
	}
	if t.Space != Generic {
		a.natural = min(size&-size, 16)
	}
	return a
}

func (a *address) of(t *thread) (*Memory, int64, error) {
	w := &t.v[a.ptr]
	off := int64(w.Lane[0])
	if a.align > 1 {
		if err := w.Mem.aligned(off, a.align); err != nil {
			return nil, 0, fmt.Errorf("the pointer breaks its promise: %w", err)
		}
	}
	off += a.off
	if a.index >= 0 {
		off += int64(t.v[a.index].Lane[0]) * a.scale
	}
	return w.Mem, off, w.Mem.aligned(off, a.natural)
}

func makeLoad(p *program, s *step, _ []*block) action {
	to, result := s.op.Results[0].Type, s.results[0]
	if to.Ptr {
		p.refuse(s.op, "the interpreter cannot load pointers: memory holds no addresses")
		return nil
	}
	e, size := to.Elem, int64(to.Elem.Bytes())
	switch s.op.Def.Name {
	case "loadb":
		a := makeAddress(s, 0, e.Bytes())
		return func(t *thread) error {
			mem, off, err := a.of(t)
			out := t.v[result].Lane
			if err == nil {
				err = mem.load(e, off, out[:1])
			}
			for i := range out {
				out[i] = out[0]
			}
			return err
		}
	case "loadm":
		a := makeAddress(s, 1, e.Bytes())
		return func(t *thread) error {
			mem, off, err := a.of(t)
			out := t.v[result].Lane
			clear(out)
			for i, on := range t.v[s.args[0]].Lane {
				if on != 0 && err == nil {
					err = mem.load(e, off+int64(i)*size, out[i:i+1])
				}
			}
			return err
		}
	}
	a := makeAddress(s, 0, to.Bytes())
	return func(t *thread) error {
		mem, off, err := a.of(t)
		if err == nil {
			err = mem.load(e, off, t.v[result].Lane)
		}
		return err
	}
}

func makeStore(p *program, s *step, _ []*block) action {
	from := s.op.Args[0].Type
	if from.Ptr {
		p.refuse(s.op, "the interpreter cannot store pointers: memory holds no addresses")
		return nil
	}
	e, size := from.Elem, int64(from.Elem.Bytes())
	if s.op.Def.Name == "storem" {
		a := makeAddress(s, 2, e.Bytes())
		return func(t *thread) error {
			mem, off, err := a.of(t)
			v := t.v[s.args[0]].Lane
			for i, on := range t.v[s.args[1]].Lane {
				if on != 0 && err == nil {
					err = mem.store(e, off+int64(i)*size, v[i:i+1])
				}
			}
			return err
		}
	}
	a := makeAddress(s, 1, from.Bytes())
	return func(t *thread) error {
		mem, off, err := a.of(t)
		if err == nil {
			err = mem.store(e, off, t.v[s.args[0]].Lane)
		}
		return err
	}
}

var controlActions = map[string]func(p *program, s *step, blocks []*block) action{
	"for": makeFor, "while": makeWhile, "if": makeIf,
}

// move is a parallel assignment of slots: all sources are read before any
// destination is written.
type move struct {
	dst, src []int
	overlap  bool
}

func newMove(dst, src []int) move {
	m := move{dst: dst, src: src}
	for i, d := range dst {
		for _, s := range src[min(i+1, len(src)):] {
			m.overlap = m.overlap || s == d
		}
	}
	return m
}

func (m *move) do(t *thread) {
	if !m.overlap {
		for i, d := range m.dst {
			t.set(d, t.v[m.src[i]])
		}
		return
	}
	old := make([]Word, len(m.src))
	for i, s := range m.src {
		old[i] = Word{append([]uint64(nil), t.v[s].Lane...), t.v[s].Mem}
	}
	for i, d := range m.dst {
		t.set(d, old[i])
	}
}

func (p *program) slots(vs []*Value) []int { return p.use(nil, vs) }

func makeFor(p *program, s *step, blocks []*block) action {
	body, e, once := blocks[0], s.op.Args[0].Type.Elem, s.op.Attr.Once
	args := p.slots(s.op.Blocks[0].Args)
	enter, next, leave := newMove(args[1:], s.args[3:]), newMove(args[1:], body.yield), newMove(s.results, args[1:])
	return func(t *thread) error {
		i, hi, by := signed(e, t.v[s.args[0]].Lane[0]), signed(e, t.v[s.args[1]].Lane[0]), signed(e, t.v[s.args[2]].Lane[0])
		if once && i >= hi {
			return fmt.Errorf("is said to run at least once, but runs from %d to %d", i, hi)
		}
		enter.do(t)
		for i < hi {
			if err := t.m.tick(1); err != nil {
				return err
			}
			t.v[args[0]].Lane[0] = truncate(e, uint64(i))
			if err := t.block(body); err != nil {
				return err
			}
			next.do(t)
			i = signed(e, uint64(i+by))
		}
		leave.do(t)
		return nil
	}
}

func makeWhile(p *program, s *step, blocks []*block) action {
	cond, body := blocks[0], blocks[1]
	head, args := p.slots(s.op.Blocks[0].Args), p.slots(s.op.Blocks[1].Args)
	enter, pass := newMove(head, s.args), newMove(args, cond.yield[1:])
	next, leave := newMove(head, body.yield), newMove(s.results, cond.yield[1:])
	return func(t *thread) error {
		for enter.do(t); ; next.do(t) {
			if err := t.m.tick(1); err != nil {
				return err
			}
			if err := t.block(cond); err != nil {
				return err
			}
			if t.v[cond.yield[0]].Lane[0] == 0 {
				leave.do(t)
				return nil
			}
			pass.do(t)
			if err := t.block(body); err != nil {
				return err
			}
		}
	}
}

func makeIf(p *program, s *step, blocks []*block) action {
	var leave [2]move
	for i, b := range blocks {
		leave[i] = newMove(s.results, b.yield)
	}
	return func(t *thread) error {
		side := 0
		if t.v[s.args[0]].Lane[0] == 0 {
			side = 1
		}
		if err := t.block(blocks[side]); err != nil {
			return err
		}
		leave[side].do(t)
		return nil
	}
}
