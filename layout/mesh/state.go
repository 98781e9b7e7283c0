package mesh

import "slices"

// A state is a sharding by atoms: those that cut dimension 0, counted from 1, a zero,
// those that cut dimension 1, and so on.
type state string

func stateOf(lists [][]byte) state {
	var b []byte
	for _, l := range lists {
		b = append(append(b, l...), 0)
	}
	return state(b)
}

// lists returns the atoms by dimension, as slices that may be appended to.
func (s state) lists() [][]byte {
	var lists [][]byte
	from := 0
	for i := range len(s) {
		if s[i] == 0 {
			lists = append(lists, slices.Clip([]byte(s[from:i])))
			from = i + 1
		}
	}
	return lists
}

// parts says into how many parts each dimension is cut.
type parts [maxDims]int32

// A space is what the plans of one search have in common.
type space struct {
	sizes    []int // of the dimensions
	atoms    []atom
	from, to state
	limit    int64 // elements of a tile
	least    int64 // of a tile, too: 0 but in tests
	idle     []bool
	moves    map[move]price
}

func newSpace(from, to Sharding) (*space, error) {
	for _, s := range []Sharding{from, to} {
		if s.cyclic() {
			return nil, refuse("Reshard", "%v is cyclic, for which there are no steps; set Options.Direct for an exchange at once", s)
		}
	}
	atoms, err := atomsOf(from, to)
	if err != nil {
		return nil, err
	}
	s := &space{sizes: from.Shape(), atoms: atoms, limit: max(from.Tile(), to.Tile()), moves: map[move]price{}}
	cut := [2][]bool{from.cuts(), to.cuts()}
	for _, a := range atoms {
		s.idle = append(s.idle, !cut[0][a.axis] && !cut[1][a.axis])
	}
	s.from, s.to = s.state(from), s.state(to)
	return s, nil
}

func (s *space) state(of Sharding) state {
	lists := make([][]byte, len(of.dims))
	for i, d := range of.dims {
		for _, axis := range d.axes {
			for k, a := range s.atoms {
				if a.axis == axis {
					lists[i] = append(lists[i], byte(k+1))
				}
			}
		}
	}
	return stateOf(lists)
}

func (s *space) parts(of state) parts {
	var n parts
	for i, l := range of.lists() {
		n[i] = int32(s.product(l))
	}
	return n
}

// product returns how many parts atoms make.
func (s *space) product(atoms []byte) int {
	n := 1
	for _, a := range atoms {
		n *= s.atoms[a-1].size
	}
	return n
}

// tile returns the elements of the largest tile, and whether that is within the bounds.
func (s *space) tile(n parts) (int64, bool) {
	t := int64(1)
	for i, size := range s.sizes {
		t *= int64(cut(size, int(n[i]), 1))
	}
	return t, s.least <= t && t <= s.limit
}

// even reports whether all tiles have the same size.
func (s *space) even(n parts) bool {
	for i, size := range s.sizes {
		if size%int(n[i]) != 0 {
			return false
		}
	}
	return true
}

// A move is an all-to-all of a factor from one dimension to another, or a gather if these
// are the same.
type move struct {
	n        parts // before it
	from, to int
	factor   int
}

// price returns what a move costs.
func (s *space) price(m move) price {
	if p, known := s.moves[m]; known {
		return p
	}
	var p price
	if m.from == m.to {
		if t, _ := s.tile(m.n); t > 0 {
			p = price{int64(m.factor-1) * t, int64(m.factor - 1)}
		}
	} else {
		p = s.allToAll(m)
	}
	s.moves[m] = p
	return p
}

// allToAll prices a move. The ranks that differ along what is moved are numbered k; each
// keeps part k of its tile, cut along m.to, and sends the others. Which tile a rank has in
// one dimension says nothing on the others, so the largest product is that of the largest
// factors.
func (s *space) allToAll(m move) price {
	rest := int64(1)
	for i, size := range s.sizes {
		if i != m.from && i != m.to {
			rest *= int64(cut(size, int(m.n[i]), 1))
		}
	}
	length := func(size, parts, c int) int64 { return int64(cut(size, parts, c+1) - cut(size, parts, c)) }
	var p price
	nf, nt := int(m.n[m.from]), int(m.n[m.to])
	for k := range m.factor {
		own, sent, peers := int64(0), int64(0), int64(0)
		for c := k; c < nf; c += m.factor {
			own = max(own, length(s.sizes[m.from], nf, c))
		}
		if own*rest == 0 {
			continue
		}
		for c := range nt {
			sent = max(sent, length(s.sizes[m.to], nt, c)-length(s.sizes[m.to], nt*m.factor, c*m.factor+k))
			n := int64(0)
			for l := range m.factor {
				if l != k && length(s.sizes[m.to], nt*m.factor, c*m.factor+l) > 0 {
					n++
				}
			}
			peers = max(peers, n)
		}
		p.elements = max(p.elements, own*sent*rest)
		p.messages = max(p.messages, peers)
	}
	return p
}

// permute prices the change of one state to another with as many parts: the largest tile
// that some rank gets which does not have it.
func (s *space) permute(from, to state, n parts) price {
	most, _ := s.tile(n)
	if from == to || most == 0 {
		return price{}
	}
	if s.even(n) {
		return price{most, 1}
	}
	lists := [2][][]byte{from.lists(), to.lists()}
	at := make([]int, len(s.atoms)) // coordinates of a rank
	var p price
	for {
		tile, moves := int64(1), false
		for i, size := range s.sizes {
			var c [2]int
			for k := range c {
				for _, a := range lists[k][i] {
					c[k] = c[k]*s.atoms[a-1].size + at[a-1]
				}
			}
			moves = moves || c[0] != c[1]
			tile *= int64(cut(size, int(n[i]), c[1]+1) - cut(size, int(n[i]), c[1]))
		}
		if moves && tile > p.elements {
			p = price{tile, 1}
			if tile == most {
				return p
			}
		}
		k := 0
		for ; k < len(at); k++ {
			if at[k]++; at[k] < s.atoms[k].size {
				break
			}
			at[k] = 0
		}
		if k == len(at) {
			return p
		}
	}
}

// leastPermute is a price that no permute of so many parts is below.
func (s *space) leastPermute(n parts) price {
	t := int64(1)
	for i, size := range s.sizes {
		t *= int64(size / int(n[i]))
	}
	return price{t, min(t, 1)}
}
