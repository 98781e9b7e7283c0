package part

import (
	"fmt"
	"slices"
	"strings"
)

// Metrics says what a partition costs. Amounts are sums of costs of nets: with the
// default costs, rows of B.
type Metrics struct {
	K         int
	KM1       int64   // sent in all: for each net, its cost for each part but one that has pins of it
	Cut       int64   // the cost of all nets with pins in several parts
	AllGather int64   // what would be sent if every part got every row
	MaxSend   int64   // the most that one part sends
	MaxRecv   int64   // the most that one part receives
	Messages  int     // pairs of parts of which one sends to the other
	Imbalance float64 // by how much the heaviest part is above the mean, rounded up: .03 is 3 %
	Empty     int     // parts without vertices
	Sent      []int64 // by each part
	Received  []int64
	Weights   []int64 // of the vertices of each part
}

// Measure returns what p costs, with rows of B where [Owners] places them. It panics if p is
// not a partition of the vertices of h.
func Measure(h *Hypergraph, p Partition) Metrics {
	owners, err := Owners(h, p)
	if err != nil {
		panic(err)
	}
	s := Metrics{K: p.k, Sent: make([]int64, p.k), Received: make([]int64, p.k), Weights: make([]int64, p.k)}
	size := make([]int, p.k)
	for v, q := range p.part {
		s.Weights[q] += int64(h.weight[v])
		size[q]++
	}
	for _, n := range size {
		if n == 0 {
			s.Empty++
		}
	}
	if mean := (h.total + int64(p.k) - 1) / int64(p.k); mean > 0 {
		s.Imbalance = float64(slices.Max(s.Weights))/float64(mean) - 1
	}
	m := newMarker(p.k)
	var pairs pairs
	for j := range h.Nets() {
		cost, owner := int64(h.cost[j]), owners.part[j]
		parts := m.parts(h, p.part, int32(j))
		s.AllGather += cost * int64(p.k-1)
		if len(parts) < 2 {
			continue
		}
		s.KM1 += cost * int64(len(parts)-1)
		s.Cut += cost
		for _, q := range parts {
			if q != owner {
				s.Sent[owner] += cost
				s.Received[q] += cost
				pairs.add(owner, q)
			}
		}
	}
	s.MaxSend, s.MaxRecv = slices.Max(s.Sent), slices.Max(s.Received)
	s.Messages = pairs.count()
	return s
}

// pairs is a set of pairs of parts. It is sorted now and then, so that its memory goes with
// the pairs that there are, and not with all that could be.
type pairs struct {
	list   []uint64
	sorted int
}

func (p *pairs) add(from, to int32) {
	p.list = append(p.list, uint64(from)<<32|uint64(to))
	if len(p.list) > 2*p.sorted+1<<16 {
		p.count()
	}
}

func (p *pairs) count() int {
	slices.Sort(p.list)
	p.list = slices.Compact(p.list)
	p.sorted = len(p.list)
	return p.sorted
}

// tableParts is up to how many parts [Metrics.String] has a line for each.
const tableParts = 32

// String is a summary of a few lines, and one for each part if there are at most 32.
func (s Metrics) String() string {
	var b strings.Builder
	share := 0.0
	if s.AllGather > 0 {
		share = 100 * float64(s.KM1) / float64(s.AllGather)
	}
	fmt.Fprintf(&b, "parts      %d", s.K)
	if s.Empty > 0 {
		fmt.Fprintf(&b, ", of which %d are empty", s.Empty)
	}
	fmt.Fprintf(&b, "\nsent       %d in %d messages, %.1f %% of an all-gather\n", s.KM1, s.Messages, share)
	fmt.Fprintf(&b, "cut        %d\n", s.Cut)
	fmt.Fprintf(&b, "one part   sends %d at most, receives %d\n", s.MaxSend, s.MaxRecv)
	fmt.Fprintf(&b, "imbalance  %.2f %%\n", 100*s.Imbalance)
	if s.K > tableParts {
		return b.String()
	}
	fmt.Fprintf(&b, "%4s %12s %12s %12s\n", "part", "weight", "sends", "receives")
	for q := range s.K {
		fmt.Fprintf(&b, "%4d %12d %12d %12d\n", q, s.Weights[q], s.Sent[q], s.Received[q])
	}
	return b.String()
}
