package emu

// The operations that lanes of a warp do together (ISA 9.7.9.6, 9.7.13.3 to 9.7.13.9).
// Only bar.warp.sync orders memory.

// collective makes c.ins an instruction that the lanes in a member mask execute
// together. Lanes wait until all of them, except those that have exited, are there.
func (c *compiler) collective(mask *argText, run func(w *warp, m uint32)) {
	slot := c.source(mask, types["b32"])
	c.ins.switches = true
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		w := s.w
		need := uint32(w.r[slot][trailing(m)])
		same := true
		for i := range lanesOf(m) {
			mine := uint32(w.r[slot][i])
			if mine>>i&1 == 0 {
				w.fault(BadBarrier, i, "the member mask is %#x, without lane %d that executes it", mine, i)
			}
			if missing := mine &^ w.exists; missing != 0 && mine != fullMask {
				w.fault(BadBarrier, i, "the member mask %#x has lanes that the warp does not have", mine)
			}
			same = same && mine == need
		}
		if !same {
			return w.groups(s, m, slot, run)
		}
		if need &= w.live; need == m {
			run(w, m)
			w.define(&c.prog.code[s.pc], m)
			return goOn
		}
		s.wait, s.need, s.has, s.run = waitLanes, need, m, run
		c.regroup(s)
		c.summon(w)
		return stop
	}
}

// groups runs a collective whose lanes have several masks. Each mask has to be
// complete.
func (w *warp) groups(s *split, m uint32, slot int, run func(w *warp, m uint32)) signal {
	for left := m; left != 0; {
		g := uint32(w.r[slot][trailing(left)]) & w.live
		for i := range lanesOf(g & m) {
			if uint32(w.r[slot][i])&w.live != g {
				w.fault(BadBarrier, i, "lanes that name each other have different member masks")
			}
		}
		if g&^m != 0 {
			w.fault(Diverged, trailing(left), "lanes %#x of the member mask are elsewhere", g&^m)
		}
		run(w, g)
		left &^= g
	}
	w.define(&w.cta.prog.code[s.pc], m)
	return goOn
}

// regroup lets the lanes that wait where s waits go on if all are there.
func (c *cta) regroup(s *split) {
	w := s.w
	need, has := s.need&w.live, uint32(0)
	mine := func(o *split) bool { return o.wait == waitLanes && o.pc == s.pc && o.need&w.live == need }
	for _, o := range w.splits {
		if mine(o) {
			has |= o.has
		}
	}
	if has != need {
		return
	}
	w.pc = s.pc
	s.run(w, has)
	w.release()
	w.define(&c.prog.code[s.pc], has)
	pc := s.pc
	for _, o := range w.splits {
		if o.wait == waitLanes && o.pc == pc && o.need&w.live == need {
			o.wait = waitNone
			o.pc++
			c.ready = append(c.ready, o)
		}
	}
}

func (c *compiler) barWarp() {
	if !c.has(".sync") {
		c.fail("bar.warp is bar.warp.sync")
	}
	c.arity(1, 1)
	c.collective(c.arg(0), func(w *warp, m uint32) {
		var g gathering
		g.add(w, m)
		g.sum.seal()
		w.give(g.sum, m, true)
		w.clock++
	})
}

func (c *compiler) sync() {
	if !c.has(".sync") {
		c.fail("the form without .sync is gone since sm_70")
	}
}

// shfl d|p, a, b, c, mask (ISA 9.7.9.6).
func (c *compiler) shfl() {
	c.sync()
	mode := c.one(".up", ".down", ".bfly", ".idx")
	t := c.oneOf("b32")
	c.arity(5, 5)
	d := c.dst(0, t)
	p := -1
	if pair := c.arg(0).pair; pair != nil {
		p = c.predDst(pair)
	}
	a, b, k := c.src(1, t), c.src(2, t), c.src(3, t)
	c.collective(c.arg(4), func(w *warp, m uint32) {
		var out [32]uint64
		ok := uint32(0)
		for i := range lanesOf(m) {
			bv, cv := int(w.r[b][i]&31), int(w.r[k][i]&31)
			seg := int(w.r[k][i] >> 8 & 31)
			last, first := i&seg|cv&^seg, i&seg
			j := 0
			var in bool
			switch mode {
			case ".up":
				j = i - bv
				in = j >= last
			case ".down":
				j = i + bv
				in = j <= last
			case ".bfly":
				j = i ^ bv
				in = j <= last
			default:
				j = first | bv&^seg
				in = j <= last
			}
			if !in {
				j = i
			} else {
				ok |= 1 << i
			}
			if m>>j&1 == 0 {
				w.fault(UninitReg, i, "takes the value of lane %d, which does not take part", j)
			}
			out[i] = w.r[a][j]
		}
		for i := range lanesOf(m) {
			w.r[d][i] = out[i]
		}
		w.setPred(p, m, ok)
	})
}

func (c *compiler) vote() {
	c.sync()
	mode := c.take(".all", ".any", ".uni", ".ballot")
	t := c.oneOf("pred b32")
	if mode == "" || (mode == ".ballot") != (t.size == 4) {
		c.fail("wants .all, .any, .uni with .pred or .ballot with .b32")
	}
	c.arity(3, 3)
	d, p := -1, -1
	if mode == ".ballot" {
		d = c.dst(0, t)
	} else {
		p = c.predDst(c.arg(0))
	}
	a, not := c.predSrc(c.arg(1))
	c.collective(c.arg(2), func(w *warp, m uint32) {
		v := w.pred(a, not) & m
		if mode == ".ballot" {
			w.setReg(d, m, uint64(v))
			return
		}
		yes := v == m
		switch mode {
		case ".any":
			yes = v != 0
		case ".uni":
			yes = v == 0 || v == m
		}
		w.setPred(p, m, -uint32(btoi(yes)))
	})
}

func (c *compiler) match() {
	mode := c.one(".any", ".all")
	c.sync()
	t := c.oneOf("b32 b64")
	c.arity(3, 3)
	d := c.dst(0, types["b32"])
	p := -1
	if pair := c.arg(0).pair; pair != nil {
		p = c.predDst(pair)
	}
	a := c.src(1, t)
	c.collective(c.arg(2), func(w *warp, m uint32) {
		all := uint32(0)
		for i := range lanesOf(m) {
			same := uint32(0)
			for j := range lanesOf(m) {
				if w.r[a][j] == w.r[a][i] {
					same |= 1 << j
				}
			}
			if mode == ".all" {
				if same != m {
					same = 0
				} else {
					all = m
				}
			}
			w.r[d][i] = uint64(same)
		}
		w.setPred(p, m, all)
	})
}

func (c *compiler) activemask() {
	c.oneOf("b32")
	c.arity(1, 1)
	d := c.dst(0, types["b32"])
	c.ins.run = func(w *warp, m uint32) {
		w.setReg(d, m, uint64(m))
	}
}

func (c *compiler) redux() {
	c.sync()
	op := c.take(".add", ".min", ".max", ".and", ".or", ".xor")
	t := c.oneOf("u32 s32 b32")
	if op == "" || (t.class == classBits) != (op == ".and" || op == ".or" || op == ".xor") {
		c.fail("%s has no type %v", op, t)
	}
	c.arity(3, 3)
	d, a := c.dst(0, t), c.src(1, t)
	f := reduction(op, t)
	c.collective(c.arg(2), func(w *warp, m uint32) {
		v := w.r[a][trailing(m)]
		for i := range lanesOf(m & (m - 1)) {
			v = f(v, w.r[a][i])
		}
		w.setReg(d, m, v)
	})
}

// elect chooses one lane of the mask, here the first.
func (c *compiler) elect() {
	c.sync()
	c.arity(2, 2)
	a := c.arg(0)
	if a.pair == nil {
		c.failAt(a, "wants a register or _, |, and a predicate")
	}
	d := c.destOrSink(a, types["b32"], false)
	p := c.predDst(a.pair)
	c.collective(c.arg(1), func(w *warp, m uint32) {
		w.setReg(d, m, uint64(trailing(m)))
		w.setPred(p, m, m&-m)
	})
}
