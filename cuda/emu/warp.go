package emu

import (
	"math/rand/v2"
	"slices"
)

const fullMask = 0xffffffff

// A warp is 32 threads and their registers.
type warp struct {
	cta    *cta
	id     int
	r      [][32]uint64 // by slot
	def    []uint32     // lanes in which a slot was written
	p      []uint32     // predicates, a bit a lane
	pdef   []uint32
	live   uint32 // lanes that have not exited
	exists uint32 // lanes that there are
	pc     int    // the instruction that is executed, for reports
	splits []*split

	clock  uint32
	vc     [32]*vclock
	act    actor // scratch
	stores storing

	buf  *buffer // used last
	held *page   // locked

	local        []byte
	localWritten bitset

	copies   []*asyncCopy // of cp.async, not carried out for a wait or an mbarrier
	spare    []*asyncCopy
	seq      uint32        // copies that were issued
	group    [32]uint32    // the group that copies of a lane are put into
	waited   [32]uint32    // the copies of a lane, up to this number, that it waited for
	landings [32][]landing // copies that were carried out for an mbarrier
	fences   *fences       // what fences made of relaxed operations
}

// A split is a set of lanes of a warp that go together. A branch that divides them
// makes another; they become one where the ways meet.
type split struct {
	w    *warp
	pc   int
	mask uint32
	join *join
	ret  []int // return addresses
	ran  int   // instructions since it was made, or lanes that wait for it went on
	wait waitKind
	need uint32                  // lanes that a synchronising instruction waits for
	has  uint32                  // lanes of this split that execute it
	bar  int                     // of a barrier: its number
	done func(count, of int)     // of a barrier that reduces
	run  func(w *warp, m uint32) // of a collective
	poll int64                   // 1 + state of the block when a test of an mbarrier failed last
	at   *mbarrier
	late bool // a wait for an mbarrier took too long: it fails
}

// A waitKind says what a split waits for.
type waitKind uint8

const (
	waitNone waitKind = iota
	waitLanes
	waitBarrier
	waitMbarrier
	waitWarp
	waitCluster
)

// A signal is what a control instruction says to the loop that executes.
type signal uint8

const (
	goOn   signal = iota // to the next instruction
	jumped               // pc is set
	stop                 // the split waits or has ended
)

func newWarp(c *cta, id int) *warp {
	p := c.prog
	w := &warp{cta: c, id: id, r: make([][32]uint64, p.slots), def: make([]uint32, p.slots),
		p: make([]uint32, p.preds), pdef: make([]uint32, p.preds)}
	return w
}

// start makes w ready to run a block.
func (w *warp) start(v *vclock) {
	c := w.cta
	n := c.launch.threads - 32*w.id
	w.exists = fullMask
	if n < 32 {
		w.exists = 1<<n - 1
	}
	w.live, w.clock, w.pc = w.exists, 1, 0
	clear(w.def)
	clear(w.p)
	clear(w.pdef)
	if t := c.prog.truth; t >= 0 {
		w.p[t], w.pdef[t] = fullMask, fullMask
	}
	for _, k := range c.prog.consts {
		for i := range w.r[k.slot] {
			w.r[k.slot][i] = k.value
		}
	}
	for _, s := range c.prog.reads {
		for i := range w.r[s.slot] {
			w.r[s.slot][i] = s.read(w, i)
		}
	}
	for i := range w.vc {
		w.vc[i] = v
	}
	w.group, w.waited, w.seq = [32]uint32{}, [32]uint32{}, 0
	w.copies, w.landings = w.copies[:0], [32][]landing{}
	w.fences = nil
	w.buf, w.held = nil, nil
	if w.localWritten != nil {
		clear(w.localWritten)
	}
	w.splits = append(w.splits[:0], &split{w: w, mask: w.live})
}

// step executes s until it waits, ends or gives way to others.
func (c *cta) step(s *split) {
	w := s.w
	code := c.prog.code
	budget := quantum
	for ; budget > 0; budget-- {
		if s.join != nil && s.join.pc == s.pc {
			if s = c.meet(s); s == nil {
				return
			}
			continue
		}
		in := &code[s.pc]
		w.pc = s.pc
		m := s.mask
		c.spend(s.pc)
		if in.guard >= 0 {
			if lacks := m &^ w.pdef[in.guard]; lacks != 0 && c.checks {
				w.fault(UninitReg, trailing(lacks), "the predicate of the instruction was never written")
			}
			if in.guardNot {
				m &^= w.p[in.guard]
			} else {
				m &= w.p[in.guard]
			}
		}
		if m == 0 && in.flow != flowBranch {
			s.pc++
			continue
		}
		if in.aligned && m != w.live {
			if s.mask != m {
				w.diverged(m)
			}
			if !c.assemble(s) {
				return
			}
			continue
		}
		if c.checks {
			w.defined(in, m)
		}
		for _, f := range in.before {
			f(w, m)
		}
		if in.ctl != nil {
			switch in.ctl(c, s, m) {
			case goOn:
				w.release()
				s.pc++
			case jumped:
			case stop:
				w.release()
				return
			}
		} else {
			in.run(w, m)
			w.release()
			for _, d := range in.dsts {
				w.def[d] |= m
			}
			for _, d := range in.pdsts {
				w.pdef[d] |= m
			}
			s.pc++
		}
		if in.switches && c.rng != nil && c.rng.Uint32()&3 == 0 {
			break
		}
	}
	c.impatient(s, quantum-budget)
	c.ready = append(c.ready, s)
}

// defined faults if an operand of in was never written in a lane of m.
func (w *warp) defined(in *inst, m uint32) {
	for _, r := range in.srcs {
		if lacks := m &^ w.def[r]; lacks != 0 {
			w.fault(UninitReg, trailing(lacks), "reads %s, which was never written", w.cta.prog.slotName(r))
		}
	}
	for _, p := range in.psrcs {
		if lacks := m &^ w.pdef[p]; lacks != 0 && p != in.guard {
			what := "a predicate that"
			if p == w.cta.prog.carry {
				what = "the carry flag, which"
			}
			w.fault(UninitReg, trailing(lacks), "reads %s was never written", what)
		}
	}
}

// diverged is the fault of lanes that execute an aligned instruction without the
// rest of their warp.
func (w *warp) diverged(m uint32) {
	missing := w.live &^ m
	w.fault(Diverged, trailing(m), "all %d threads of the warp have to execute this together; %d do not, the first of them lane %d",
		popcount(w.live), popcount(missing), trailing(missing))
}

// assemble waits, at an instruction that the whole warp executes together, for lanes
// that a branch sent elsewhere and that may still come or exit. It reports whether s
// has all of them. Lanes that wait for s somewhere else never come.
func (c *cta) assemble(s *split) bool {
	w := s.w
	s.lonely()
	for i := 0; i < len(w.splits); i++ {
		o := w.splits[i]
		if o == s || o.wait != waitWarp || o.pc != s.pc {
			continue
		}
		if o.lonely(); o.join == s.join {
			s.mask |= o.mask
			w.drop(o)
			i--
		}
	}
	if s.mask == w.live {
		return true
	}
	coming := s.mask
	for _, o := range w.splits {
		if o.wait == waitNone || o.wait == waitWarp {
			coming |= o.mask
			for j := o.join; j != nil && j.pending&s.mask == 0; j = j.outer {
				coming |= j.here // they wait for o, and go on with it
			}
		}
	}
	if coming != w.live {
		w.diverged(s.mask)
	}
	s.wait = waitWarp
	return false
}

// lonely leaves the meeting points that nobody else comes to.
func (s *split) lonely() {
	for s.join != nil && s.join.here == 0 && s.join.pending == s.mask {
		s.join = s.join.outer
	}
}

func (w *warp) drop(s *split) {
	if i := slices.Index(w.splits, s); i >= 0 {
		w.splits = slices.Delete(w.splits, i, i+1)
	}
}

// exit ends lanes of s. It reports whether some are left.
func (c *cta) exit(s *split, m uint32) bool {
	w := s.w
	w.end(m, func(*asyncCopy, int) bool { return true }) // which nobody waits for
	w.live &^= m
	c.alive -= popcount(m)
	for j := s.join; j != nil; j = j.outer {
		if j.pending &^= m; j.pending == 0 && j.here != 0 && s.mask == m {
			// The others have come already; j.here is not in any outer one yet.
			t := &split{w: w, pc: j.pc, mask: j.here, join: j.outer, ret: append([]int(nil), j.ret...)}
			w.splits = append(w.splits, t)
			c.ready = append(c.ready, t)
			for o := j.outer; o != nil; o = o.outer {
				o.pending &^= m
			}
			break
		}
	}
	s.mask &^= m
	if s.mask == 0 {
		w.drop(s)
	}
	c.exited(w)
	return s.mask != 0
}

// newRand returns the source of choices of one block, nil for seed 0.
func newRand(seed uint64, block int) *rand.Rand {
	if seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(seed, uint64(block)))
}
