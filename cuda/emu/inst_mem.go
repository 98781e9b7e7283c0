package emu

import (
	"slices"
	"strings"
)

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
	if s.sem == ".mmio" {
		c.take(".relaxed")
	}
	s.scope = c.take(".cta", ".cluster", ".gpu", ".sys")
	return s
}

// cacheHints drops what only says how caches should behave.
func (c *compiler) cacheHints() {
	if c.take(".L2::cache_hint", ".L1::cache_hint") != "" {
		// The policy is the last operand.
		c.source(c.arg(len(c.in.args)-1), types["b64"])
		c.in.args = c.in.args[:len(c.in.args)-1]
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
	c.movable(t, n, sp, st)
	c.arity(2, 2)
	list := c.vector(0, n)
	c.wanted(list)
	sp = c.paramSpace(1, sp)
	at := c.addr(1, sp)
	var d []int
	var size []int
	for i := range list {
		d = append(d, c.destOrSink(&list[i], t, true))
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

// movable refuses what one instruction cannot load or store. Above 16 bytes that is
// everything except 32 bytes of global memory.
func (c *compiler) movable(t typ, n int, sp space, st strength) {
	c.want(t, "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64")
	switch bytes := n * t.size; {
	case bytes > 32:
		c.fail("%d elements of %v are more than 32 bytes", n, t)
	case st.sem == ".mmio" && n > 1:
		c.fail(".mmio is of one element")
	case bytes < 32 && slices.ContainsFunc(c.in.mods, func(m string) bool { return strings.HasPrefix(m, ".L2::evict_") }):
		c.fail("an eviction priority of .L2 is for 32 bytes at once")
	case bytes > 16:
		c.require(88, 100)
		if sp != spaceGlobal && sp != spaceGeneric || c.in.op == "ldu" {
			c.fail("%d bytes at once are for ld and st of .global", bytes)
		}
	case n > 4:
		c.fail("%d elements of %v: .v8 is of 32 bits each", n, t)
	}
}

// paramSpace is the space of an address: a .param variable of a function is in the
// memory of the thread.
func (c *compiler) paramSpace(i int, sp space) space {
	if sp != spaceParam {
		return sp
	}
	a := c.arg(i)
	if v := c.in.lookup(a.name); v != nil && v.space == spaceParam && !(c.fn.entry && v.formal) {
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
	c.movable(t, n, sp, st)
	if sp == spaceConst {
		c.fail("constant memory is not written")
	}
	c.arity(2, 2)
	sp = c.paramSpace(0, sp)
	if v := c.in.lookup(c.arg(0).name); sp == spaceParam && v != nil && v.space == spaceParam {
		c.failAt(c.arg(0), "%s is a parameter of the kernel, which is not written", clip(v.name))
	}
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
		w.stores = storing{slots: s, mask: maskOf(t.size)}
		for n := m; n != 0; n &= n - 1 {
			i := trailing(n) & 31
			addr := at.of(w, i)
			b.addr[i] = addr
			p := w.bytes(&ac, i, addr)
			for j, r := range s {
				putLittle(p[j*t.size:(j+1)*t.size], w.r[r][i])
			}
			w.stores.done |= 1 << i
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
	if c.in.op == "prefetch" && !c.anyOf(".L1", ".L2", ".L2::evict_last", ".L2::evict_normal", ".tensormap") {
		c.fail("one of .L1 and .L2 is missing")
	}
	c.mods = nil
	c.ins.run = func(*warp, uint32) {}
}
