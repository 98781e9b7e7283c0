package sample

import (
	"fmt"
	"math"
	"sort"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Graph is an undirected graph whose degrees follow a power law. An edge joins two
// nodes with a probability that grows with the weights of both, as in Chung and Lu
// (PNAS 99, 2002).
type Graph struct {
	Nodes     int
	Entries   int     // of the matrix: an edge has two; if odd, one is on the diagonal
	Gamma     float64 // exponent: d nodes of weight w for every d*(w/v)^Gamma of weight v; more than 1
	MaxDegree int     // the largest weight
	Local     float64 // share of the edges that stay within a community, from 0 to 1
	Community int     // nodes of one, neighbours in the order of nodes
	Blocks    int     // disjoint graphs that the nodes are cut into; 0: 1
}

// ChungLu returns the adjacency matrix of g, symmetric.
func ChungLu[T dtype.Float](g Graph, seed uint64) (sparse.Matrix[T], error) {
	const where = "ChungLu"
	if err := check(where, g.Nodes, g.Nodes, g.Entries); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if err := share(where, "Local", g.Local); err != nil {
		return sparse.Matrix[T]{}, err
	}
	mean := float64(g.Entries) / float64(max(g.Nodes, 1))
	blocks := max(1, g.Blocks)
	switch {
	case g.Entries == 0:
		return matrix[T](g.Nodes, g.Nodes, newEdges(0))
	case !(g.Gamma > 1 && g.Gamma <= math.MaxFloat64):
		return sparse.Matrix[T]{}, fail(sparse.ErrValue, where, "it is more than 1, and finite", "Gamma is %v", g.Gamma)
	case float64(g.MaxDegree) < mean:
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, where, fmt.Sprintf("the mean is %.1f", mean), "MaxDegree is %d", g.MaxDegree)
	case g.Community < 0 || g.Local > 0 && g.Community < 2:
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, where, "2 or more have edges", "communities of %d", g.Community)
	case g.Blocks < 0 || blocks > g.Nodes:
		return sparse.Matrix[T]{}, fail(sparse.ErrSize, where, "from 1 to as many, or 0 for 1", "%d blocks of %d nodes", g.Blocks, g.Nodes)
	}
	r := source("chunglu", seed)
	// sums[v] is the weight of all nodes before v.
	sums := make([]float64, g.Nodes+1)
	w := powerLaw(g.Nodes, g.Gamma, mean, float64(g.MaxDegree))
	r.Shuffle(len(w), func(a, b int) { w[a], w[b] = w[b], w[a] })
	for v, x := range w {
		sums[v+1] = sums[v] + x
	}
	pick := func(lo, hi int) int {
		x := sums[lo] + r.Float64()*(sums[hi]-sums[lo])
		return lo + sort.Search(hi-lo-1, func(v int) bool { return sums[lo+v+1] > x })
	}
	block := func(v int) (lo, hi int) {
		b := v * blocks / g.Nodes
		return ceilDiv(b*g.Nodes, blocks), ceilDiv((b+1)*g.Nodes, blocks)
	}
	e := newEdges(g.Entries)
	if g.Entries%2 == 1 {
		v := pick(0, g.Nodes)
		e.add(v, v)
	}
	err := e.draw(where, g.Entries, func() (int, int, bool) {
		u := pick(0, g.Nodes)
		lo, hi := block(u)
		if r.Float64() < g.Local {
			c := lo + (u-lo)/g.Community*g.Community
			lo, hi = c, min(hi, c+g.Community)
		}
		v := pick(lo, hi)
		return v, u, u != v && e.add(u, v)
	})
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return matrix[T](g.Nodes, g.Nodes, e)
}

// powerLaw returns n weights up to high with that mean, at even steps of the
// distribution.
func powerLaw(n int, gamma, mean, high float64) []float64 {
	w := make([]float64, n)
	fill := func(low float64) (sum float64) {
		tail := math.Pow(low/high, gamma-1)
		for k := range w {
			u := (float64(k) + .5) / float64(n)
			w[k] = low * math.Pow(1-u*(1-tail), -1/(gamma-1))
			sum += w[k]
		}
		return sum
	}
	low, top := 0.0, mean
	for range 60 {
		if mid := (low + top) / 2; fill(mid) < mean*float64(n) {
			low = mid
		} else {
			top = mid
		}
	}
	fill(top)
	return w
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
