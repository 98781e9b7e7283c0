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
	ranks    [][]int32 // see coordinates
}

func newSpace(from, to Sharding) (*space, error) {
	for _, s := range []Sharding{from, to} {
		if s.cyclic() {
			return nil, refuse("Reshard", "%v is cyclic, which no steps can reach; set Options.Direct for one exchange", s)
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
		t *= int64(Cut(size, int(n[i]), 1))
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
			rest *= int64(Cut(size, int(m.n[i]), 1))
		}
	}
	nf, nt := int(m.n[m.from]), int(m.n[m.to])
	if sf, st := s.sizes[m.from], s.sizes[m.to]; sf%nf == 0 && st%(nt*m.factor) == 0 { // all alike
		if sf == 0 || st == 0 || rest == 0 {
			return price{}
		}
		return price{rest * int64(sf/nf) * int64(st/nt/m.factor) * int64(m.factor-1), int64(m.factor - 1)}
	}
	length := func(size, parts, c int) int64 { return int64(Cut(size, parts, c+1) - Cut(size, parts, c)) }
	var p price
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

// permute returns the cost of the difference between a state and others with as many
// parts. It is the largest tile that some rank gets and does not have.
func (s *space) permute(from state, n parts) func(to [][]byte) price {
	most, _ := s.tile(n)
	if most == 0 || s.even(n) {
		return func([][]byte) price { return price{most, min(most, 1)} }
	}
	ranks := s.coordinates()
	length := make([][]int64, len(s.sizes)) // of each part of each dimension
	for i, size := range s.sizes {
		for c := range int(n[i]) {
			length[i] = append(length[i], int64(Cut(size, int(n[i]), c+1)-Cut(size, int(n[i]), c)))
		}
	}
	part := func(list []byte, rank []int32) int {
		c := 0
		for _, a := range list {
			c = c*s.atoms[a-1].size + int(rank[a-1])
		}
		return c
	}
	old := make([]int, 0, len(ranks)*len(s.sizes)) // part of each rank in each dimension
	lists := from.lists()
	for _, rank := range ranks {
		for _, l := range lists {
			old = append(old, part(l, rank))
		}
	}
	return func(to [][]byte) price {
		var p price
		for r, rank := range ranks {
			tile, moves := int64(1), false
			for i, l := range to {
				c := part(l, rank)
				moves = moves || c != old[r*len(to)+i]
				tile *= length[i][c]
			}
			if moves && tile > p.elements {
				p = price{tile, 1}
				if tile == most {
					break
				}
			}
		}
		return p
	}
}

// coordinates returns the coordinates of all ranks along the atoms.
func (s *space) coordinates() [][]int32 {
	if s.ranks == nil {
		s.ranks = [][]int32{make([]int32, len(s.atoms))}
		for a, x := range s.atoms {
			for _, c := range s.ranks {
				for k := int32(1); k < int32(x.size); k++ {
					c = slices.Clone(c)
					c[a] = k
					s.ranks = append(s.ranks, c)
				}
			}
		}
	}
	return s.ranks
}

// leastPermute is a price that no permute of so many parts is below.
func (s *space) leastPermute(n parts) price {
	t := int64(1)
	for i, size := range s.sizes {
		t *= int64(size / int(n[i]))
	}
	return price{t, min(t, 1)}
}
