package part

// state is a partition of a hypergraph under refinement, with what a move would gain.
//
// Moving v from its part to q lowers km1 by the costs of nets that v alone has in its part.
// It raises km1 by those that have no pin in q yet:
//
//	gain(v, q) = alone[v] - (degree[v] - present[v][q])
type state struct {
	h       *Hypergraph
	k       int
	part    []int32
	load    []int64 // the weight of each part
	limit   []int64 // what each may weigh
	count   []int32 // count[j*k+q] pins of net j are in part q
	present []int32 // present[v*k+q] is the cost of nets of v with pins in q
	alone   []int32 // the cost of nets of v with no other pin in its part
	degree  []int32 // the cost of all nets of v
	km1     int64
}

// newState starts from a partition, which it changes in place.
func newState(h *Hypergraph, part []int32, limit []int64) *state {
	n, k := h.Vertices(), len(limit)
	s := &state{h: h, k: k, part: part, load: make([]int64, k), limit: limit,
		count: make([]int32, h.Nets()*k), present: make([]int32, n*k), alone: make([]int32, n), degree: make([]int32, n)}
	for v, q := range part {
		s.load[q] += int64(h.weight[v])
	}
	for j := range h.Nets() {
		count, cost := s.pinsIn(int32(j)), h.cost[j]
		net := h.net(int32(j))
		for _, v := range net {
			count[part[v]]++
		}
		lambda := 0
		for q, c := range count {
			if c == 0 {
				continue
			}
			lambda++
			for _, v := range net {
				s.present[int(v)*k+q] += cost
			}
		}
		if lambda > 1 {
			s.km1 += int64(lambda-1) * int64(cost)
		}
		for _, v := range net {
			s.degree[v] += cost
			if count[part[v]] == 1 {
				s.alone[v] += cost
			}
		}
	}
	return s
}

func (s *state) pinsIn(j int32) []int32 { return s.count[int(j)*s.k : (int(j)+1)*s.k] }

// gain returns by how much km1 would fall if v moved to q, which is not its part.
func (s *state) gain(v, q int32) int32 {
	return s.alone[v] - s.degree[v] + s.present[int(v)*s.k+int(q)]
}

// boundary reports whether v has a net with pins in several parts.
func (s *state) boundary(v int32) bool {
	row := s.present[int(v)*s.k : (int(v)+1)*s.k]
	own := s.part[v]
	for q, c := range row {
		if c > 0 && int32(q) != own {
			return true
		}
	}
	return false
}

// move moves v and calls touch, if it is not nil, with each vertex whose gains changed.
func (s *state) move(v, to int32, touch func(u int32)) {
	from := s.part[v]
	s.km1 -= int64(s.gain(v, to))
	w := int64(s.h.weight[v])
	s.load[from] -= w
	s.load[to] += w
	s.part[v] = to
	k := s.k
	alone := int32(0)
	for _, j := range s.h.netsOf(v) {
		cost := s.h.cost[j]
		count := s.pinsIn(j)
		count[from]--
		count[to]++
		was, is := count[from], count[to]
		if is == 1 {
			alone += cost
		}
		if was > 1 && is > 2 {
			continue
		}
		net := s.h.net(j)
		if was == 0 || is == 1 {
			for _, u := range net {
				row := s.present[int(u)*k : (int(u)+1)*k]
				if was == 0 {
					row[from] -= cost
				}
				if is == 1 {
					row[to] += cost
				}
				if touch != nil && u != v {
					touch(u)
				}
			}
		}
		if was == 1 {
			u := s.other(net, from, v)
			s.alone[u] += cost
			if touch != nil {
				touch(u)
			}
		}
		if is == 2 {
			u := s.other(net, to, v)
			s.alone[u] -= cost
			if touch != nil {
				touch(u)
			}
		}
	}
	s.alone[v] = alone
}

// other returns the only pin but v of a net in part q.
func (s *state) other(net []int32, q, v int32) int32 {
	for _, u := range net {
		if s.part[u] == q && u != v {
			return u
		}
	}
	panic("part: the counts of pins are wrong")
}

// best returns the part with room to which v is best moved, -1 if there is none. Among
// equal gains it prefers the part that is filled least.
func (s *state) best(v int32) (to, gain int32) {
	own, w := s.part[v], int64(s.h.weight[v])
	row := s.present[int(v)*s.k : (int(v)+1)*s.k]
	to = -1
	present, room := int32(-1), int64(0)
	for q, c := range row {
		if c < present || int32(q) == own {
			continue
		}
		left := s.limit[q] - s.load[q] - w
		if left < 0 || c == present && left <= room {
			continue
		}
		to, present, room = int32(q), c, left
	}
	return to, s.alone[v] - s.degree[v] + present
}

// overload returns by how much parts are above their limits, in all.
func (s *state) overload() int64 { return overload(s.load, s.limit) }

func overload(load, limit []int64) (sum int64) {
	for q, w := range load {
		sum += max(0, w-limit[q])
	}
	return sum
}

// loads returns the weight of each of k parts.
func partLoads(h *Hypergraph, part []int32, k int) []int64 {
	load := make([]int64, k)
	for v, q := range part {
		load[q] += int64(h.weight[v])
	}
	return load
}
