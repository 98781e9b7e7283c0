package part

// merging makes a hypergraph of nets that come one by one, pin by pin. It drops nets of fewer than two pins, and those
// with the same pins become one, with the sum of their costs.
type merging struct {
	*Hypergraph
	mine   stamps           // pins of the net in hand
	from   int              // where they begin
	sum    uint64           // over them
	last   map[uint64]int32 // by that sum, the last net that has it, from 1
	before []int32          // of each net, the one before it with the same sum, from 1
}

func newMerging(h *Hypergraph) *merging {
	h.first = []int32{0}
	return &merging{Hypergraph: h, mine: newStamps(h.Vertices()), last: map[uint64]int32{}}
}

// begin begins a net.
func (m *merging) begin() {
	m.mine.next()
	m.from, m.sum = len(m.pins), 0
}

// pin adds a vertex to the net, once.
func (m *merging) pin(v int32) {
	if m.mine.meet(v) {
		m.pins = append(m.pins, v)
		m.sum += mix(uint64(v))
	}
}

// end ends the net.
func (m *merging) end(cost int32) {
	net := m.pins[m.from:]
	if len(net) < 2 {
		m.pins = m.pins[:m.from]
		return
	}
	// Among nets with as many pins, one all of whose pins are in this net is the same.
	for j := m.last[m.sum]; j > 0; j = m.before[j-1] {
		if pins := m.net(j - 1); len(pins) == len(net) && m.mine.all(pins) {
			m.cost[j-1] += cost
			m.pins = m.pins[:m.from]
			return
		}
	}
	m.cost = append(m.cost, cost)
	m.first = append(m.first, int32(len(m.pins)))
	m.before = append(m.before, m.last[m.sum])
	m.last[m.sum] = int32(len(m.cost))
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// stamps tell what was met since the last call of next.
type stamps struct {
	at  []int32 // the last round, from 1, in which each was
	now int32
}

func newStamps(n int) stamps { return stamps{at: make([]int32, n)} }

func (s *stamps) next() {
	if s.now++; s.now < 0 {
		clear(s.at)
		s.now = 1
	}
}

// meet notes that v is met, and reports whether it was not before.
func (s *stamps) meet(v int32) bool {
	was := s.at[v]
	s.at[v] = s.now
	return was != s.now
}

func (s *stamps) met(v int32) bool { return s.at[v] == s.now }

// all reports whether all of a list were met.
func (s *stamps) all(list []int32) bool {
	for _, v := range list {
		if !s.met(v) {
			return false
		}
	}
	return true
}
