package emu

import "slices"

// A join is where the lanes of a warp that a branch divided meet again.
type join struct {
	pc      int
	outer   *join
	ret     []int  // return addresses of the lanes
	pending uint32 // lanes on their way
	here    uint32 // lanes that have come
}

// meet lets s arrive where it meets the other lanes that a branch took elsewhere.
// It returns the split of all of them if s was the last, or nil.
func (c *cta) meet(s *split) *split {
	j := s.join
	j.here |= s.mask
	j.pending &^= s.mask
	if j.pending != 0 {
		s.w.drop(s)
		c.summon(s.w)
		return nil
	}
	s.mask, s.join = j.here, j.outer
	return s
}

// diverge sends the lanes of s that m has to a place and the rest to the next
// instruction. Which go first depends on the seed.
func (c *cta) diverge(s *split, m uint32, to, meet int) {
	next := s.pc + 1
	s.pc = to
	other := c.depart(s, s.mask&^m, next, meet)
	if c.rng != nil && c.rng.Uint32()&1 == 0 {
		s.mask, other.mask = other.mask, s.mask
		s.pc, other.pc = other.pc, s.pc
	}
}

// depart lets lanes of s go on elsewhere, until both meet again.
func (c *cta) depart(s *split, m uint32, pc, meet int) *split {
	other := &split{w: s.w, pc: pc, mask: m, ran: s.ran}
	if len(s.ret) > 0 {
		other.ret = append(other.ret, s.ret...)
	}
	if meet >= 0 && (s.join == nil || s.join.pc != meet) {
		s.join = &join{pc: meet, outer: s.join, pending: s.mask, ret: other.ret}
	}
	other.join = s.join
	s.mask &^= m
	s.w.splits = append(s.w.splits, other)
	c.ready = append(c.ready, other)
	return other
}

// impatient lets the lanes go on that wait for s where branches meet, once s has run
// for long without coming. One of them may hold what s spins for. All threads of a warp
// make progress (CUDA programming guide, "Independent Thread Scheduling").
func (c *cta) impatient(s *split, steps int) {
	if s.ran += steps; s.ran < patience {
		return
	}
	s.ran = 0
	for j := s.join; j != nil; j = j.outer {
		c.proceed(s.w, j)
	}
}

// proceed lets the lanes go on that have come to j. It reports whether there are any.
func (c *cta) proceed(w *warp, j *join) bool {
	if j.here == 0 {
		return false
	}
	t := &split{w: w, pc: j.pc, mask: j.here, join: j.outer, ret: append([]int(nil), j.ret...)}
	j.here = 0
	w.splits = append(w.splits, t)
	c.ready = append(c.ready, t)
	return true
}

// summon lets lanes go on that wait, where branches meet, for some that wait for them in
// turn, at vote.sync and the like. They may still come there, or exit.
func (c *cta) summon(w *warp) {
	for _, s := range w.splits {
		for j := s.join; s.wait == waitLanes && j != nil; j = j.outer {
			if j.here&s.need != 0 {
				c.proceed(w, j)
			}
		}
	}
}

// disband lets all lanes go on that wait where branches meet, as nobody else can: those
// they wait for are at a barrier. It reports whether there are any. A warp of which some
// are at an instruction that all of it executes together is left: it is in error.
func (c *cta) disband() bool {
	any := false
	for _, w := range c.warps {
		if slices.ContainsFunc(w.splits, func(s *split) bool { return s.wait == waitWarp }) {
			continue
		}
		for _, s := range w.splits {
			for j := s.join; j != nil; j = j.outer {
				any = c.proceed(w, j) || any
			}
		}
	}
	return any
}
