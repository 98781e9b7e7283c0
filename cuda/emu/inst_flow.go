package emu

// Control flow (ISA 9.7.12).

func (c *compiler) bra() {
	uni := c.has(".uni")
	c.arity(1, 1)
	a := c.arg(0)
	c.branch(uni, c.base+c.target(a.name, a.position))
}

// target returns where the label of that name is in the body of the function.
func (c *compiler) target(name string, at position) int {
	l := c.in.label(name)
	if l == nil || l.is != "" {
		c.failAt(at, "%s is no label of %s, or one inside of another block", clip(name), c.fn.name)
	}
	return l.at
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
	table := c.in.label(list.name)
	if table == nil || table.is != ".branchtargets" {
		c.failAt(list, "%s is no .branchtargets that is seen from here", clip(list.name))
	}
	c.ins.flow = flowBranch
	for _, t := range table.targets {
		c.ins.targets = append(c.ins.targets, c.base+c.target(t.text, t.position))
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
			for i := range lanesOf(left) {
				if w.r[index][i] == k {
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

// mostSleep is how many nanoseconds nanosleep takes at most (ISA 9.7.21.3).
const mostSleep = 1_000_000

func (c *compiler) nanosleep() {
	c.oneOf("u32")
	t := c.src(0, types["u32"])
	c.ins.switches = true
	c.ins.run = func(w *warp, m uint32) {
		longest := uint64(0)
		for i := range lanesOf(m) {
			longest = max(longest, w.r[t][i])
		}
		w.cta.slept += min(longest, mostSleep)
	}
}
