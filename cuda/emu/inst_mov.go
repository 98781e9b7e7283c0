package emu

// mov, cvta and isspacep (ISA 9.7.9).

func (c *compiler) mov() {
	if vec := c.take(".v2", ".v4"); vec != "" {
		c.movVector(int(vec[2] - '0'))
		return
	}
	t := c.oneOf("pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64")
	c.arity(2, 2)
	d, a := c.arg(0), c.arg(1)
	to, from := c.together(d), c.together(a)
	switch {
	case (from != nil || to != nil) && t.class != classBits:
		c.fail("%v is not put together of parts: .b32 and .b64 are", t)
	case from != nil && to != nil:
		c.fail("has parts on both sides: mov.v2 and mov.v4 move vectors")
	case t.class == classPred:
		p := c.predDst(d)
		if a.kind == argInt {
			v := uint32(0)
			if a.bits != 0 {
				v = fullMask
			}
			c.ins.run = func(w *warp, m uint32) { w.setPred(p, m, v) }
			return
		}
		if a.kind == argName && a.name == explicitCluster && !a.not {
			c.require(78, 90)
			v := uint32(0)
			if c.prog.fn.cluster[0] > 0 {
				v = fullMask
			}
			c.ins.run = func(w *warp, m uint32) { w.setPred(p, m, v) }
			return
		}
		s, not := c.predSrc(a)
		c.ins.run = func(w *warp, m uint32) { w.setPred(p, m, w.pred(s, not)) }
	case from != nil:
		c.pack(t, from)
	case to != nil:
		c.unpack(t, to)
	default:
		s := c.source(a, t)
		dst := c.dst(0, t)
		c.ins.run = func(w *warp, m uint32) {
			D, A := &w.r[dst], &w.r[s]
			if m == fullMask {
				*D = *A
				return
			}
			for ; m != 0; m &= m - 1 {
				i := trailing(m) & 31
				D[i] = A[i]
			}
		}
	}
}

// together returns the parts of {a, b} or of a vector of registers, or nil.
func (c *compiler) together(a *argText) []argText {
	if a.kind == argVector {
		return a.list
	}
	return c.parts(a)
}

// movVector is mov.v2 and mov.v4, between vectors of registers.
func (c *compiler) movVector(n int) {
	t := c.oneOf("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 b8 u8 s8")
	c.arity(2, 2)
	s := c.sources(1, n, t)
	d := c.dests(0, n, t)
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			var v [4]uint64 // the two may share registers
			for j, r := range s {
				v[j] = w.r[r][i]
			}
			for j, r := range d {
				w.r[r][i] = v[j]
			}
		}
	}
}

// elements returns the type of n parts of a register of type t.
func (c *compiler) elements(t typ, n int) typ {
	if n == 0 || t.size%n != 0 || bitsOf(t.size/n).name == "" {
		c.fail("%v has no %d parts", t, n)
	}
	return bitsOf(t.size / n)
}

func (c *compiler) pack(t typ, list []argText) {
	e := c.elements(t, len(list))
	var s []int
	for i := range list {
		s = append(s, c.source(&list[i], e))
	}
	d := c.dst(0, t)
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			v := uint64(0)
			for j := range s {
				v |= w.r[s[j]][i] << (j * e.bits())
			}
			w.r[d][i] = v
		}
	}
}

func (c *compiler) unpack(t typ, list []argText) {
	e := c.elements(t, len(list))
	s := c.src(1, t)
	c.wanted(list)
	var d []int
	for i := range list {
		d = append(d, c.destOrSink(&list[i], e, false))
	}
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			v := w.r[s][i]
			for j := range d {
				w.r[d[j]][i] = v >> (j * e.bits()) & maskOf(e.size)
			}
		}
	}
}

// windows are where the state spaces lie in generic addresses.
var windows = map[space]uint64{spaceShared: sharedAt, spaceLocal: localAt, spaceParam: paramAt, spaceGlobal: 0, spaceConst: 0}

func (c *compiler) cvta() {
	to := c.has(".to")
	sp := c.space()
	if sp == spaceGeneric {
		c.fail("a state space is missing")
	}
	t := c.oneOf("u32 u64")
	if t.size != 8 {
		c.fail("addresses have 64 bits here: .u64")
	}
	base := windows[sp]
	if to {
		base = -base
	}
	c.unary(t, t, func(x uint64) uint64 { return x + base })
}

func (c *compiler) isspacep() {
	sp := c.space()
	c.arity(2, 2)
	s := c.src(1, types["b64"])
	c.ins.run = test(c.predDst(c.arg(0)), s, s, func(x, _ uint64) bool {
		is, _ := resolve(spaceGeneric, x)
		return is == sp
	}, nil, -1)
}
