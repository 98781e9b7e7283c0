package part

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/sparse"
)

// Hypergraph is vertices with weights and nets with costs. A net joins any number of
// vertices, its pins. It cannot be changed.
type Hypergraph struct {
	weight    []int32 // of vertices
	cost      []int32 // of nets
	first     []int32 // the pins of net j are pins[first[j]:first[j+1]], ascending if ColumnNet made them
	pins      []int32
	at        []int32 // the nets of vertex v are nets[at[v]:at[v+1]], ascending
	nets      []int32
	total     int64 // of weight
	conformal bool  // net j lies where vertex j does
}

// NewHypergraph returns a hypergraph of copies of its arguments: the pins of net j, vertices
// from 0, are pins[first[j]:first[j+1]]. weight has one number for each vertex, cost one for
// each net; nil stands for ones. None is negative, and neither sum is more than
// [math.MaxInt32]. A net may be empty, but has no pin twice.
func NewHypergraph(vertices int, first, pins, weight, cost []int32) (*Hypergraph, error) {
	const where = "NewHypergraph"
	if vertices < 0 || vertices > sparse.MaxDim {
		return nil, fail(sparse.ErrSize, where, fmt.Sprintf("vertices are from 0 to %d", sparse.MaxDim), "%d vertices", vertices)
	}
	if len(first) == 0 || first[0] != 0 || int(first[len(first)-1]) != len(pins) {
		return nil, fail(sparse.ErrPointers, where, "first goes from 0 to the number of pins", "%d pointers and %d pins do not fit", len(first), len(pins))
	}
	nets := len(first) - 1
	if nets > sparse.MaxDim {
		return nil, fail(sparse.ErrSize, where, fmt.Sprintf("nets are from 0 to %d", sparse.MaxDim), "%d nets", nets)
	}
	for j := range nets {
		if first[j] > first[j+1] || int(first[j+1]) > len(pins) {
			return nil, fail(sparse.ErrPointers, where, "pointers ascend", "the pins of net %d are from %d to %d", j, first[j], first[j+1])
		}
	}
	seen := newStamps(vertices)
	for j := range nets {
		seen.next()
		for _, v := range pins[first[j]:first[j+1]] {
			if v < 0 || int(v) >= vertices {
				return nil, fail(sparse.ErrIndex, where, fmt.Sprintf("vertices are from 0 to %d", vertices-1), "net %d has pin %d", j, v)
			}
			if !seen.meet(v) {
				return nil, fail(sparse.ErrIndex, where, "a net has a vertex once", "net %d has pin %d twice", j, v)
			}
		}
	}
	weight, err := numbers(where, "weights", "vertices", weight, vertices)
	if err != nil {
		return nil, err
	}
	cost, err = numbers(where, "costs", "nets", cost, nets)
	if err != nil {
		return nil, err
	}
	h := &Hypergraph{weight: weight, cost: cost, first: append([]int32(nil), first...), pins: append([]int32(nil), pins...)}
	h.finish()
	return h, nil
}

// numbers returns a copy of list, ones if it is nil, after checking what a Hypergraph promises.
func numbers(where, what, of string, list []int32, n int) ([]int32, error) {
	out := make([]int32, n)
	if list == nil {
		for i := range out {
			out[i] = 1
		}
		return out, nil
	}
	if len(list) != n {
		return nil, fail(sparse.ErrLength, where, "one each", "%d %s for %d %s", len(list), what, n, of)
	}
	sum := int64(0)
	for i, x := range list {
		if x < 0 {
			return nil, fail(sparse.ErrSize, where, "none is negative", "number %d of the %s is %d", i, what, x)
		}
		sum += int64(x)
	}
	if sum > math.MaxInt32 {
		return nil, fail(sparse.ErrSize, where, fmt.Sprintf("at most %d; scale them", math.MaxInt32), "the %s add up to %d", what, sum)
	}
	copy(out, list)
	return out, nil
}

// finish makes the nets of each vertex from the pins of each net, and the sum of weights.
func (h *Hypergraph) finish() {
	h.at, h.nets = transpose(len(h.weight), h.first, h.pins)
	h.total = 0
	for _, w := range h.weight {
		h.total += int64(w)
	}
}

// transpose turns lists of pins of nets into lists of nets of n vertices, ascending.
func transpose(n int, first, pins []int32) (at, nets []int32) {
	at, nets = make([]int32, n+1), make([]int32, len(pins))
	for _, v := range pins {
		at[v]++
	}
	sum := int32(0)
	for v := range at {
		sum, at[v] = sum+at[v], sum
	}
	for j := range len(first) - 1 {
		for _, v := range pins[first[j]:first[j+1]] {
			nets[at[v]] = int32(j)
			at[v]++
		}
	}
	copy(at[1:], at)
	at[0] = 0
	return at, nets
}

// Vertices returns the number of vertices.
func (h *Hypergraph) Vertices() int { return len(h.weight) }

// Nets returns the number of nets.
func (h *Hypergraph) Nets() int { return len(h.cost) }

// Pins returns the number of pins of all nets.
func (h *Hypergraph) Pins() int { return len(h.pins) }

// Net returns a copy of the pins of net j. It panics if there is none.
func (h *Hypergraph) Net(j int) []int32 { return append([]int32(nil), h.net(int32(j))...) }

// Weight returns the weight of vertex v. It panics if there is none.
func (h *Hypergraph) Weight(v int) int { return int(h.weight[v]) }

// Cost returns the cost of net j. It panics if there is none.
func (h *Hypergraph) Cost(j int) int { return int(h.cost[j]) }

// String says how big the hypergraph is.
func (h *Hypergraph) String() string {
	return fmt.Sprintf("%d vertices, %d nets, %d pins", h.Vertices(), h.Nets(), h.Pins())
}

func (h *Hypergraph) net(j int32) []int32 { return h.pins[h.first[j]:h.first[j+1]] }

func (h *Hypergraph) netsOf(v int32) []int32 { return h.nets[h.at[v]:h.at[v+1]] }
