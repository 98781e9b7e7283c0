package emu

// call (ISA 9.7.12.5): arguments and results are copied.

// A callFix is a call whose function has no place yet.
type callFix struct {
	at     int
	callee *funcText
}

// call copies the arguments, goes to the function, and copies the results when it
// is back. A call is two instructions, of which the second is part of the first's
// return address.
func (c *compiler) call() {
	c.take(".uni")
	args := c.in.args
	var results, params []argText
	if len(args) > 0 && args[0].kind == argList {
		results, args = args[0].list, args[1:]
	}
	if len(args) == 0 || args[0].kind != argName {
		c.fail("the name of a function is missing")
	}
	f := c.mod.text.globals.funcs[args[0].name]
	switch {
	case f == nil:
		if c.register(&args[0]) != nil {
			c.failAt(&args[0], "the emulator does not execute calls through a register, which .callprototype and .calltargets describe")
		}
		c.failAt(&args[0], "%s is no function", clip(args[0].name))
	case f.declared:
		c.failAt(&args[0], "%s has no body here", clip(f.name))
	case f.entry:
		c.failAt(&args[0], "%s is a kernel", clip(f.name))
	case c.calling(f, map[*funcText]bool{}):
		c.failAt(&args[0], "%s is recursive, which is not executed", clip(f.name))
	}
	if len(args) > 2 {
		c.failAt(&args[2], "a call of a function that has a name has no list or prototype")
	}
	if len(args) > 1 {
		params = args[1].list
	}
	if len(params) != len(f.params) || len(results) != len(f.results) {
		c.fail("%s takes %d arguments and gives %d results", f.name, len(f.params), len(f.results))
	}
	in, out := c.moves(params, f.params, true), c.moves(results, f.results, false)
	c.calls = append(c.calls, callFix{len(c.prog.code), f})
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		w := s.w
		if m != s.mask {
			// The others wait behind the call.
			next := s.pc + 1
			c.depart(s, s.mask&^m, next, next)
		}
		if n := len(s.ret); n > 0 && s.ret[n-1] == -1-s.pc {
			// Back: the results.
			s.ret = s.ret[:n-1]
			w.copyParams(out, m)
			return goOn
		}
		w.copyParams(in, m)
		s.ret = append(s.ret, -1-s.pc, s.pc)
		s.pc = c.prog.code[s.pc].targets[0]
		return jumped
	}
}

// calling reports whether f, or a function it calls, calls f or the function that
// is compiled.
func (c *compiler) calling(f *funcText, seen map[*funcText]bool) bool {
	if f == c.fn {
		return true
	}
	if seen[f] {
		return false
	}
	seen[f] = true
	for i := range f.body {
		if in := &f.body[i]; in.op == "call" {
			for j := range in.args {
				if g := c.mod.text.globals.funcs[in.args[j].name]; g != nil && (g == f || c.calling(g, seen)) {
					return true
				}
			}
		}
	}
	return false
}

// moves pairs the arguments of a call with the parameters of the function. Both are
// .param variables in the memory of the thread, or registers. A result may be left out.
func (c *compiler) moves(args []argText, params []*variable, in bool) []paramMove {
	var list []paramMove
	args, params = c.vectors(args, params)
	for i := range args {
		a, p := &args[i], params[i]
		if a.kind == argSink && !in {
			continue
		}
		if p.typ.class == classPred {
			list = append(list, c.predMove(a, p, in))
			continue
		}
		m := paramMove{size: int(p.size), reg: -1, preg: -1}
		if p.space == spaceReg {
			m.preg = c.regSlot(&argText{name: p.name}, p)
			c.ins.origins.passed = append(c.ins.origins.passed, m.preg)
		} else {
			m.callee = int(c.localAddress(p))
		}
		v := c.in.lookup(a.name)
		switch {
		case v != nil && v.space == spaceParam:
			if v.size != p.size {
				c.failAt(a, "%s has %d bytes, the parameter %d", clip(a.name), v.size, p.size)
			}
			m.caller = int(c.localAddress(v))
		case in:
			m.reg = c.source(a, p.typ)
		default:
			m.reg = c.dest(a, p.typ, false)
		}
		m.in = in
		list = append(list, m)
	}
	return list
}

// predMove passes a predicate, which is neither negated nor a number here.
func (c *compiler) predMove(a *argText, p *variable, in bool) paramMove {
	if a.kind != argName || a.not {
		c.failAt(a, "a predicate register is wanted, for %s", clip(p.name))
	}
	m := paramMove{pred: true, preg: c.predOf(regKey{p, p.name}), in: in}
	if in {
		m.reg, _ = c.predSrc(a)
	} else {
		m.reg = c.predDst(a)
	}
	return m
}

// vectors puts the elements of vectors of registers in their places.
func (c *compiler) vectors(args []argText, params []*variable) (a []argText, p []*variable) {
	for i, v := range params {
		if v.vec < 2 {
			a, p = append(a, args[i]), append(p, v)
			continue
		}
		if args[i].kind == argSink {
			a, p = append(a, args[i]), append(p, v)
			continue
		}
		parts := c.parts(&args[i])
		if len(parts) != v.vec {
			c.failAt(&args[i], "%s is no vector of %d, which the parameter is", clip(args[i].name), v.vec)
		}
		a = append(a, parts...)
		for _, part := range vectorParts[:v.vec] {
			p = append(p, v.owner.vars[v.name+part])
		}
	}
	return a, p
}

// A paramMove copies one parameter from caller to callee, or a result back.
type paramMove struct {
	caller, callee int // addresses in the memory of the thread
	reg, preg      int // registers instead, -1 if not
	size           int
	in             bool
	pred           bool // the registers are predicates
}

func (w *warp) copyParams(list []paramMove, m uint32) {
	for _, mv := range list {
		if mv.pred {
			from, to := mv.reg, mv.preg
			if !mv.in {
				from, to = to, from
			}
			w.p[to] = w.p[to]&^m | w.p[from]&m
			w.pdef[to] = w.pdef[to]&^m | w.pdef[from]&m
			continue
		}
		for i := range lanesOf(m) {
			from, to := mv.caller, mv.callee
			fromReg, toReg := mv.reg, mv.preg
			if !mv.in {
				from, to, fromReg, toReg = to, from, toReg, fromReg
			}
			var buf [8]byte
			for at := 0; at < mv.size; at += 8 {
				k := min(8, mv.size-at)
				if fromReg >= 0 {
					putLittle(buf[:], w.r[fromReg][i])
				} else {
					w.localRaw(i, from+at, k, buf[:k], false)
				}
				if toReg >= 0 {
					w.r[toReg][i] = little(buf[:]) & maskOf(mv.size)
					w.def[toReg] |= 1 << i
					if !mv.in && fromReg >= 0 { // the function may not have written it
						w.def[toReg] &^= ^w.def[fromReg] & (1 << i)
					}
				} else {
					w.localRaw(i, to+at, k, buf[:k], true)
				}
			}
		}
	}
}

// localRaw copies bytes of a thread's memory.
func (w *warp) localRaw(lane, at, n int, buf []byte, write bool) {
	ac := access{space: spaceLocal, kind: plainRead, does: "passes", size: 1}
	if write {
		ac.kind = plainWrite
	}
	for i := range n {
		p := w.localBytes(&ac, lane, uint64(at+i))
		if write {
			p[0] = buf[i]
		} else {
			buf[i] = p[0]
		}
	}
}
