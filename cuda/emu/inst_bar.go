package emu

import "fmt"

// bar and barrier (ISA 9.7.13.1, 9.7.13.2).

// A barrier is one of the sixteen of a block.
type barrier struct {
	arrived  int // threads
	expected int // 0: all that have not exited
	who      map[int]uint32
	waiting  []*split
	meeting  gathering
	count    int // of a reduction: how many predicates were true
	reduce   bool
}

func (b *barrier) state(id int) string {
	want := "all threads that have not exited"
	if b.expected > 0 {
		want = fmt.Sprintf("%d threads", b.expected)
	}
	return fmt.Sprintf(" (barrier %d: %d threads have come, it waits for %s)", id, b.arrived, want)
}

func (c *compiler) bar() {
	aligned := c.in.op == "bar" || c.has(".aligned")
	if c.in.op == "barrier" && c.has(".cluster") {
		c.ins.aligned = aligned
		c.barCluster()
		return
	}
	c.take(".cta")
	if c.has(".warp") {
		c.barWarp()
		return
	}
	op := c.one(".sync", ".arrive", ".red")
	aligned = c.has(".aligned") || aligned
	u := types["b32"]
	args := c.in.args
	var red string
	dst, pdst := -1, -1
	pred, not := -1, false
	if op == ".red" {
		red = c.one(".popc", ".and", ".or")
		c.arity(3, 4)
		if t := c.typ(); t.class == classPred != (red != ".popc") {
			c.fail("%s has no type %v", red, t)
		}
		if red == ".popc" {
			dst = c.dest(&args[0], types["u32"], false)
		} else {
			pdst = c.predDst(&args[0])
		}
		pred, not = c.predSrc(&args[len(args)-1])
		args = args[1 : len(args)-1]
	}
	if len(args) < 1 || len(args) > 2 || op == ".arrive" && len(args) != 2 {
		c.fail("wants a barrier and a number of threads")
	}
	if a := &args[0]; a.kind == argInt && a.bits > 15 {
		c.failAt(a, "barrier %d: there are 0 to 15", a.bits)
	}
	if len(args) == 2 && args[1].kind == argInt && args[1].bits%32 != 0 {
		c.failAt(&args[1], "%d threads: a multiple of 32 is wanted", args[1].bits)
	}
	id := c.source(&args[0], u)
	number := -1
	if len(args) == 2 {
		number = c.source(&args[1], u)
	}
	c.ins.switches, c.ins.aligned = true, aligned
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		w := s.w
		first := trailing(m)
		i := w.r[id][first]
		if i > 15 {
			w.fault(BadBarrier, first, "barrier %d: there are 0 to 15", i)
		}
		n := uint64(0)
		if number >= 0 {
			n = w.r[number][first]
			if n == 0 || n%32 != 0 || n > 1024 {
				w.fault(BadBarrier, first, "%d threads: a multiple of 32 up to 1024 is wanted", n)
			}
			if int(n) > 32*len(c.warps) {
				w.fault(BadBarrier, first, "%d threads, the block has %d", n, c.launch.threads)
			}
		}
		for l := range lanesOf(m) {
			if w.r[id][l] != i || number >= 0 && w.r[number][l] != n {
				w.fault(BadBarrier, l, "lanes of a warp name different barriers or numbers")
			}
		}
		votes := 0
		if op == ".red" {
			votes = popcount(w.pred(pred, not) & m)
		}
		c.arrive(s, m, int(i), int(n), aligned, votes)
		c.counts[s.pc].Barriers++
		if op == ".arrive" {
			c.complete(int(i))
			return goOn
		}
		b := &c.bars[i]
		b.waiting = append(b.waiting, s)
		s.wait, s.bar, s.has = waitBarrier, int(i), m
		b.reduce = op == ".red"
		s.done = nil
		if b.reduce {
			s.done = func(count, of int) {
				v := count
				switch red {
				case ".and":
					v = btoi(count == of)
				case ".or":
					v = btoi(count > 0)
				}
				if dst >= 0 {
					w.setReg(dst, m, uint64(v))
				}
				w.setPred(pdst, m, -uint32(v))
			}
		}
		c.complete(int(i))
		return stop
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// arrive counts lanes of a warp at barrier i.
func (c *cta) arrive(s *split, m uint32, i, n int, aligned bool, votes int) {
	w, b := s.w, &c.bars[i]
	first := trailing(m)
	if b.arrived == 0 {
		b.expected, b.count = n, 0
		if b.who == nil {
			b.who = map[int]uint32{}
		}
	} else if b.expected != n {
		w.fault(BadBarrier, first, "barrier %d is waited for by threads that expect %s and by this one, which expects %s", i, threadsOf(b.expected), threadsOf(n))
	}
	if twice := b.who[w.id] & m; twice != 0 {
		w.fault(BadBarrier, trailing(twice), "arrives at barrier %d a second time before the others have come", i)
	}
	b.who[w.id] |= m
	if n > 0 && aligned {
		b.arrived += 32 // warps count whole
	} else {
		b.arrived += popcount(m)
	}
	if n > 0 && b.arrived > n {
		w.fault(BadBarrier, first, "%d threads have come to barrier %d, which waits for %d", b.arrived, i, n)
	}
	b.count += votes
	b.meeting.add(w, m)
	w.clock++
	c.events++
}

func threadsOf(n int) string {
	if n == 0 {
		return "all threads"
	}
	return fmt.Sprintf("%d threads", n)
}

// complete lets the threads at barrier i go on if all have come.
func (c *cta) complete(i int) {
	b := &c.bars[i]
	if b.arrived == 0 || b.expected > 0 && b.arrived < b.expected || b.expected == 0 && b.arrived < c.alive {
		return
	}
	v := b.meeting.sum
	v.seal()
	waiting, count, of := b.waiting, b.count, b.arrived
	clear(b.who)
	*b = barrier{who: b.who, waiting: waiting[:0]}
	for _, s := range waiting {
		w := s.w
		w.give(v, s.has, true)
		in := &c.prog.code[s.pc]
		if s.done != nil {
			s.done(count, of)
			w.define(in, s.has)
		}
		s.wait = waitNone
		s.pc++
		c.ready = append(c.ready, s)
	}
}

// define notes that the results of in were written.
func (w *warp) define(in *inst, m uint32) {
	for _, d := range in.dsts {
		w.def[d] |= m
	}
	for _, d := range in.pdsts {
		w.pdef[d] |= m
	}
}
