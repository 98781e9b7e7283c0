package emu

// ld, st and prefetch (ISA 9.7.9.8 to 9.7.9.13).

// A strength is what an access means for other threads.
type strength struct {
	sem   string // "", ".weak", ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".mmio"
	scope string // ".cta", ".cluster", ".gpu", ".sys"
}

func (s strength) strong() bool { return s.sem != "" && s.sem != ".weak" }

// wide reports whether other blocks are meant.
func (s strength) wide() bool { return s.scope != ".cta" && s.scope != ".cluster" }

func (c *compiler) strength(sems ...string) strength {
	s := strength{sem: c.take(sems...)}
	s.scope = c.take(".cta", ".cluster", ".gpu", ".sys")
	return s
}

// cacheHints drops what only says how caches should behave.
func (c *compiler) cacheHints() {
	if c.take(".L2::cache_hint", ".L1::cache_hint") != "" {
		// The policy is the last operand.
		c.in.args = c.in.args[:max(len(c.in.args)-1, 0)]
	}
	c.drop(".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt", ".L1::*", ".L2::*", ".unified", ".level::*")
}

// vec takes .v2, .v4 or .v8 and returns how many elements.
func (c *compiler) vec() int {
	if v := c.take(".v2", ".v4", ".v8"); v != "" {
		return int(v[2] - '0')
	}
	return 1
}

func (c *compiler) ld() {
	st := c.strength(".weak", ".volatile", ".relaxed", ".acquire", ".mmio")
	sp := c.space()
	constant := c.has(".nc")
	if constant && (sp != spaceGlobal || st.strong()) {
		c.fail(".nc is of ld.global, without .volatile and the like")
	}
	c.cacheHints()
	n := c.vec()
	t := c.typ()
	if t.class == classPred || t.size > 8 || n*t.size > 32 {
		c.fail("%d elements of %v are not loaded at once", n, t)
	}
	c.arity(2, 2)
	list := c.vector(0, n)
	sp = c.paramSpace(1, sp)
	at := c.addr(1, sp)
	var d []int
	var size []int
	for i := range list {
		d = append(d, c.dest(&list[i], t, true))
		size = append(size, c.regSize(&list[i], t))
	}
	ac := access{space: sp, kind: plainRead, does: "reads", size: n * t.size}
	if st.strong() {
		ac.kind = strongRead
	}
	if constant {
		ac.kind = constRead
	}
	c.ins.switches = sp != spaceParam
	c.ins.run = func(w *warp, m uint32) {
		b := &w.cta.bank
		b.size, b.lanes = ac.size, m
		for n := m; n != 0; n &= n - 1 {
			i := trailing(n) & 31
			addr := at.of(w, i)
			b.addr[i] = addr
			p := w.bytes(&ac, i, addr)
			for j, r := range d {
				v := little(p[j*t.size : (j+1)*t.size])
				if t.signed() {
					v = uint64(signExtend(v, t.size)) & maskOf(size[j])
				}
				w.r[r][i] = v
			}
			if st.strong() {
				w.acquire(i, sp, addr, st)
			}
		}
		w.cta.count(w.pc, sp)
	}
}

// paramSpace is the space of an address: a .param variable of a function is in the
// memory of the thread.
func (c *compiler) paramSpace(i int, sp space) space {
	if sp != spaceParam {
		return sp
	}
	a := c.arg(i)
	if v := c.in.scope.lookup(a.name); v != nil && v.space == spaceParam && !(c.fn.entry && v.owner == c.fn.scope) {
		return spaceLocal
	}
	return sp
}

func (c *compiler) st() {
	st := c.strength(".weak", ".volatile", ".relaxed", ".release", ".mmio")
	sp := c.space()
	c.cacheHints()
	n := c.vec()
	t := c.typ()
	if t.class == classPred || t.size > 8 || n*t.size > 32 {
		c.fail("%d elements of %v are not stored at once", n, t)
	}
	if sp == spaceConst {
		c.fail("constant memory is not written")
	}
	c.arity(2, 2)
	sp = c.paramSpace(0, sp)
	at := c.addr(0, sp)
	list := c.vector(1, n)
	var s []int
	for i := range list {
		s = append(s, c.sourceAs(&list[i], t, true))
	}
	ac := access{space: sp, kind: plainWrite, does: "writes", size: n * t.size}
	if st.strong() {
		ac.kind = atomicOp
	}
	c.ins.switches = true
	c.ins.run = func(w *warp, m uint32) {
		b := &w.cta.bank
		b.size, b.lanes = ac.size, m
		for n := m; n != 0; n &= n - 1 {
			i := trailing(n) & 31
			addr := at.of(w, i)
			b.addr[i] = addr
			p := w.bytes(&ac, i, addr)
			for j, r := range s {
				putLittle(p[j*t.size:(j+1)*t.size], w.r[r][i])
			}
			if st.strong() {
				w.publish(i, sp, addr, st, false)
			}
		}
		w.cta.count(w.pc, sp)
		if st.strong() {
			w.cta.events++
			w.clock++
		}
	}
}

// prefetch and its like do nothing that can be seen.
func (c *compiler) prefetch() {
	c.mods = nil
	c.ins.run = func(*warp, uint32) {}
}
