package part

// rebalance moves vertices out of parts above their limit to parts with room, those first that
// cost the least for their weight. It reports whether all parts are then within their limits.
func rebalance(s *state) bool {
	over := s.overload()
	if over == 0 {
		return true
	}
	q := newQueue(s.h.Vertices())
	enter := func(v int32) {
		own := s.part[v]
		if s.load[own] <= s.limit[own] || s.h.weight[v] == 0 {
			return
		}
		if to, gain := s.best(v); to >= 0 {
			q.set(v, perWeight(gain, s.h.weight[v]))
		} else if q.has(v) {
			q.remove(v)
		}
	}
	for v := range int32(s.h.Vertices()) {
		enter(v)
	}
	touch := func(u int32) {
		if q.has(u) {
			enter(u)
		}
	}
	for q.len() > 0 {
		v := q.top()
		own := s.part[v]
		if s.load[own] <= s.limit[own] {
			q.remove(v)
			continue
		}
		to, gain := s.best(v)
		if to < 0 {
			q.remove(v)
			continue
		}
		if key := perWeight(gain, s.h.weight[v]); key < q.keyOf(v) {
			q.set(v, key)
			continue
		}
		q.remove(v)
		s.move(v, to, touch)
	}
	return s.overload() == 0
}

// perWeight orders moves that lose by loss for weight moved, and those that gain by both.
func perWeight(gain, weight int32) int64 {
	if gain >= 0 {
		return int64(gain) * int64(weight)
	}
	return int64(gain) << 30 / int64(weight)
}
