package emu

// barrier.cluster, mapa and getctarank (ISA 9.7.13.4, 9.7.9.23, 9.7.9.24). A cluster is one
// block here: its shared memory is that of the block, and its barrier is of the block's
// threads.

// A clusterBarrier is the barrier of a cluster, at which threads arrive and later wait.
type clusterBarrier struct {
	came    map[int]uint32 // lanes of a warp that have arrived in this phase
	done    map[int]uint32 // lanes whose phase is complete and that have not waited yet
	meeting gathering
	known   *vclock // what those knew that completed the last phase
	waiting []*split
}

func (c *compiler) barCluster() {
	op := c.one(".arrive", ".wait")
	relaxed := false
	if op == ".wait" {
		c.take(".acquire")
	} else if c.take(".release") == "" {
		relaxed = c.has(".relaxed")
	}
	c.ins.aligned = c.has(".aligned") || c.ins.aligned
	c.arity(0, 0)
	c.ins.switches = true
	c.ins.ctl = func(c *cta, s *split, m uint32) signal {
		c.counts[s.pc].Barriers++
		if op == ".wait" {
			return c.clusterWait(s, m)
		}
		c.clusterArrive(s.w, m, relaxed)
		return goOn
	}
}

func (c *cta) clusterArrive(w *warp, m uint32, relaxed bool) {
	b := &c.cluster
	if b.came == nil {
		b.came, b.done = map[int]uint32{}, map[int]uint32{}
	}
	if twice := (b.came[w.id] | b.done[w.id]) & m; twice != 0 {
		w.fault(BadBarrier, trailing(twice), "arrives at the barrier of the cluster a second time without barrier.cluster.wait between")
	}
	b.came[w.id] |= m
	if !relaxed {
		b.meeting.add(w, m)
	}
	w.clock++
	c.events++
	c.clusterComplete()
}

// clusterComplete ends the phase if all threads have arrived that have not exited.
func (c *cta) clusterComplete() {
	b := &c.cluster
	if len(b.came) == 0 {
		return
	}
	for _, w := range c.warps {
		if w.live&^b.came[w.id] != 0 {
			return
		}
	}
	for id, m := range b.came {
		b.done[id] |= m
	}
	clear(b.came)
	if b.known = b.meeting.sum; b.known != nil {
		b.known.seal()
	}
	b.meeting = gathering{}
	for _, s := range b.waiting {
		s.wait = waitNone
		c.ready = append(c.ready, s)
	}
	b.waiting = b.waiting[:0]
}

func (c *cta) clusterWait(s *split, m uint32) signal {
	w, b := s.w, &c.cluster
	if never := m &^ (b.came[w.id] | b.done[w.id]); never != 0 {
		w.fault(BadBarrier, trailing(never), "waits at the barrier of the cluster without barrier.cluster.arrive before")
	}
	if m&^b.done[w.id] != 0 {
		s.wait = waitCluster
		b.waiting = append(b.waiting, s)
		return stop // and then the instruction again
	}
	b.done[w.id] &^= m
	if b.known != nil {
		w.give(b.known, m, false)
	}
	return goOn
}

// mapa is the address that shared memory has in the block of a rank.
func (c *compiler) mapa() {
	c.take(".shared::cluster")
	t := c.oneOf("u32 u64")
	c.arity(3, 3)
	a, rank, d := c.src(1, t), c.src(2, types["u32"]), c.dst(0, t)
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			if r := w.r[rank][i]; r != 0 {
				w.fault(Bounds, i, "rank %d of a cluster of one block", r)
			}
			w.r[d][i] = w.r[a][i]
		}
	}
}

func (c *compiler) getctarank() {
	c.take(".shared::cluster")
	t := c.oneOf("u32 u64")
	c.unary(types["u32"], t, func(uint64) uint64 { return 0 })
}
