package fn

import "slices"

// The order in which nodes are computed. Depth first, the operands of a result come
// right before it, which keeps the code of an expression together. In an unrolled loop,
// the results of all trips then wait for each other. If that takes more registers than
// the smallest target has, nodes are computed as soon as that frees one.

// Registers that an order may take without a search for another: masks of AVX-512; and
// for AVX2, whose masks are vectors, all but those that addresses and constants need.
const (
	freeMasks   = 6
	freeVectors = 11
)

// pressure is how many registers are needed at once.
type pressure struct{ masks, vectors int } // vectors counts masks too

func (p pressure) fits() bool { return p.masks <= freeMasks && p.vectors <= freeVectors }

// schedule orders the nodes of f.
func (f *Func) schedule() {
	first := f.pressure(f.order)
	if first.fits() {
		return
	}
	other := f.eager()
	if p := f.pressure(other); max(p.vectors, 2*p.masks) < max(first.vectors, 2*first.masks) {
		f.order = other
	}
}

// operands returns the nodes that have to be in registers where n is computed. Operands
// of a node that is computed as part of n are n's own.
func (f *Func) operands(n *node) []*node {
	var out []*node
	for _, a := range n.args {
		switch {
		case a.isConst():
		case f.inside[a]:
			out = append(out, f.operands(a)...)
		case !slices.Contains(out, a):
			out = append(out, a)
		}
	}
	return out
}

// pressure follows an order.
func (f *Func) pressure(order []*node) pressure {
	last := map[*node]int{}
	for i, n := range order {
		if !f.inside[n] {
			for _, a := range f.operands(n) {
				last[a] = i
			}
		}
	}
	for _, n := range f.out {
		last[n] = len(order)
	}
	ends := make([][]*node, len(order)+1)
	for n, i := range last {
		ends[i] = append(ends[i], n)
	}
	var now, most pressure
	count := func(n *node, by int) {
		now.vectors += by
		if n.t == Bool {
			now.masks += by
		}
	}
	for i, n := range order {
		if n.isConst() || f.inside[n] {
			continue
		}
		for _, a := range ends[i] {
			count(a, -1)
		}
		if _, used := last[n]; used {
			count(n, 1)
		}
		most = pressure{max(most.masks, now.masks), max(most.vectors, now.vectors)}
	}
	return most
}

// eager computes what frees most registers first, and otherwise what was written first.
func (f *Func) eager() []*node {
	users, waits := map[*node][]*node{}, map[*node]int{}
	left := map[*node]int{} // users still to come; a result has one more
	for _, n := range f.order {
		if n.isConst() || f.inside[n] {
			continue
		}
		for _, a := range f.operands(n) {
			users[a] = append(users[a], n)
			waits[n]++
			left[a]++
		}
	}
	for _, n := range f.out {
		left[n]++
	}
	var ready, order []*node
	for _, n := range f.order {
		switch {
		case f.inside[n]:
		case n.isConst():
			order = append(order, n)
		case waits[n] == 0:
			ready = append(ready, n)
		}
	}
	frees := func(n *node) (k int) {
		for _, a := range f.operands(n) {
			if left[a] == 1 {
				k++
			}
		}
		return k
	}
	for len(ready) > 0 {
		best, most := 0, -1
		for i, n := range ready {
			if k := frees(n); k > most || k == most && n.id < ready[best].id {
				best, most = i, k
			}
		}
		n := ready[best]
		ready = slices.Delete(ready, best, best+1)
		order = f.with(order, n)
		for _, a := range f.operands(n) {
			left[a]--
		}
		for _, u := range users[n] {
			if waits[u]--; waits[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	return order
}

// with appends n after what is computed as part of it.
func (f *Func) with(order []*node, n *node) []*node {
	for _, a := range n.args {
		if f.inside[a] {
			order = f.with(order, a)
		}
	}
	return append(order, n)
}
