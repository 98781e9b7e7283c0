package part

import (
	"math"
	"math/bits"
)

// divide makes as many parts as there are limits, three at least, by a bisection and divisions of its
// sides. A net that was cut goes on as one of either side, so that the costs of what is cut
// add up to km1.
func (m *maker) divide(h *Hypergraph, limit []int64) []int32 {
	part := make([]int32, h.Vertices())
	half := len(limit) / 2
	sides := m.multilevel(h, sideLimits(h.total, limit, half), nil)
	for side, l := range [][]int64{limit[:half], limit[half:]} {
		sub, vertices := induce(h, sides, int32(side))
		for i, q := range m.multilevel(sub, l, nil) {
			part[vertices[i]] = q + int32(side*half)
		}
	}
	return part
}

// sideLimits returns what the sides of a bisection may weigh so that each can be divided
// within limits. The slack is shared out geometrically among the bisections to come
// (Schlag et al., ALENEX 2016).
func sideLimits(total int64, limit []int64, half int) []int64 {
	var sums [2]int64
	for q, l := range limit {
		if q < half {
			sums[0] += l
		} else {
			sums[1] += l
		}
	}
	all := float64(sums[0] + sums[1])
	depth := bits.Len(uint(len(limit) - 1))
	slack := 1.0
	if total > 0 {
		// Powers differ in their last bits from machine to machine, partitions must not.
		slack = math.Round(math.Pow(all/float64(total), 1/float64(depth))*(1<<30)) / (1 << 30)
	}
	out := make([]int64, 2)
	for side, sum := range sums {
		out[side] = min(sum, int64(math.Ceil(slack*float64(total)*float64(sum)/all)))
	}
	return out
}

// induce returns the hypergraph of the vertices in part q, and which vertices they are. Its
// nets have their pins in q, if these are at least two.
func induce(h *Hypergraph, part []int32, q int32) (sub *Hypergraph, vertices []int32) {
	name := make([]int32, h.Vertices())
	sub = &Hypergraph{first: []int32{0}}
	for v, p := range part {
		name[v] = -1
		if p == q {
			name[v] = int32(len(vertices))
			vertices = append(vertices, int32(v))
			sub.weight = append(sub.weight, h.weight[v])
		}
	}
	for j := range int32(h.Nets()) {
		from := len(sub.pins)
		for _, v := range h.net(j) {
			if name[v] >= 0 {
				sub.pins = append(sub.pins, name[v])
			}
		}
		if len(sub.pins)-from < 2 {
			sub.pins = sub.pins[:from]
			continue
		}
		sub.cost = append(sub.cost, h.cost[j])
		sub.first = append(sub.first, int32(len(sub.pins)))
	}
	sub.finish()
	return sub, vertices
}
