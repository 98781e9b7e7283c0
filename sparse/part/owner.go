package part

import (
	"cmp"
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
)

// Owners returns the part where each row of B lies, given that of each row of C. For a
// conformal hypergraph that is p. Otherwise a row that is needed lies in a part that
// needs it. The rows that are sent most choose first, and take the part that sends least
// so far. A row that nobody needs goes where there are fewest.
func Owners(h *Hypergraph, p Partition) (Partition, error) {
	if err := checkFit("Owners", h, p); err != nil {
		return Partition{}, err
	}
	if h.conformal {
		return p, nil
	}
	return Partition{p.k, freeOwners(h, p)}, nil
}

func checkFit(where string, h *Hypergraph, p Partition) error {
	if p.k < 1 || p.Len() != h.Vertices() {
		return fail(sparse.ErrLength, where, "a partition of the same matrix", "%v, but the hypergraph has %d", p, h.Vertices())
	}
	return nil
}

func freeOwners(h *Hypergraph, p Partition) []int32 {
	m := newMarker(p.k)
	copies := make([]int64, h.Nets()) // that the owner sends
	order := make([]int32, h.Nets())
	for j := range order {
		order[j] = int32(j)
		copies[j] = int64(len(m.parts(h, p.part, int32(j)))-1) * int64(h.cost[j])
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(copies[b], copies[a]) })
	owner := make([]int32, h.Nets())
	sent, owned := make([]int64, p.k), make([]int, p.k)
	var unused []int32
	for _, j := range order {
		parts := m.parts(h, p.part, j)
		if len(parts) == 0 {
			unused = append(unused, j)
			continue
		}
		best := parts[0]
		for _, q := range parts[1:] {
			if sent[q] < sent[best] || sent[q] == sent[best] && (owned[q] < owned[best] || owned[q] == owned[best] && q < best) {
				best = q
			}
		}
		owner[j] = best
		sent[best] += copies[j]
		owned[best]++
	}
	slices.Sort(unused)
	fewest := make(loads, p.k) // numbers of rows and parts in one, so that a heap can be had of them
	for q := range fewest {
		fewest[q] = int64(owned[q])*MaxParts + int64(q)
	}
	fewest.init()
	for _, j := range unused {
		owner[j] = int32(fewest[0] % MaxParts)
		fewest.add(MaxParts)
	}
	return owner
}

// marker lists the parts of a net, in time that goes with its pins.
type marker struct {
	stamps
	list []int32
}

func newMarker(k int) *marker { return &marker{stamps: newStamps(k)} }

// parts returns the parts in which net j has pins, in the order of pins; valid until the
// next call.
func (m *marker) parts(h *Hypergraph, part []int32, j int32) []int32 {
	m.next()
	m.list = m.list[:0]
	for _, v := range h.net(j) {
		if q := part[v]; m.meet(q) {
			m.list = append(m.list, q)
		}
	}
	return m.list
}
