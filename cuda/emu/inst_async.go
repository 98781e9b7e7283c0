package emu

import "fmt"

// cp.async (ISA 9.7.9.25.3). A copy is carried out at its issue, or when its thread
// waits for it. Until then nobody may touch the destination or write the source. Whoever
// knows that knows the agent that copies (see vclock). Its thread knows it by a wait for
// the group. Others know it who wait for the mbarrier at which cp.async.mbarrier.arrive
// arrived for it.

// An asyncCopy is a cp.async of a warp. The lanes in mask have not waited for it.
type asyncCopy struct {
	mask  uint32
	pc    int
	size  int
	src   [32]uint64
	dst   [32]uint64
	bytes [32]uint8 // from the source; the rest is zero
	group [32]uint32
	done  uint32 // lanes that were carried out already
	seq   uint32 // its number among those of its warp, from 1: the clock of the agent
}

// cp makes cp.async and its groups. Bulk copies have a place of their own.
func (c *compiler) cp() {
	if !c.has(".async") {
		c.fail("cp is cp.async")
	}
	switch {
	case c.has(".commit_group"):
		c.arity(0, 0)
		c.ins.run = func(w *warp, m uint32) {
			for i := range lanesOf(m) {
				w.group[i]++
			}
		}
	case c.has(".wait_group"):
		c.arity(1, 1)
		a := c.arg(0)
		if a.kind != argInt || a.bits > 1<<20 {
			c.failAt(a, "the number of groups is a constant")
		}
		n := uint32(a.bits)
		c.ins.switches = true
		c.ins.run = func(w *warp, m uint32) { w.waitGroup(m, n) }
	case c.has(".wait_all"):
		c.arity(0, 0)
		c.ins.switches = true
		c.ins.run = func(w *warp, m uint32) { w.waitAll(m) }
	case c.has(".mbarrier"):
		c.copyArrive()
	default:
		c.cpAsync()
	}
}

func (c *compiler) cpAsync() {
	c.prog.copies = true
	cache := c.one(".ca", ".cg")
	if c.take(".shared", ".shared::cta") == "" || !c.has(".global") {
		c.fail("copies from .global to .shared only")
	}
	c.cacheHints()
	c.arity(3, 4)
	a := c.arg(2)
	if a.kind != argInt || a.bits != 4 && a.bits != 8 && a.bits != 16 || cache == ".cg" && a.bits != 16 {
		c.failAt(a, "the size is 16, or 4 or 8 with .ca")
	}
	size := int(a.bits)
	to, from := c.addr(0, spaceShared), c.addr(1, spaceGlobal)
	read, ignore, not := -1, -1, false
	if len(c.in.args) == 4 {
		b := c.arg(3)
		if v := c.register(b); v != nil && v.typ.class == classPred {
			c.require(75, 80)
			ignore, not = c.predSrc(b)
		} else {
			if b.kind == argInt && b.bits > uint64(size) {
				c.failAt(b, "src-size is %d, more than the %d bytes that are copied", b.bits, size)
			}
			read = c.source(b, types["b32"])
		}
	}
	c.ins.switches = true
	c.ins.run = func(w *warp, m uint32) {
		cp := w.newCopy()
		w.seq++
		cp.mask, cp.pc, cp.size, cp.done, cp.seq = m, w.pc, size, 0, w.seq
		bank := &w.cta.bank
		bank.size = size
		reads := uint32(0)
		for i := range lanesOf(m) {
			cp.dst[i], cp.src[i], cp.group[i] = to.of(w, i), from.of(w, i), w.group[i]
			n := uint64(size)
			if read >= 0 {
				if n = w.r[read][i]; n > uint64(size) {
					w.fault(Bounds, i, "src-size is %d, more than the %d bytes that are copied", n, size)
				}
			}
			if ignore >= 0 && w.pred(ignore, not)>>i&1 != 0 {
				n = 0
			}
			cp.bytes[i] = uint8(n)
			w.issue(cp, i)
			bank.addr[i] = cp.dst[i]
			if n > 0 {
				reads |= 1 << i
			}
		}
		bank.lanes = m
		w.cta.countShared(w.pc)
		if bank.lanes = reads; reads != 0 {
			bank.addr = cp.src
			w.cta.countGlobal(w.pc)
		}
		w.copies = append(w.copies, cp)
		early := w.cta.launch.dev.opt.Async
		if early == Earliest || early == Random && w.cta.coin() {
			for i := range lanesOf(m) {
				w.carryOut(cp, i)
			}
		}
	}
}

// coin is a choice of the seed.
func (c *cta) coin() bool {
	if c.rng == nil {
		c.flips++
		return c.flips&1 == 0
	}
	return c.rng.Uint32()&1 == 0
}

func (w *warp) newCopy() *asyncCopy {
	if n := len(w.spare); n > 0 {
		cp := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return cp
	}
	return &asyncCopy{}
}

// issue checks the copy of a lane and leaves the traces of one in flight.
func (w *warp) issue(cp *asyncCopy, i int) {
	s := &w.cta.shared
	if (cp.dst[i]|cp.src[i])&uint64(cp.size-1) != 0 {
		w.fault(Misaligned, i, "copies %d bytes from %#x to the shared address %#x; both have to be multiples of %d", cp.size, cp.src[i], cp.dst[i], cp.size)
	}
	off := cp.dst[i] - sharedBase
	if cp.dst[i] < sharedBase || off > uint64(len(s.data)) || uint64(cp.size) > uint64(len(s.data))-off {
		w.fault(Bounds, i, "copies %d bytes to offset %d of shared memory, which has %d bytes", cp.size, int64(off), len(s.data))
	}
	w.inside(i, "copies to", int(off), cp.size)
	n := int(cp.bytes[i])
	ac := access{space: spaceGlobal, kind: asyncRead, does: "copies from", size: cp.size}
	if n > 0 {
		w.source(&ac, i, cp.src[i], n)
	}
	if !w.cta.checks {
		return
	}
	a := w.actor(i, asyncWrite)
	for j := range cp.size / 4 {
		if x := s.shadow.touch(int(off)/4+j, a, 15); x != nil {
			w.racing(i, fmt.Sprintf("copies to %d bytes at offset %d of shared memory", cp.size, off), x)
		}
	}
}

// source checks the n bytes of global memory that a copy reads, of which n need not
// be a power of two.
func (w *warp) source(ac *access, i int, addr uint64, n int) {
	for n > 0 {
		part := *ac
		part.size = 1
		for part.size*2 <= n && addr&uint64(part.size*2-1) == 0 {
			part.size *= 2
		}
		w.globalBytes(&part, i, addr)
		if w.cta.checks {
			buf := w.buf
			if at := int(addr - buf.at); !buf.written.all(at, part.size) {
				w.fault(UninitMemory, i, "copies %d bytes from offset %d of %v: %s was never written", part.size, at, buf, firstUnset(buf.written, at, part.size))
			}
		}
		addr, n = addr+uint64(part.size), n-part.size
	}
}

// carryOut moves the bytes of a lane's copy.
func (w *warp) carryOut(cp *asyncCopy, i int) {
	if cp.done>>i&1 != 0 {
		return
	}
	cp.done |= 1 << i
	s := &w.cta.shared
	off := int(cp.dst[i] - sharedBase)
	dst := s.data[off : off+cp.size]
	n := int(cp.bytes[i])
	if n > 0 {
		b := w.findBuffer(cp.src[i], n)
		at := int(cp.src[i] - b.at)
		w.hold(&b.pages[at/pageBytes])
		copy(dst[:n], b.data[at:at+n])
	}
	clear(dst[n:])
	s.written.set(off, cp.size)
}

// A landing is the copies of a lane up to seq, which are in groups up to group. They were carried out for an
// mbarrier, and the lane has not waited for them.
type landing struct{ group, seq uint32 }

// How many landings of a lane are remembered. Beyond it the two oldest count as one: a race may be missed, none is made up.
const maxLandings = 32

// land carries out the copies of a lane up to seq, for an mbarrier.
func (w *warp) land(lane int, seq uint32) {
	w.end(1<<lane, func(cp *asyncCopy, i int) bool {
		if cp.seq > seq {
			return false
		}
		l := w.landings[i]
		switch {
		case len(l) > 0 && l[len(l)-1].group == cp.group[i]:
			l[len(l)-1].seq = cp.seq
		case len(l) == maxLandings:
			l[0].seq = l[1].seq
			copy(l[1:], l[2:])
			l[len(l)-1] = landing{cp.group[i], cp.seq}
		default:
			w.landings[i] = append(l, landing{cp.group[i], cp.seq})
		}
		return true
	})
}

// await ends the copies of lanes in groups for which done is true: the lanes waited for them.
func (w *warp) await(m uint32, done func(group uint32, lane int) bool) {
	w.end(m, func(cp *asyncCopy, i int) bool {
		if !done(cp.group[i], i) {
			return false
		}
		w.waited[i] = max(w.waited[i], cp.seq)
		return true
	})
	for i := range lanesOf(m) {
		for len(w.landings[i]) > 0 && done(w.landings[i][0].group, i) {
			w.waited[i] = max(w.waited[i], w.landings[i][0].seq)
			w.landings[i] = w.landings[i][1:]
		}
	}
}

// end carries out the copies of lanes for which done is true.
func (w *warp) end(m uint32, done func(cp *asyncCopy, i int) bool) {
	keep := w.copies[:0]
	for _, cp := range w.copies {
		for i := range lanesOf(cp.mask & m) {
			if done(cp, i) {
				w.carryOut(cp, i)
				cp.mask &^= 1 << i
			}
		}
		if cp.mask != 0 {
			keep = append(keep, cp)
		} else {
			w.spare = append(w.spare, cp)
		}
	}
	w.copies = keep
}

// waitGroup waits for all but the n newest groups of each lane.
func (w *warp) waitGroup(m, n uint32) {
	w.await(m, func(group uint32, i int) bool { return group+n < w.group[i] })
}

// waitAll waits for every copy of the lanes, committed or not.
func (w *warp) waitAll(m uint32) {
	w.await(m, func(uint32, int) bool { return true })
}
