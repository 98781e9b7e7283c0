package part

import "slices"

// smallPins is up to how many pins a hypergraph is bisected 20 times; larger ones, which could not be
// made smaller, have fewer tries.
const smallPins = 1 << 15

// bisect returns the best of many bisections of a small hypergraph: some grown from a vertex by
// gains, some by distance, some random, all refined.
func (m *maker) bisect(h *Hypergraph, limit []int64) []int32 {
	n := h.Vertices()
	var best []int32
	bestOver, bestCut := int64(0), int64(0)
	part := make([]int32, n)
	for run := range max(4, min(20, 20*smallPins/max(1, h.Pins()))) {
		switch run % 4 {
		case 0, 1:
			m.grow(h, part, limit, run%8 < 4)
		case 2:
			m.breadth(h, part, limit)
		case 3:
			m.scatter(h, part, limit)
		}
		s := newState(h, part, limit)
		rebalance(s)
		f := newFM(s, m.r)
		for range 4 {
			if f.round(n) == 0 {
				break
			}
		}
		over := s.overload()
		if best == nil || over < bestOver || over == bestOver && s.km1 < bestCut {
			best, bestOver, bestCut = append(best[:0], part...), over, s.km1
		}
	}
	return best
}

// share is what the side 0 should weigh.
func share(h *Hypergraph, limit []int64) int64 {
	return int64(float64(h.total) * float64(limit[0]) / float64(max(1, limit[0]+limit[1])))
}

// grow moves vertices from side 1 to 0 by their gains, from a random one on, until side 0 has
// its share. Those that touch it come first if near is set; else any with the largest gain.
func (m *maker) grow(h *Hypergraph, part []int32, limit []int64, near bool) {
	n := h.Vertices()
	for v := range part {
		part[v] = 1
	}
	if n == 0 {
		return
	}
	s := newState(h, part, []int64{h.total, h.total})
	q := newQueue(n)
	key := func(v int32) int64 {
		return int64(s.gain(v, 0))<<tieBits | int64(m.r.Uint32()&(1<<tieBits-1))
	}
	if !near {
		for v := range int32(n) {
			q.set(v, key(v))
		}
	}
	touch := func(u int32) {
		if part[u] == 1 {
			q.set(u, key(u))
		}
	}
	want := share(h, limit)
	left := m.r.Perm(n)
	first := int32(left[0])
	if q.has(first) {
		q.remove(first)
	}
	for v := first; ; {
		if s.load[0]+int64(h.weight[v]) <= limit[0] {
			s.move(v, 0, touch)
		}
		if s.load[0] >= want {
			return
		}
		if q.len() == 0 { // all of a component is in: start another
			for len(left) > 0 && part[left[len(left)-1]] == 0 {
				left = left[:len(left)-1]
			}
			if len(left) == 0 {
				return
			}
			v = int32(left[len(left)-1])
			left = left[:len(left)-1]
			continue
		}
		v = q.top()
		q.remove(v)
	}
}

// breadth puts the vertices nearest to a random one on side 0.
func (m *maker) breadth(h *Hypergraph, part []int32, limit []int64) {
	for v := range part {
		part[v] = 1
	}
	want, load := share(h, limit), int64(0)
	seen := make([]bool, h.Vertices())
	var line []int32
	for _, start := range m.r.Perm(h.Vertices()) {
		if seen[start] {
			continue
		}
		seen[start] = true
		line = append(line[:0], int32(start))
		for at := 0; at < len(line); at++ {
			v := line[at]
			if w := int64(h.weight[v]); load+w <= limit[0] {
				part[v] = 0
				load += w
			}
			if load >= want {
				return
			}
			for _, j := range h.netsOf(v) {
				for _, u := range h.net(j) {
					if !seen[u] {
						seen[u] = true
						line = append(line, u)
					}
				}
			}
		}
	}
}

// scatter puts vertices anywhere, the heavy ones first, on a side with room.
func (m *maker) scatter(h *Hypergraph, part []int32, limit []int64) {
	order := m.r.Perm(h.Vertices())
	slices.SortStableFunc(order, func(a, b int) int { return int(h.weight[b]) - int(h.weight[a]) })
	load := make([]int64, 2)
	for _, v := range order {
		w := int64(h.weight[v])
		q := int32(m.r.IntN(2))
		if load[q]+w > limit[q] {
			q = 1 - q
		}
		if load[q]+w > limit[q] && load[q]-limit[q] > load[1-q]-limit[1-q] {
			q = 1 - q
		}
		part[v] = q
		load[q] += w
	}
}
