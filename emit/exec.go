package emit

import (
	"fmt"
	"maps"
)

// How operations whose meaning is not lanewise are executed. A maker gets the
// operation with its slots and its blocks made ready. It returns what to do at run
// time, or nil if nothing is left to do.
var actions map[string]func(p *program, s *step, blocks []*block) action

func init() { // not an initializer: the makers refer to actions through block
	actions = map[string]func(p *program, s *step, blocks []*block) action{
		"const": makeConst, "param": makeParam, "sreg": makeSReg, "select": makeSelect, "copy": makeCopy,
		"splat": makeSplat, "shuffle": makeShuffle, "recast": makeRecast, "maskn": makeMaskN, "maskbits": makeMaskBits, "maskof": makeMaskOf, "addp": makeAddP, "inst": makeInst,
		"apply": makeApply,
		"pack":  makePack, "unpack": makePack,
		"shared": makeShared,
	}
	maps.Copy(actions, memoryActions)
	maps.Copy(actions, controlActions)
}

func (p *program) lanewise(s *step) action {
	op := s.op
	f, e, to := op.meaning(), op.Args[0].Type.Elem, op.Results[0].Type.Elem
	promise := promises[op.Def.Name]
	args, result := s.args, s.results[0]
	table := s.op.Attr.Table
	return func(t *thread) error {
		out := t.v[result].Lane
		x := t.x[:len(args)]
		for i := range out {
			for j, a := range args {
				x[j] = t.v[a].Lane[i]
			}
			if promise != nil {
				if err := promise(e, x[1]); err != nil {
					return err
				}
			}
			if table != nil && x[0] >= uint64(len(table)) {
				return fmt.Errorf("looks up element %d of %d", x[0], len(table))
			}
			out[i] = truncate(to, f(x))
		}
		return nil
	}
}

// promises are what the table says about second operands; machines differ when
// they are broken.
var promises = map[string]func(e Elem, y uint64) error{
	"shl": shiftPromise, "shr": shiftPromise, "sar": shiftPromise,
	"udiv": divisorPromise, "urem": divisorPromise,
}

func shiftPromise(e Elem, y uint64) error {
	return want(y < uint64(e.Bits()), "shifts %v by %d", e, y)
}

func divisorPromise(_ Elem, y uint64) error { return want(y != 0, "divides by zero") }

func makeConst(p *program, s *step, _ []*block) action {
	t, a := s.op.Results[0].Type, s.op.Attr
	x := truncate(t.Elem, uint64(a.Imm))
	switch {
	case t.Elem.Float():
		x = t.Elem.Encode(a.F)
	case t.Elem == I1 && a.Imm != 0:
		x = 1
	}
	p.fixed[s.results[0]] = Word{Lane: repeat(x, t.words())}
	return nil
}

func repeat(x uint64, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func makeParam(p *program, s *step, _ []*block) action {
	name, t := s.op.Attr.Name, s.op.Results[0].Type
	if err := typeParam(p.f, s.op); err != nil {
		p.refuse(s.op, "%v", err)
		return nil
	}
	w, ok := p.m.Args[name]
	switch {
	case !ok:
		p.refuse(s.op, "argument %q is not bound", name)
		return nil
	case len(w.Lane) != 1:
		p.refuse(s.op, "argument %q is bound to a value of %d lanes, not to a %v", name, len(w.Lane), p.f.Arg(name).Type)
		return nil
	case !t.Ptr:
		w.Lane = repeat(truncate(t.Elem, w.Lane[0]), t.Lanes)
	case w.Mem != nil && w.Mem.Space != t.Space:
		p.refuse(s.op, "argument %q is a %v, and %s is other memory", name, t, w.Mem.Name)
	default:
		if err := w.Mem.aligned(w.Offset(), t.Align); err != nil {
			p.refuse(s.op, "argument %q is a %v: %v", name, t, err)
		}
	}
	p.fixed[s.results[0]] = w
	return nil
}

func makeSReg(p *program, s *step, _ []*block) action {
	a, to, result := s.op.Attr, s.op.Results[0].Type, s.results[0]
	read := p.m.SRegs
	if read == nil {
		read = func(name string, thread int) uint64 {
			switch name {
			case "tid.x":
				return uint64(thread)
			case "ntid.x":
				return uint64(p.threads)
			case "laneid":
				return uint64(thread % 32)
			case "warpid":
				return uint64(thread / 32)
			}
			p.refuse(s.op, "the machine has no special register %q", name)
			return 0
		}
		read(a.Name, 0)
	}
	return func(t *thread) error {
		x := truncate(to.Elem, read(a.Name, t.id))
		if first, _ := p.group(a.Level, t.id); first != t.id && truncate(to.Elem, read(a.Name, first)) != x {
			return fmt.Errorf("%s is said to be the same over a %v, but threads %d and %d differ", a.Name, a.Level, first, t.id)
		}
		t.v[result].Lane[0] = x
		return nil
	}
}

func makeSelect(p *program, s *step, _ []*block) action {
	if !s.op.Results[0].Type.Ptr {
		return p.lanewise(s)
	}
	return func(t *thread) error {
		from := s.args[2]
		if t.v[s.args[0]].Lane[0] != 0 {
			from = s.args[1]
		}
		t.set(s.results[0], t.v[from])
		return nil
	}
}

func makeCopy(_ *program, s *step, _ []*block) action {
	return func(t *thread) error {
		t.set(s.results[0], t.v[s.args[0]])
		return nil
	}
}

func makeSplat(_ *program, s *step, _ []*block) action {
	return func(t *thread) error {
		x, out := t.v[s.args[0]].Lane[0], t.v[s.results[0]].Lane
		for i := range out {
			out[i] = x
		}
		return nil
	}
}

func makeShuffle(_ *program, s *step, _ []*block) action {
	perm, n := s.op.Attr.Perm, s.op.Args[0].Type.Lanes
	return func(t *thread) error {
		out := t.v[s.results[0]].Lane
		for i, j := range perm {
			out[i] = t.v[s.args[j/n]].Lane[j%n]
		}
		return nil
	}
}

func makeRecast(_ *program, s *step, _ []*block) action {
	from, to := s.op.Args[0].Type.Elem, s.op.Results[0].Type.Elem
	return func(t *thread) error {
		in, out := t.v[s.args[0]].Lane, t.v[s.results[0]].Lane
		clear(out)
		for bit := 0; bit < len(in)*from.Bits(); bit += min(from.Bits(), to.Bits()) {
			part := truncate(from, in[bit/from.Bits()]) >> (bit % from.Bits())
			out[bit/to.Bits()] |= truncate(to, part<<(bit%to.Bits()))
		}
		return nil
	}
}

// makePack moves the lanes of all operands to those of all results, in order.
func makePack(_ *program, s *step, _ []*block) action {
	return func(t *thread) error {
		out, to := t.v[s.results[0]].Lane, 0
		for _, a := range s.args {
			for _, x := range t.v[a].Lane {
				if len(out) == 0 {
					to++
					out = t.v[s.results[to]].Lane
				}
				out[0], out = x, out[1:]
			}
		}
		return nil
	}
}

func makeMaskN(_ *program, s *step, _ []*block) action {
	return func(t *thread) error {
		n, out := int64(t.v[s.args[0]].Lane[0]), t.v[s.results[0]].Lane
		if n < 0 || n > int64(len(out)) {
			return fmt.Errorf("a mask of %d lanes cannot have the first %d set", len(out), n)
		}
		clear(out)
		for i := range n {
			out[i] = 1
		}
		return nil
	}
}

func makeAddP(_ *program, s *step, _ []*block) action {
	align := s.op.Results[0].Type.Align
	return func(t *thread) error {
		p, r := t.v[s.args[0]], &t.v[s.results[0]]
		r.Lane[0], r.Mem = p.Lane[0]+t.v[s.args[1]].Lane[0], p.Mem
		return r.Mem.aligned(r.Offset(), align)
	}
}
