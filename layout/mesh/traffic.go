package mesh

import "slices"

// Traffic returns how many elements and messages every rank sends to others, without
// making the pieces.
func (x Exchange) Traffic() (elements, messages []int64) {
	ranks := x.from.mesh.Size()
	elements, messages = make([]int64, ranks), make([]int64, ranks)
	copies := int64(1) // of each part of the new sharding, among those who get it from one rank
	for _, a := range x.gathered {
		copies *= int64(x.from.mesh.axes[a].Size)
	}
	for r := range ranks {
		at := x.from.mesh.Coordinates(r)
		if len(x.choices) > 0 {
			// One of the ranks that hold the same counts for all of them.
			if !slices.ContainsFunc(x.choices, func(a int) bool { return at[a] > 0 }) {
				x.choose(at, elements, messages)
			}
			continue
		}
		// Nobody else holds what r has. So r gives all of its tile to all copies of all parts
		// that have some of it, except what it keeps.
		before, after := x.from.part(at), x.to.part(at)
		all, parts, kept := copies, copies, int64(1)
		for i, d := range x.from.dims {
			all *= int64(d.length(before[i]))
			parts *= int64(d.met(before[i], x.to.dims[i]))
			kept *= int64(d.common(before[i], x.to.dims[i], after[i]))
		}
		elements[r], messages[r] = all-kept, parts-min(kept, 1)
	}
	return elements, messages
}

// choose adds what all ranks send that hold what the rank at these coordinates does.
func (x Exchange) choose(at []int, elements, messages []int64) {
	own := x.from.part(at)
	givers := x.givers(own, at)
	for part := range x.parts(own) {
		n := int64(1)
		for i, d := range x.from.dims {
			n *= int64(d.common(own[i], x.to.dims[i], part[i]))
		}
		for dst := range x.holders(x.to, x.gathered, part, at) {
			if src, other := givers[dst]; other {
				elements[src] += n
				messages[src]++
			}
		}
	}
}

// met returns how many parts of e have indices of part c.
func (d dim) met(c int, e dim) int {
	if n := d.length(c); d.block > 0 || e.block > 0 {
		return len(d.meets(c, e))
	} else if n == 0 || e.parts >= e.size {
		return n // each has one at most
	}
	first, _, _ := e.owner(d.first(c))
	last, _, _ := e.owner(d.first(c+1) - 1)
	return last - first + 1
}

// meets returns the parts of e that have indices of part c, in the order of their first.
func (d dim) meets(c int, e dim) (list []int) {
	seen := map[int]bool{}
	for lo, hi := range d.runs(c) {
		for lo < hi {
			part, _, n := e.owner(lo)
			if !seen[part] {
				seen[part] = true
				list = append(list, part)
			}
			if lo += n; len(list) == e.parts {
				return list
			}
		}
	}
	return list
}

// common returns how many indices part c and part b of e have in common.
func (d dim) common(c int, e dim, b int) int {
	if d.block == 0 && e.block == 0 {
		return max(0, min(d.first(c+1), e.first(b+1))-max(d.first(c), e.first(b)))
	}
	n := 0
	for lo, hi := range d.runs(c) {
		for lo < hi {
			part, _, k := e.owner(lo)
			if k = min(k, hi-lo); part == b {
				n += k
			}
			lo += k
		}
	}
	return n
}
