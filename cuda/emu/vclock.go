package emu

import (
	"maps"
	"math"
	"slices"
)

// A vclock is what a thread knows of others: everything that thread t did up to its
// clock at[t] happened before. Vector clocks are never changed once threads hold
// them, so that a barrier gives all its threads the same one.
//
// The clock of a thread is that of its warp, which goes on with every operation
// that lets others know something.
//
// What cp.async does for a thread is the work of another agent, since the thread's later work is not ordered
// after it. After the warps of threads there are as many of their copying agents. The clock of an agent is
// the number of copies that its warp issued.
type vclock struct {
	at  []uint32 // of the threads of the block, and of their agents
	low []uint32 // of a warp: the least of its threads
	far map[uint32]*vclock
	own uint32 // block that at is of
}

func newVclock(block, threads int) *vclock {
	return &vclock{at: make([]uint32, threads), low: make([]uint32, (threads+31)/32), own: uint32(block)}
}

// newVclock returns one that knows nothing, of a block of l.
func (l *launch) newVclock(block int) *vclock {
	n := l.threads
	if l.prog.copies {
		n = 32 * (l.warps() + l.warps())
	}
	v := newVclock(block, n)
	for i := l.threads; i < n; i++ { // threads that there are not do nothing that has to be known
		if i%(32*l.warps()) >= l.threads {
			v.at[i] = math.MaxUint32
		}
	}
	return v
}

func (l *launch) warps() int { return (l.threads + 31) / 32 }

// agent is the number of the warp of agents that copy for w.
func (w *warp) agent() int { return w.cta.launch.warps() + w.id }

func (v *vclock) clone() *vclock {
	return &vclock{at: slices.Clone(v.at), low: slices.Clone(v.low), own: v.own, far: v.far}
}

// raise makes v know what o does of the threads of its block.
func (v *vclock) raise(o *vclock) {
	for i, c := range o.at {
		v.at[i] = max(v.at[i], c)
	}
}

// merge raises v, which no thread holds yet, to what o knows.
func (v *vclock) merge(o *vclock) {
	if v == o {
		return
	}
	if v.own != o.own {
		v.mergeFar(o.own, o)
	} else {
		v.raise(o)
	}
	for block, f := range o.far {
		v.mergeFar(block, f)
	}
}

// covers reports whether v knows all that o does, as when a lock is asked for again and
// again. It may say no of what other blocks did.
func (v *vclock) covers(o *vclock) bool {
	if v == o {
		return true
	}
	if v.own != o.own || len(o.far) > 0 {
		return false
	}
	for i, c := range o.at {
		if v.at[i] < c {
			return false
		}
	}
	return true
}

// mergeFar raises what v knows of another block to what o knows of it. The map is
// copied, as it may be shared.
func (v *vclock) mergeFar(block uint32, o *vclock) {
	if block == v.own {
		v.raise(o)
		return
	}
	old := v.far[block]
	if old == o {
		return
	}
	if old != nil {
		sum := old.clone()
		sum.far = nil
		sum.raise(o)
		sum.seal()
		o = sum
	}
	v.far = maps.Clone(v.far)
	if v.far == nil {
		v.far = map[uint32]*vclock{}
	}
	v.far[block] = o
}

// seal makes v ready to be held.
func (v *vclock) seal() {
	for w := range v.low {
		end := min(32*w+32, len(v.at))
		least := v.at[32*w]
		for _, c := range v.at[32*w+1 : end] {
			least = min(least, c)
		}
		v.low[w] = least
	}
}

// knows reports whether what the lanes of a warp of a block did up to clock
// happened before.
func (v *vclock) knows(block, warp, lanes, clock uint32) bool {
	if block != v.own {
		v = v.far[block]
		if v == nil {
			return false
		}
	}
	if v.low[warp] >= clock {
		return true
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if v.at[32*warp+uint32(trailing(lanes))] < clock {
			return false
		}
	}
	return true
}

// A gathering collects what threads know when they meet.
type gathering struct {
	sum  *vclock
	last *vclock // the one merged last: threads of a warp mostly hold the same
}

// add lets g know what the lanes of w know and did so far.
func (g *gathering) add(w *warp, lanes uint32) {
	for i := range lanesOf(lanes) {
		g.merge(w.vc[i])
	}
	for i := range lanesOf(lanes) {
		w.did(g.sum, i)
	}
}

// raise lets g know what a thread, or an agent, did up to clock.
func (g *gathering) raise(thread int, clock uint32) { g.sum.at[thread] = max(g.sum.at[thread], clock) }

func (g *gathering) merge(v *vclock) {
	switch {
	case g.sum == nil:
		g.sum, g.last = v.clone(), v
	case v != g.last:
		g.sum.merge(v)
		g.last = v
	}
}

// did lets v, which no thread holds yet, know what a lane did itself: up to now, and the copies that it waited for.
func (w *warp) did(v *vclock, lane int) {
	i := 32*w.id + lane
	v.at[i] = max(v.at[i], w.clock)
	if w.cta.prog.copies {
		i = 32*w.agent() + lane
		v.at[i] = max(v.at[i], w.waited[lane])
	}
}

// give makes the lanes of w know v, which is sealed, besides what they knew.
// If all they knew is in v already, all is set.
func (w *warp) give(v *vclock, lanes uint32, all bool) {
	if all {
		for i := range lanesOf(lanes) {
			w.vc[i] = v
		}
		return
	}
	var old, sum *vclock
	for lane := range lanesOf(lanes) {
		if w.vc[lane] != old || sum == nil {
			old = w.vc[lane]
			sum = old.clone()
			sum.merge(v)
			sum.seal()
		}
		w.vc[lane] = sum
	}
}
