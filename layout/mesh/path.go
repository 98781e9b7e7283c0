package mesh

import (
	"fmt"
	"slices"
)

// plan turns a way through states into steps. Slices of one dimension become one step, and
// atoms of one axis that are always neighbours become one.
func (p path) plan(from, to Sharding) *Plan {
	way := p.slicesFirst()
	p.merge(way)
	q := &Plan{From: from, To: to, Mesh: p.mesh(from.mesh)}
	names := p.names(q.Mesh)
	before := p.sharding(q.Mesh, way[0].state)
	for _, n := range way[1:] {
		s := Step{Op: n.op, From: n.i, To: n.j, Before: before, After: p.sharding(q.Mesh, n.state)}
		for _, a := range n.atoms {
			s.Axes = append(s.Axes, names[a-1])
		}
		q.Steps = append(q.Steps, s)
		before = s.After
	}
	return q
}

// slicesFirst returns the way with one slice for each dimension, in their order.
func (p path) slicesFirst() []node {
	last := 0
	for last+1 < len(p.nodes) && p.nodes[last+1].op == Slice {
		last++
	}
	way := []node{p.nodes[0]}
	lists, sliced := p.nodes[0].state.lists(), p.nodes[last].state.lists()
	for i, l := range sliced {
		if extra := l[len(lists[i]):]; len(extra) > 0 {
			lists[i] = l
			way = append(way, node{state: stateOf(lists), op: Slice, atoms: extra, i: -1, j: i})
		}
	}
	return append(way, p.nodes[last+1:]...)
}

// merge makes one of neighbouring atoms of an axis as long as there are two that no state
// and no step of the way separates.
func (p path) merge(way []node) {
	for a := 0; a+1 < len(p.atoms); {
		x, y := byte(a+1), byte(a+2)
		together := p.atoms[a].axis == p.atoms[a+1].axis
		for _, n := range way {
			together = together && sideBySide([]byte(n.state), x, y) && sideBySide(n.atoms, x, y)
		}
		if !together {
			a++
			continue
		}
		p.atoms[a].size *= p.atoms[a+1].size
		p.atoms = slices.Delete(p.atoms, a+1, a+2)
		p.idle = slices.Delete(p.idle, a+1, a+2)
		for i := range way {
			way[i].state = state(drop([]byte(way[i].state), y))
			way[i].atoms = drop(way[i].atoms, y)
		}
	}
}

// sideBySide reports whether y comes right after x, or neither is there.
func sideBySide(list []byte, x, y byte) bool {
	i, j := slices.Index(list, x), slices.Index(list, y)
	return i < 0 && j < 0 || i >= 0 && j == i+1
}

// drop returns list without y, and with what comes after y counted one lower.
func drop(list []byte, y byte) []byte {
	var kept []byte
	for _, x := range list {
		switch {
		case x < y:
			kept = append(kept, x)
		case x > y:
			kept = append(kept, x-1)
		}
	}
	return kept
}

// mesh returns m with axes split into the atoms that are left of each.
func (p path) mesh(m Mesh) Mesh {
	for a, axis := range slices.Clone(m.axes) {
		var sizes []int
		for _, x := range p.atoms {
			if x.axis == a {
				sizes = append(sizes, x.size)
			}
		}
		if len(sizes) > 1 {
			m = m.split(axis.Name, sizes)
		}
	}
	return m
}

// split is Split for sizes that are right; of names that are taken it finds others.
func (m Mesh) split(axis string, sizes []int) Mesh {
	at := m.index(axis)
	var parts []Axis
	for i, n := range sizes {
		name := fmt.Sprintf("%s.%d", axis, i)
		for m.index(name) >= 0 {
			name += "_"
		}
		parts = append(parts, Axis{name, n})
	}
	return Mesh{slices.Concat(m.axes[:at], parts, m.axes[at+1:])}
}

// names returns what the atoms are called in a mesh that has an axis for each, and others
// of size 1.
func (p path) names(m Mesh) []string {
	var names []string
	for _, a := range m.axes {
		if a.Size > 1 {
			names = append(names, a.Name)
		}
	}
	return names
}

func (p path) sharding(m Mesh, s state) Sharding {
	names := p.names(m)
	dims := make([]Dim, len(p.sizes))
	for i, l := range s.lists() {
		dims[i].Size = p.sizes[i]
		for _, a := range l {
			dims[i].Axes = append(dims[i].Axes, names[a-1])
		}
	}
	return Must(m.Shard(dims...))
}
