package emu

// Control flow (ISA 9.7.12).

func (c *compiler) bra() {
	uni := c.has(".uni")
	c.arity(1, 1)
	a := c.arg(0)
	at, ok := c.fn.labels[a.name]
	if !ok || a.kind != argName {
		c.failAt(a, "%s is no label of %s", clip(a.name), c.fn.name)
	}
	c.branch(uni, c.base+at)
}

// branch makes an instruction whose lanes go to a place.
func (c *compiler) branch(uni bool, to int) {
	c.ins.flow, c.ins.targets = flowBranch, []int{to}
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		switch {
		case m == 0:
			s.pc++
		case m == s.mask:
			s.pc = to
		case uni:
			s.w.fault(Diverged, trailing(m), "bra.uni goes two ways: %d lanes jump, %d do not", popcount(m), popcount(s.mask&^m))
		default:
			c.diverge(s, m, to, c.prog.code[s.pc].meet)
		}
		return jumped
	}
}

// brx is brx.idx: each lane goes to the label that its index names in a list.
func (c *compiler) brx() {
	if !c.has(".idx") {
		c.fail("brx is brx.idx")
	}
	uni := c.has(".uni")
	c.arity(2, 2)
	index := c.src(0, types["u32"])
	list := c.arg(1)
	table, ok := c.fn.tables[list.name]
	if !ok {
		c.failAt(list, "%s is no .branchtargets of %s", clip(list.name), c.fn.name)
	}
	c.ins.flow = flowBranch
	for _, t := range table.targets {
		at, ok := c.fn.labels[t.text]
		if !ok {
			panic(&syntaxError{t.line, t.col, clip(t.text) + " is no label of " + c.fn.name})
		}
		c.ins.targets = append(c.ins.targets, c.base+at)
	}
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		in := &c.prog.code[s.pc]
		w := s.w
		meet, next := in.meet, s.pc+1
		// The lanes of one target after those of another leave s; the last ones stay.
		for left := m; left != 0; {
			k := w.r[index][trailing(left)]
			if k >= uint64(len(in.targets)) {
				w.fault(Bounds, trailing(left), "index %d of a list of %d labels", k, len(in.targets))
			}
			same := uint32(0)
			for x := left; x != 0; x &= x - 1 {
				if i := trailing(x); w.r[index][i] == k {
					same |= 1 << i
				}
			}
			left &^= same
			if same == s.mask {
				s.pc = in.targets[k]
				return jumped
			}
			if uni {
				w.fault(Diverged, trailing(left), "brx.idx.uni goes several ways")
			}
			c.depart(s, same, in.targets[k], meet)
		}
		s.pc = next // those that the guard keeps
		return jumped
	}
}

func (c *compiler) ret() {
	c.take(".uni")
	c.arity(0, 0)
	if c.fn.entry {
		c.exit()
		return
	}
	// A function has one way out, so that its lanes meet there.
	c.branch(false, c.end)
}

// ctlReturn is the way out of a function.
func ctlReturn(_ *cta, s *split, _ uint32) signal {
	n := len(s.ret) - 1
	s.pc = s.ret[n]
	s.ret = s.ret[:n]
	return jumped
}

func (c *compiler) exit() {
	c.arity(0, 0)
	c.ins.flow, c.ins.ctl = flowExit, ctlExit
}

func ctlExit(c *cta, s *split, m uint32) signal {
	if c.exit(s, m) {
		return goOn
	}
	return stop
}

func (c *compiler) trap() {
	c.ins.flow = flowExit
	c.ins.ctl = func(_ *cta, s *split, m uint32) signal {
		s.w.fault(Trapped, trailing(m), "the kernel stopped itself")
		return stop
	}
}

func (c *compiler) nanosleep() {
	c.oneOf("u32")
	c.src(0, types["u32"])
	c.ins.switches = true
	c.ins.run = func(*warp, uint32) {}
}

// A callFix is a call whose function has no place yet.
type callFix struct {
	at     int
	callee *funcText
}

// call copies the arguments, goes to the function, and copies the results when it
// is back: a call is two instructions, of which the second is part of the first's
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
		c.failAt(&args[0], "%s is no function; calls through registers are not executed", clip(args[0].name))
	case f.declared:
		c.failAt(&args[0], "%s has no body here", clip(f.name))
	case f.entry:
		c.failAt(&args[0], "%s is a kernel", clip(f.name))
	case c.calling(f, map[*funcText]bool{}):
		c.failAt(&args[0], "%s is recursive, which is not executed", clip(f.name))
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
// .param variables in the memory of the thread, or registers.
func (c *compiler) moves(args []argText, params []*variable, in bool) []paramMove {
	var list []paramMove
	args, params = c.vectors(args, params)
	for i := range args {
		a, p := &args[i], params[i]
		m := paramMove{size: int(p.size), reg: -1, preg: -1}
		if p.space == spaceReg {
			m.preg = c.regSlot(&argText{name: p.name}, p)
		} else {
			m.callee = int(c.localAddress(p))
		}
		v := c.in.scope.lookup(a.name)
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

// vectors puts the elements of vectors of registers in their places.
func (c *compiler) vectors(args []argText, params []*variable) (a []argText, p []*variable) {
	for i, v := range params {
		if v.vec < 2 {
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
}

func (w *warp) copyParams(list []paramMove, m uint32) {
	for _, mv := range list {
		for n := m; n != 0; n &= n - 1 {
			i := trailing(n)
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
