package part

import (
	"math/rand/v2"
	"slices"
)

// sender lowers what the largest sender sends. It knows who owns each net, and what each part sends. Owners
// move with their rows, or, if ownership is free, with the last pin that a net has in its owner's part.
type sender struct {
	s     *state
	owner []int32
	sent  []int64
	size  []int // vertices of each part: none becomes empty
	want  int64 // what a part should send at most
	delta []int64
	hit   []int32 // parts with a delta
}

func newSender(s *state, owner []int32) *sender {
	x := &sender{s: s, owner: owner, sent: make([]int64, s.k), size: make([]int, s.k), delta: make([]int64, s.k)}
	for _, q := range s.part {
		x.size[q]++
	}
	for j := range int32(s.h.Nets()) {
		x.sent[owner[j]] += x.copies(j) * int64(s.h.cost[j])
	}
	return x
}

// copies returns lambda-1 of a net, 0 if it has no pins.
func (x *sender) copies(j int32) int64 {
	lambda := int64(0)
	for _, c := range x.s.pinsIn(j) {
		if c > 0 {
			lambda++
		}
	}
	return max(0, lambda-1)
}

// moves reports whether net j gets another owner when v leaves its part.
func (x *sender) moves(j, v int32) bool {
	if x.s.h.conformal {
		return j == v
	}
	own := x.s.part[v]
	return x.owner[j] == own && x.s.pinsIn(j)[own] == 1
}

// weigh sets delta to what parts send more if v moves to to. It returns the change of the goal, which is the
// rows sent beyond want, each of which counts as one more on every part, and km1.
func (x *sender) weigh(v, to int32) int64 {
	s := x.s
	own := s.part[v]
	for _, q := range x.hit {
		x.delta[q] = 0
	}
	x.hit = x.hit[:0]
	add := func(q int32, d int64) {
		if d != 0 {
			x.delta[q] += d
			x.hit = append(x.hit, q)
		}
	}
	for _, j := range s.h.netsOf(v) {
		cost, count := int64(s.h.cost[j]), s.pinsIn(j)
		change := int64(0)
		if count[own] == 1 {
			change--
		}
		if count[to] == 0 {
			change++
		}
		if x.moves(j, v) {
			copies := x.copies(j)
			add(own, -cost*copies)
			add(to, cost*(copies+change))
		} else {
			add(x.owner[j], cost*change)
		}
	}
	goal := -int64(s.gain(v, to))
	for i, q := range x.hit {
		if !slices.Contains(x.hit[:i], q) {
			goal += int64(s.k) * (max(0, x.sent[q]+x.delta[q]-x.want) - max(0, x.sent[q]-x.want))
		}
	}
	return goal
}

// bestFor returns the part with room, of those where v's nets are, to which moving v does the most for the goal.
func (x *sender) bestFor(v int32, limit []int64) (goal int64, to int32) {
	s := x.s
	own, w := s.part[v], int64(s.h.weight[v])
	to = -1
	if x.size[own] == 1 {
		return 0, to
	}
	for q := range int32(s.k) {
		if q == own || s.present[int(v)*s.k+int(q)] == 0 || s.load[q]+w > limit[q] {
			continue
		}
		if g := x.weigh(v, q); to < 0 || g < goal {
			goal, to = g, q
		}
	}
	return goal, to
}

// move moves v and what it owns.
func (x *sender) move(v, to int32) {
	x.weigh(v, to)
	for i, q := range x.hit {
		if !slices.Contains(x.hit[:i], q) {
			x.sent[q] += x.delta[q]
		}
	}
	for _, j := range x.s.h.netsOf(v) {
		if x.moves(j, v) {
			x.owner[j] = to
		}
	}
	x.size[x.s.part[v]]--
	x.size[to]++
	x.s.move(v, to, nil)
}

// pass moves each vertex of the boundary to where the goal falls most, if it falls, with parts up to limit.
// It reports whether any moved.
func (x *sender) pass(limit []int64, r *rand.Rand) (moved bool) {
	for _, v := range nearbyOrder(x.s.h.Vertices(), r) {
		if !x.s.boundary(v) {
			continue
		}
		if goal, to := x.bestFor(v, limit); to >= 0 && goal < 0 {
			x.move(v, to)
			moved = true
		}
	}
	return moved
}

// settle brings parts back within their limits by the moves that harm the goal least, and reports whether it could.
func (x *sender) settle() bool {
	s := x.s
	q := newQueue(s.h.Vertices())
	enter := func(v int32) bool {
		if own := s.part[v]; s.load[own] <= s.limit[own] || s.h.weight[v] == 0 {
			return false
		}
		goal, to := x.bestFor(v, s.limit)
		if to >= 0 {
			q.set(v, -goal<<16/int64(s.h.weight[v]))
		}
		return to >= 0
	}
	for v := range int32(s.h.Vertices()) {
		enter(v)
	}
	for q.len() > 0 && s.overload() > 0 {
		v := q.top()
		was := q.keyOf(v)
		q.remove(v)
		if !enter(v) || q.keyOf(v) < was { // its part is light enough, or the goal has changed
			continue
		}
		q.remove(v)
		_, to := x.bestFor(v, s.limit)
		x.move(v, to)
	}
	return s.overload() == 0
}

// lower lowers the most that a part sends, step by step. Each step asks for a tenth less of what is above the
// mean, lets parts grow beyond their limits for it, and settles them, until some steps get nowhere. It
// returns the best partition on the way.
func (x *sender) lower(r *rand.Rand) []int32 {
	best, least := slices.Clone(x.s.part), slices.Max(x.sent)
	wide := slices.Clone(x.s.limit)
	for q := range wide {
		wide[q] += wide[q] / 20
	}
	for missed := 0; missed < 5; missed++ {
		mean := x.s.km1 / int64(x.s.k)
		want := mean + (least-mean)*9/10
		if want >= least {
			break
		}
		for i := range 8 {
			limit := wide
			if i%2 == 1 {
				limit = x.s.limit
			}
			x.want = want
			moved := x.pass(limit, r)
			if !x.settle() {
				return best
			}
			if !x.s.h.conformal {
				*x = *newSender(x.s, freeOwners(x.s.h, Partition{x.s.k, x.s.part}))
			}
			if most := slices.Max(x.sent); most < least {
				best, least, missed = append(best[:0], x.s.part...), most, -1
			}
			if !moved || least <= want {
				break
			}
		}
	}
	return best
}
