package mesh

import (
	"container/heap"
	"slices"
)

// maxStates bounds the search.
const maxStates = 1 << 20

// A node is a state that a search reached, and how.
type node struct {
	state state
	phase phase
	paid  price
	from  int // the node before it; -1 for the first
	op    Op
	// The atoms that all-to-all and gather took from a dimension, and where they went.
	atoms []byte
	i, j  int
}

// A visit is an entry of the open list: a node to go on from, by permutes or by all else.
// Permutes are many, so that they are only made when nothing cheaper is left.
type visit struct {
	node    int
	permute bool
}

type key struct {
	state state
	phase phase
}

// A searcher is one run of A*: states in the order of what a plan through them costs at
// least. The bound is exact except for names, and a step never lowers it by more than
// its price. So the first way to a state is its cheapest.
type searcher struct {
	*space
	time  Time
	bound bound
	nodes []node
	open  queue[visit]
	best  map[key]price
	done  map[key]bool
}

// path is the way to the last node.
type path struct {
	*space
	nodes  []node
	states int // that the search looked at
}

func search(from, to Sharding, time Time) (path, price, error) {
	s, err := newSpace(from, to)
	if err != nil {
		return path{}, price{}, err
	}
	return s.search(from, to, time)
}

func (s *space) search(from, to Sharding, time Time) (path, price, error) {
	a := &searcher{space: s, time: time, bound: s.bound(time), open: queue[visit]{time: time}, best: map[key]price{}, done: map[key]bool{}}
	a.reach(node{state: s.from, from: -1}, s.parts(s.from))
	for a.open.Len() > 0 {
		top := heap.Pop(&a.open).(item[visit])
		n := a.nodes[top.at.node]
		k := key{n.state, n.phase}
		switch {
		case n.state == s.to:
			var way []node
			for i := top.at.node; i >= 0; i = a.nodes[i].from {
				way = append(way, a.nodes[i])
			}
			slices.Reverse(way)
			return path{s, way, len(a.nodes)}, n.paid, nil
		case top.at.permute:
			a.permutes(top.at.node)
		case !a.done[k]:
			a.done[k] = true
			a.expand(top.at.node)
		}
		if len(a.nodes) > maxStates {
			return path{}, price{}, refuse("Reshard", "from %v to %v on %v: more than %d states to search", from, to, from.mesh, maxStates)
		}
	}
	return path{}, price{}, refuse("Reshard", "from %v to %v on %v no steps lead without tiles of more than %d elements; set Options.Direct for an exchange at once",
		from, to, from.mesh, s.limit)
}

// reach adds a node with so many parts if no way that is as cheap led there before.
func (a *searcher) reach(n node, has parts) {
	left, ok := a.bound[n.phase][has]
	if !ok {
		return
	}
	k := key{n.state, n.phase}
	if q, seen := a.best[k]; seen && a.time.compare(q, n.paid) <= 0 {
		return
	}
	a.best[k] = n.paid
	a.nodes = append(a.nodes, n)
	heap.Push(&a.open, item[visit]{at: visit{node: len(a.nodes) - 1}, f: n.paid.plus(left), h: left})
}

// expand adds all that one operation leads to from a node, but permutes.
func (a *searcher) expand(at int) {
	n := a.nodes[at]
	lists := n.state.lists()
	has := a.parts(n.state)
	if n.phase == slicing {
		a.slices(at, lists, has)
	}
	for i, l := range lists {
		if len(l) == 0 {
			continue
		}
		last := len(l) - 1
		lists[i] = l[:last]
		f := a.atoms[l[last]-1].size
		left := has
		left[i] /= int32(f)
		a.reach(node{state: stateOf(lists), phase: gathering, paid: n.paid.plus(a.price(move{has, i, i, f})),
			from: at, op: Gather, atoms: l[last:], i: i, j: -1}, left)
		for first := last; first >= 0 && n.phase <= moving; first-- {
			moved := l[first:]
			lists[i] = l[:first:first]
			f := a.product(moved)
			left := has
			left[i] /= int32(f)
			for j, to := range lists {
				if j == i {
					continue
				}
				lists[j] = slices.Concat(to, moved)
				there := left
				there[j] *= int32(f)
				a.reach(node{state: stateOf(lists), phase: moving, paid: n.paid.plus(a.price(move{has, i, j, f})),
					from: at, op: AllToAll, atoms: moved, i: i, j: j}, there)
				lists[j] = to
			}
		}
		lists[i] = l
	}
	if left, ok := a.bound[moving][has]; ok && n.phase <= moving && n.op != Permute {
		f := n.paid.plus(a.leastPermute(has)).plus(left)
		heap.Push(&a.open, item[visit]{at: visit{at, true}, f: f, h: left})
	}
}

// slices adds the states in which one more atom cuts. Idle atoms of one size are alike, so
// that they are used in their order.
func (a *searcher) slices(at int, lists [][]byte, has parts) {
	n := a.nodes[at]
	used := make([]bool, len(a.atoms))
	for _, l := range lists {
		for _, x := range l {
			used[x-1] = true
		}
	}
	for k, x := range a.atoms {
		if used[k] || a.idle[k] && slices.ContainsFunc(seq(k), func(b int) bool { return a.idle[b] && !used[b] && a.atoms[b].size == x.size }) {
			continue
		}
		for i, l := range lists {
			lists[i] = append(l, byte(k+1))
			there := has
			there[i] *= int32(x.size)
			a.reach(node{state: stateOf(lists), phase: slicing, paid: n.paid, from: at, op: Slice, atoms: lists[i][len(l):], i: -1, j: i}, there)
			lists[i] = l
		}
	}
}

// permutes adds all states with as many parts as a node's.
func (a *searcher) permutes(at int) {
	n := a.nodes[at]
	want := a.parts(n.state)
	price := a.permute(n.state, want)
	lists := make([][]byte, len(a.sizes))
	used := make([]bool, len(a.atoms))
	var fill func(i, parts int)
	fill = func(i, parts int) {
		if i == len(lists) {
			if to := stateOf(lists); to != n.state {
				a.reach(node{state: to, phase: moving, paid: n.paid.plus(price(lists)), from: at, op: Permute, i: -1, j: -1}, want)
			}
			return
		}
		if parts == int(want[i]) {
			fill(i+1, 1)
			return
		}
		for k, x := range a.atoms {
			if used[k] || int(want[i])%(parts*x.size) != 0 {
				continue
			}
			used[k] = true
			lists[i] = append(lists[i], byte(k+1))
			fill(i, parts*x.size)
			lists[i] = lists[i][:len(lists[i])-1]
			used[k] = false
		}
	}
	fill(0, 1)
}

func seq(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
