package emu

import "fmt"

// mbarrier (ISA 9.7.13.15).

// An mbarrier is one of the block's barrier objects in shared memory.
type mbarrier struct {
	offset   int
	expected int // arrivals of a phase
	pending  int // of this phase
	tx       int64
	phase    uint64 // phases that have completed
	meeting  gathering
	known    *vclock // what the threads knew that completed the last phase
	waiting  []*split
}

func (b *mbarrier) state() string {
	return fmt.Sprintf(" (mbarrier at offset %d of shared memory: phase %d, %d of %d arrivals and %d bytes pending)",
		b.offset, b.phase, b.pending, b.expected, b.tx)
}

// A deferred arrival is that of cp.async.mbarrier.arrive. It lets those that wait know the copies before the instruction and what
// its thread knew and did until then, whenever it comes.
type deferred struct {
	w     *warp
	lane  int
	pc    int
	known *vclock // what the thread knew
	clock uint32
	seq   uint32 // the last copy before it
	bar   *mbarrier
	since int64 // steps of the block
}

const maxArrivals = 1<<20 - 1

// mbarrierAt checks the address of a lane and returns the object there, or nil.
func (w *warp) mbarrierAt(ac *access, lane int, addr uint64) *mbarrier {
	w.bytes(ac, lane, addr)
	_, addr = resolve(ac.space, addr)
	off := int(addr - sharedBase)
	b := w.cta.mbars[off]
	if b == nil && ac.kind != plainWrite {
		w.fault(BadBarrier, lane, "there is no mbarrier at offset %d of shared memory: mbarrier.init makes one", off)
	}
	return b
}

func (c *compiler) mbarrier() {
	op := c.need("an operation such as .init",
		".init", ".inval", ".arrive", ".arrive_drop", ".expect_tx", ".complete_tx", ".test_wait", ".try_wait", ".pending_count")
	expect := op != ".expect_tx" && c.has(".expect_tx")
	c.take(".noComplete")
	parity := c.has(".parity")
	c.strength(".release", ".acquire", ".relaxed")
	sp := spaceGeneric
	if c.take(".shared", ".shared::cta", ".shared::cluster") != "" {
		sp = spaceShared
	}
	c.want(c.typ(), "b64")
	c.ins.switches = true
	u32, u64 := types["b32"], types["b64"]
	update := access{space: sp, kind: atomicOp, does: "uses the mbarrier of", size: 8}
	// each runs f for every lane with its object.
	each := func(at addressing, f func(w *warp, i int, b *mbarrier)) {
		c.ins.run = func(w *warp, m uint32) {
			for i := range lanesOf(m) {
				f(w, i, w.mbarrierAt(&update, i, at.of(w, i)))
			}
			w.clock++
			w.cta.events++
		}
	}
	switch op {
	case ".init":
		c.arity(2, 2)
		c.mbarrierInit(c.addr(0, sp), c.src(1, u32), sp)
	case ".inval":
		c.arity(1, 1)
		each(c.addr(0, sp), func(w *warp, i int, b *mbarrier) { delete(w.cta.mbars, b.offset) })
	case ".arrive", ".arrive_drop":
		c.arity(2, 3)
		d := -1
		if c.arg(0).kind != argSink {
			d = c.dst(0, u64)
		}
		n := -1
		if len(c.in.args) == 3 {
			n = c.src(2, u32)
		} else if expect {
			c.fail("the number of bytes is missing")
		}
		each(c.addr(1, sp), func(w *warp, i int, b *mbarrier) {
			if d >= 0 {
				w.r[d][i] = b.phase | uint64(b.pending)<<40
			}
			count := 1
			if n >= 0 && expect {
				b.expectTx(w, i, int64(w.r[n][i]))
			} else if n >= 0 {
				count = int(w.r[n][i])
			}
			if op == ".arrive_drop" {
				b.expected -= count
			}
			b.arrive(w, i, count)
		})
	case ".expect_tx", ".complete_tx":
		c.arity(2, 2)
		at, n := c.addr(0, sp), c.src(1, u32)
		each(at, func(w *warp, i int, b *mbarrier) {
			v := int64(w.r[n][i])
			if op == ".complete_tx" {
				v = -v
			}
			b.expectTx(w, i, v)
			b.complete(w.cta)
		})
	case ".pending_count":
		c.unary(u32, u64, func(x uint64) uint64 { return x >> 40 })
	default:
		c.arity(3, 4)
		want := u64
		if parity {
			want = u32
		}
		p := c.predDst(c.arg(0))
		at, s := c.addr(1, sp), c.src(2, want)
		if len(c.in.args) == 4 {
			c.src(3, u32)
		}
		c.mbarrierWait(op == ".try_wait", parity, p, at, s, &update)
	}
}

func (c *compiler) mbarrierInit(at addressing, n int, sp space) {
	ac := access{space: sp, kind: plainWrite, does: "makes an mbarrier of", size: 8}
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			if b := w.mbarrierAt(&ac, i, at.of(w, i)); b != nil {
				w.fault(BadBarrier, i, "there is an mbarrier at offset %d already: mbarrier.inval ends it", b.offset)
			}
			count := int(uint32(w.r[n][i]))
			if count < 1 || count > maxArrivals {
				w.fault(BadBarrier, i, "an mbarrier of %d arrivals; 1 to 2^20-1 are possible", count)
			}
			_, addr := resolve(sp, at.of(w, i))
			if w.cta.mbars == nil {
				w.cta.mbars = map[int]*mbarrier{}
			}
			off := int(addr - sharedBase)
			w.cta.mbars[off] = &mbarrier{offset: off, expected: count, pending: count}
		}
	}
}

// arrive is n arrivals of a lane.
func (b *mbarrier) arrive(w *warp, lane, n int) {
	b.count(w, lane, n)
	b.meeting.add(w, 1<<lane)
	b.complete(w.cta)
}

// count takes n arrivals of a lane off those that are pending.
func (b *mbarrier) count(w *warp, lane, n int) {
	if n < 1 || n > b.pending {
		w.fault(BadBarrier, lane, "%d arrivals at the mbarrier at offset %d, of which phase %d waits for %d more: somebody arrives without waiting for the phase before",
			n, b.offset, b.phase, b.pending)
	}
	b.pending -= n
}

func (b *mbarrier) expectTx(w *warp, lane int, n int64) {
	b.tx += n
	if b.tx > maxArrivals || b.tx < -maxArrivals {
		w.fault(BadBarrier, lane, "the mbarrier at offset %d expects %d bytes; at most 2^20-1 are possible", b.offset, b.tx)
	}
	if b.meeting.sum == nil || n > 0 {
		b.meeting.add(w, 1<<lane)
	}
}

// complete ends the phase if nothing is pending.
func (b *mbarrier) complete(c *cta) {
	if b.pending > 0 || b.tx != 0 {
		return
	}
	b.phase++
	b.pending = b.expected
	b.known = b.meeting.sum
	if b.known != nil {
		b.known.seal()
	}
	b.meeting = gathering{}
	for _, s := range b.waiting {
		if s.wait == waitMbarrier && s.at == b {
			s.wait, s.at = waitNone, nil
			c.ready = append(c.ready, s)
		}
	}
	b.waiting = b.waiting[:0]
	c.events++
}

// mbarrierWait makes test_wait and try_wait. A lane that finds the phase complete
// knows what those knew that arrived.
func (c *compiler) mbarrierWait(try, parity bool, p int, at addressing, state int, ac *access) {
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		w := s.w
		done := uint32(0)
		var open *mbarrier
		for i := range lanesOf(m) {
			b := w.mbarrierAt(ac, i, at.of(w, i))
			v := w.r[state][i]
			ok := b.phase > v&(1<<40-1)
			if parity {
				if v > 1 {
					w.fault(BadBarrier, i, "the parity is %d; 0 and 1 are possible", v)
				}
				ok = b.phase&1 != v
			}
			if !ok {
				open = b
				continue
			}
			done |= 1 << i
			if b.known != nil {
				w.learn(i, b.known)
			}
		}
		// Waiting threads are put aside, so that a deadlock is found. A test may
		// fail once before.
		if done == 0 && !s.late && (try || s.poll == c.events+1) {
			s.wait, s.at = waitMbarrier, open
			open.waiting = append(open.waiting, s)
			return stop // and then the instruction again
		}
		s.late = false
		s.poll = c.events + 1
		w.setPred(p, m, done)
		w.define(&c.prog.code[s.pc], m)
		return goOn
	}
}

// copyArrive makes cp.async.mbarrier.arrive: an arrival when all copies that the
// thread issued before are done.
func (c *compiler) copyArrive() {
	if !c.has(".arrive") {
		c.fail("cp.async.mbarrier is cp.async.mbarrier.arrive")
	}
	noinc := c.has(".noinc")
	sp := spaceGeneric
	if c.take(".shared", ".shared::cta") != "" {
		sp = spaceShared
	}
	c.want(c.typ(), "b64")
	c.arity(1, 1)
	at := c.addr(0, sp)
	ac := access{space: sp, kind: atomicOp, does: "uses the mbarrier of", size: 8}
	c.ins.switches = true
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			b := w.mbarrierAt(&ac, i, at.of(w, i))
			if !noinc {
				b.pending++
			}
			d := deferred{w: w, lane: i, pc: w.pc, known: w.vc[i], clock: w.clock, seq: w.seq, bar: b, since: w.cta.steps}
			if w.cta.launch.dev.opt.Async == Earliest {
				w.cta.deliver(d)
			} else {
				w.cta.deferred = append(w.cta.deferred, d)
			}
		}
		w.clock++
		w.cta.events++
	}
}

// deliver carries out the copies of a deferred arrival and arrives.
func (c *cta) deliver(d deferred) {
	w, pc := d.w, d.w.pc
	w.pc = d.pc
	w.land(d.lane, d.seq)
	d.bar.count(w, d.lane, 1)
	m := &d.bar.meeting
	m.merge(d.known)
	m.raise(32*w.id+d.lane, d.clock)
	if c.prog.copies {
		m.raise(32*w.agent()+d.lane, d.seq)
	}
	d.bar.complete(c)
	w.pc = pc
}

// deliverFirst delivers the arrival that is late for longest.
func (c *cta) deliverFirst() {
	d := c.deferred[0]
	c.deferred = c.deferred[1:]
	c.deliver(d)
	d.w.release()
}

// deliverOverdue delivers what is late for so long that threads may spin for what follows from it: it comes at some time,
// whatever they do.
func (c *cta) deliverOverdue() {
	for len(c.deferred) > 0 && c.steps-c.deferred[0].since > int64(patience*len(c.warps)) {
		c.deliverFirst()
	}
}

// wake lets something happen when no thread can go on: copies that were late arrive,
// or waits for mbarriers give up for once. It reports whether there was anything.
func (c *cta) wake() bool {
	if len(c.deferred) > 0 {
		c.deliverFirst()
		return true
	}
	if c.seen == c.events {
		c.idle++
	} else {
		c.seen, c.idle = c.events, 0
	}
	if c.idle > 50 {
		return false
	}
	any := false
	for _, w := range c.warps {
		for _, s := range w.splits {
			if s.wait == waitMbarrier {
				s.wait, s.late, any = waitNone, true, true
				c.ready = append(c.ready, s)
			}
		}
	}
	return any
}
