package part

import (
	"math"
	"math/rand/v2"
)

// fm refines by local searches in the manner of Fiduccia and Mattheyses, k-way and started
// from a few vertices of the boundary each (Sanders and Osipov, SEA 2010; Akhremtsev et al.,
// ALENEX 2017). It makes the best move whether it gains or not, neighbours join, and moves
// after the best state are undone.
type fm struct {
	s      *state
	r      *rand.Rand
	q      *queue
	locked []bool // vertices that moved in this round
	moves  []step
	order  []int32
	touch  func(u int32)
}

// step is a move that can be taken back.
type step struct{ v, from int32 }

func newFM(s *state, r *rand.Rand) *fm {
	n := s.h.Vertices()
	f := &fm{s: s, r: r, q: newQueue(n), locked: make([]bool, n)}
	f.touch = func(u int32) {
		if !f.locked[u] {
			f.enter(u)
		}
	}
	return f
}

// tieBits are random bits below a gain in a key, so that equal gains have no order.
const tieBits = 20

// enter sets the key of v to its best gain, or removes it where it can go nowhere.
func (f *fm) enter(v int32) {
	to, gain := f.s.best(v)
	if to < 0 {
		if f.q.has(v) {
			f.q.remove(v)
		}
		return
	}
	if f.q.has(v) && int32(f.q.keyOf(v)>>tieBits) == gain {
		return
	}
	f.q.set(v, int64(gain)<<tieBits|int64(f.r.Uint32()&(1<<tieBits-1)))
}

// round starts searches from all vertices of the boundary, seeds of them at a time, and
// returns what km1 fell by.
func (f *fm) round(seeds int) int64 {
	before := f.s.km1
	clear(f.locked)
	f.order = f.order[:0]
	for v := range int32(f.s.h.Vertices()) {
		if f.s.boundary(v) {
			f.order = append(f.order, v)
		}
	}
	f.r.Shuffle(len(f.order), func(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] })
	for at := 0; at < len(f.order); {
		started := 0
		for ; at < len(f.order) && started < seeds; at++ {
			if v := f.order[at]; !f.locked[v] && f.s.boundary(v) {
				f.enter(v)
				started++
			}
		}
		if started > 0 {
			f.search()
		}
	}
	return before - f.s.km1
}

// search moves what is in the queue and what is touched, until that promises no more.
func (f *fm) search() {
	s := f.s
	f.moves = f.moves[:0]
	best, keep := s.km1, 0
	bestSpread := f.spread()
	var stop stopRule
	stop.patience = math.Log(float64(s.h.Vertices()))*4 + 10
	for f.q.len() > 0 {
		v := f.q.top()
		to, gain := s.best(v)
		if to < 0 {
			f.q.remove(v)
			continue
		}
		if gain < int32(f.q.keyOf(v)>>tieBits) { // room has gone since
			f.enter(v)
			continue
		}
		f.q.remove(v)
		f.locked[v] = true
		f.moves = append(f.moves, step{v, s.part[v]})
		s.move(v, to, f.touch)
		spread := int64(0)
		if s.km1 <= best {
			spread = f.spread()
		}
		if s.km1 < best || s.km1 == best && spread < bestSpread {
			if s.km1 < best {
				stop.reset()
			}
			best, bestSpread, keep = s.km1, spread, len(f.moves)
			continue
		}
		if stop.add(float64(gain)) {
			break
		}
	}
	f.q.clear()
	for i := len(f.moves) - 1; i >= keep; i-- {
		m := f.moves[i]
		s.move(m.v, m.from, nil)
		f.locked[m.v] = false
	}
}

// spread is how full the fullest part is: of equal cuts the one with the most room is kept.
func (f *fm) spread() int64 {
	worst := int64(math.MinInt64)
	for q, w := range f.s.load {
		worst = max(worst, w-f.s.limit[q])
	}
	return worst
}

// stopRule ends a search that is unlikely to come back to its best. It takes gains for steps
// of a random walk (Osipov and Sanders, ESA 2010).
type stopRule struct {
	steps, mean, m2 float64
	patience        float64
}

func (s *stopRule) reset() { s.steps, s.mean, s.m2 = 0, 0, 0 }

func (s *stopRule) add(gain float64) bool {
	s.steps++
	d := gain - s.mean
	s.mean += d / s.steps
	s.m2 += float64(d * (gain - s.mean)) // rounded, not fused: the same on every machine
	if s.steps < s.patience {
		return false
	}
	return s.mean == 0 || s.steps*s.mean*s.mean >= s.m2/s.steps
}
