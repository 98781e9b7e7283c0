package emu

import (
	"math/bits"
	"slices"
)

func trailing(m uint32) int { return bits.TrailingZeros32(m) }

// An accessKind is what an access does, as far as races go.
type accessKind uint8

const (
	noAccess accessKind = iota
	plainRead
	plainWrite
	atomicOp   // atomic operations and strong stores
	strongRead // ld.relaxed, ld.acquire, ld.volatile
	asyncWrite // the destination of a copy, by its thread's agent
	asyncRead  // its source
	constRead  // ld.global.nc: nothing may write there in the whole launch
	numAccess
)

// conflicts says which two accesses of the same byte have to be ordered.
var conflicts = func() (t [numAccess][numAccess]bool) {
	reads := func(k accessKind) bool { return k == plainRead || k == strongRead || k == asyncRead || k == constRead }
	strong := func(k accessKind) bool { return k == strongRead || k == atomicOp }
	for a := plainRead; a < numAccess; a++ {
		for b := plainRead; b < numAccess; b++ {
			t[a][b] = !(reads(a) && reads(b)) && !(strong(a) && strong(b))
		}
	}
	return t
}()

// A trace is what is remembered of accesses to a cell: by the lanes of one warp, at
// one clock.
type trace struct {
	cta, clock, pc, lanes uint32
	warp                  uint16
	kind                  accessKind
	bytes                 uint8 // which of the four
}

// firstLane is a lane of t to name in a report: one that is not the given lane of w.
func (t *trace) firstLane(w *warp, lane int) int {
	m := t.lanes
	if int(t.cta) == w.cta.order && t.thread(w.cta) == w.id && m != 1<<lane {
		m &^= 1 << lane
	}
	return trailing(m)
}

// thread is the warp of the threads that t is of, those that an agent copies for, too.
func (t *trace) thread(c *cta) int { return int(t.warp) % c.launch.warps() }

// A cell remembers accesses to four bytes: as a rule the last write and the reads
// since by one warp, and others in a list.
type cell struct {
	w, r trace
	more int32 // a list of the shadow, from 1; 0 is none
}

// The number of accesses of one cell that are remembered, besides the last write and
// the first reads. Beyond it the oldest is forgotten: a race with it may be missed,
// none is made up. Otherwise the global memory that many blocks read would fill the
// host's.
const (
	sharedCrowd = 32
	globalCrowd = 4
)

// A shadow is the memory of accesses of a piece of memory.
type shadow struct {
	cells []cell
	lists [][]trace
	free  []int32
	crowd int
}

func (s *shadow) reset(bytes, crowd int) {
	n := (bytes + 3) / 4
	s.crowd = crowd
	if cap(s.cells) < n {
		s.cells = make([]cell, n)
	} else {
		s.cells = s.cells[:n]
		clear(s.cells)
	}
	s.free = s.free[:0]
	for i := range s.lists {
		s.lists[i] = s.lists[i][:0]
		s.free = append(s.free, int32(i+1))
	}
}

// An actor is a thread that accesses memory.
type actor struct {
	vc   *vclock
	warp uint16
	t    trace // what it will leave: lanes has one bit; of a copy it is the agent's
	// agent is the warp of the agents, 0 if the kernel has no copies, and waited how many copies the thread waited for.
	agent  uint16
	waited uint32
	// echo: it writes what is there, which does not race with the stores of the same
	// instruction that put it there.
	echo bool
}

// before reports whether what x recorded happened before the actor's access.
func (a *actor) before(x *trace) bool {
	if x.kind == constRead || a.t.kind == constRead && (x.kind == plainWrite || x.kind == atomicOp) {
		return false
	}
	lanes := x.lanes
	switch {
	case x.cta != a.t.cta:
	case x.warp == a.warp:
		// Its own accesses are in order. If others wrote the same value with it, a read after
		// that write gets that value.
		own := lanes & a.t.lanes
		if lanes &^= a.t.lanes; lanes == 0 || own != 0 && x.kind == plainWrite && a.t.kind == plainRead {
			return true
		}
	case x.warp == a.agent && a.waited >= x.clock:
		if lanes &^= a.t.lanes; lanes == 0 {
			return true
		}
	}
	return a.vc.knows(x.cta, uint32(x.warp), lanes, x.clock)
}

// touch records an access of bytes of cell i and returns the access that it
// conflicts with, if there is one.
func (s *shadow) touch(i int, a *actor, bytes uint8) *trace {
	c := &s.cells[i]
	// The common cases first: reads of what was written before, and writes of what
	// all have read.
	switch a.t.kind {
	case plainRead, asyncRead:
		if c.w.kind != noAccess && c.w.bytes&bytes != 0 && !a.before(&c.w) {
			return &c.w
		}
		t := a.t
		t.bytes = bytes
		switch {
		case c.more == 0 && c.r.joins(a, bytes):
			return nil
		case c.more == 0 && c.r.kind == noAccess:
			c.r = t
			return nil
		case c.r.kind != plainRead && c.r.kind != asyncRead:
			return s.touchList(c, a, bytes)
		case c.more == 0 && c.r.bytes&^bytes == 0 && a.before(&c.r):
			c.r = t
			return nil
		case c.more == 0:
			c.more = s.list()
		}
		list := s.lists[c.more-1]
		for j := range list {
			if list[j].kind != plainRead && list[j].kind != asyncRead {
				return s.touchList(c, a, bytes)
			}
		}
		if c.r.joins(a, bytes) {
			return nil
		}
		for j := range list {
			if list[j].joins(a, bytes) {
				return nil
			}
		}
		switch {
		case len(list) < min(8, s.crowd):
			s.lists[c.more-1] = append(list, t)
			return nil
		case len(list) >= s.crowd:
			copy(list, list[1:])
			list[len(list)-1] = t
			return nil
		}
	case plainWrite, asyncWrite:
		if bytes != 15 || c.w.kind != noAccess && !a.before(&c.w) || c.r.kind != noAccess && !a.before(&c.r) {
			break
		}
		if c.more != 0 {
			list := s.lists[c.more-1]
			for j := range list {
				if !a.before(&list[j]) {
					return s.touchList(c, a, bytes)
				}
			}
			s.drop(c)
		}
		c.w = a.t
		c.w.bytes = bytes
		c.r.kind = noAccess
		return nil
	}
	return s.touchList(c, a, bytes)
}

// join adds lanes to the write x of cell i: all of them wrote the same.
func (s *shadow) join(i int, x *trace, lanes uint32) {
	c := &s.cells[i]
	same := func(t *trace) bool {
		return t.kind == x.kind && t.warp == x.warp && t.cta == x.cta && t.pc == x.pc && t.clock == x.clock && t.lanes == x.lanes && t.bytes == x.bytes
	}
	if same(&c.w) {
		c.w.lanes |= lanes
		return
	}
	if c.more != 0 {
		for j := range s.lists[c.more-1] {
			if t := &s.lists[c.more-1][j]; same(t) {
				t.lanes |= lanes
				return
			}
		}
	}
}

// joins adds the actor's lane to t if t is the same access by others of its warp.
func (t *trace) joins(a *actor, bytes uint8) bool {
	if t.kind != a.t.kind || t.warp != a.t.warp || t.cta != a.t.cta || t.clock != a.t.clock || t.bytes != bytes {
		return false
	}
	t.lanes |= a.t.lanes
	return true
}

// drop gives the list of c back.
func (s *shadow) drop(c *cell) {
	s.lists[c.more-1] = s.lists[c.more-1][:0]
	s.free = append(s.free, c.more)
	c.more = 0
}

// remembered appends every access that c remembers to list.
func (s *shadow) remembered(c *cell, list []trace) []trace {
	if c.w.kind != noAccess {
		list = append(list, c.w)
	}
	if c.r.kind != noAccess {
		list = append(list, c.r)
	}
	if c.more != 0 {
		list = append(list, s.lists[c.more-1]...)
	}
	return list
}

// touchList is touch in general: every access that is remembered is looked at.
func (s *shadow) touchList(c *cell, a *actor, bytes uint8) *trace {
	var buf [8]trace
	list := s.remembered(c, buf[:0])
	writes := a.t.kind == plainWrite || a.t.kind == asyncWrite
	merged := false
	keep := list[:0]
	for _, x := range list {
		if x.bytes&bytes == 0 {
			keep = append(keep, x)
			continue
		}
		before := a.before(&x)
		echo := a.echo && x.kind == plainWrite && x.pc == a.t.pc
		if !before && !echo && conflicts[x.kind][a.t.kind] {
			found := x
			return &found
		}
		if before && (writes || x.kind == a.t.kind) {
			// Whoever is ordered after this access is ordered after x as well.
			if x.bytes &^= bytes; x.bytes == 0 {
				continue
			}
		}
		if x.kind == a.t.kind && x.warp == a.t.warp && x.cta == a.t.cta && x.clock == a.t.clock && x.bytes == bytes && (!writes || echo) {
			x.lanes |= a.t.lanes
			merged = true
		}
		keep = append(keep, x)
	}
	if !merged {
		t := a.t
		t.bytes = bytes
		keep = append(keep, t)
	}
	s.put(c, keep)
	return nil
}

// put stores the accesses of c.
func (s *shadow) put(c *cell, list []trace) {
	for len(list) > s.crowd+2 {
		oldest := max(slices.IndexFunc(list, func(x trace) bool { return x.kind == plainRead || x.kind == strongRead }), 0)
		list = slices.Delete(list, oldest, oldest+1)
	}
	old := c.more
	*c = cell{}
	for i, x := range list {
		write := x.kind == plainWrite || x.kind == asyncWrite
		switch {
		case write && c.w.kind == noAccess:
			c.w = x
		case !write && c.r.kind == noAccess:
			c.r = x
		default:
			// c.more is set once; the rest of list that does not fit goes there.
			if c.more == 0 {
				if old == 0 {
					old = s.list()
				}
				c.more = old
				s.lists[old-1] = s.lists[old-1][:0]
			}
			s.lists[c.more-1] = append(s.lists[c.more-1], list[i])
		}
	}
	if c.more == 0 && old != 0 {
		c.more = old
		s.drop(c)
	}
}

func (s *shadow) list() int32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	s.lists = append(s.lists, make([]trace, 0, 4))
	return int32(len(s.lists))
}
