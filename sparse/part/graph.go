package part

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Graph is an undirected graph as METIS has it. The neighbours of vertex v are
// Adj[First[v]:First[v+1]]; every edge is there from both of its ends, and none leads from a vertex
// to itself.
type Graph struct {
	First, Adj  []int32
	Constraints int     // weights of a vertex; 0: 1
	Weights     []int32 // of vertices, Constraints for each; nil: 1 each
	Sizes       []int32 // of vertices: what is sent to each part with a neighbour; nil: 1 each
	Costs       []int32 // of edges, one for each of Adj; nil: 1 each
}

// Vertices returns the number of vertices.
func (g Graph) Vertices() int { return max(0, len(g.First)-1) }

// Check returns what is wrong with g, nil if nothing is.
func (g Graph) Check() error {
	const where = "Graph.Check"
	n := g.Vertices()
	if len(g.First) == 0 || g.First[0] != 0 || int(g.First[n]) != len(g.Adj) {
		return fail(sparse.ErrPointers, where, "First goes from 0 to the length of Adj", "%d pointers and %d neighbours do not fit", len(g.First), len(g.Adj))
	}
	for v := range n {
		if g.First[v] > g.First[v+1] || int(g.First[v+1]) > len(g.Adj) {
			return fail(sparse.ErrPointers, where, "pointers ascend", "the neighbours of vertex %d are from %d to %d", v, g.First[v], g.First[v+1])
		}
	}
	if g.Constraints < 0 || g.Weights == nil && g.Constraints > 1 {
		return fail(sparse.ErrSize, where, "one constraint if there are no weights", "%d constraints", g.Constraints)
	}
	for _, l := range []struct {
		what string
		list []int32
		n    int
	}{{"weights", g.Weights, n * max(1, g.Constraints)}, {"sizes", g.Sizes, n}, {"costs", g.Costs, len(g.Adj)}} {
		if l.list == nil {
			continue
		}
		if len(l.list) != l.n {
			return fail(sparse.ErrLength, where, fmt.Sprintf("%d", l.n), "%d %s", len(l.list), l.what)
		}
		for i, x := range l.list {
			if x < 0 {
				return fail(sparse.ErrSize, where, "none is negative", "number %d of the %s is %d", i, l.what, x)
			}
		}
	}
	return g.symmetric(where)
}

// symmetric checks that edges have two ends that agree.
func (g Graph) symmetric(where string) error {
	n := g.Vertices()
	seen := newStamps(n)
	for v := range int32(n) {
		seen.next()
		for _, u := range g.Adj[g.First[v]:g.First[v+1]] {
			switch {
			case u < 0 || int(u) >= n:
				return fail(sparse.ErrIndex, where, fmt.Sprintf("vertices are from 0 to %d", n-1), "vertex %d has neighbour %d", v, u)
			case u == v:
				return fail(sparse.ErrIndex, where, "no edge leads from a vertex to itself", "vertex %d is its own neighbour", v)
			case !seen.meet(u):
				return fail(sparse.ErrIndex, where, "a vertex is a neighbour once", "vertex %d has neighbour %d twice", v, u)
			}
		}
	}
	costs := g.Costs
	if costs == nil {
		costs = make([]int32, len(g.Adj))
	}
	at, back := transpose(n, g.First, g.Adj)
	next := append([]int32(nil), at...)
	reverse := make([]int32, len(back)) // the costs of the same edges
	for v := range n {
		for i := g.First[v]; i < g.First[v+1]; i++ {
			u := g.Adj[i]
			reverse[next[u]] = costs[i]
			next[u]++
		}
	}
	cost := make([]int32, n) // of the edges of the vertex in hand, to those that seen knows
	for v := range int32(n) {
		seen.next()
		for i := g.First[v]; i < g.First[v+1]; i++ {
			seen.meet(g.Adj[i])
			cost[g.Adj[i]] = costs[i]
		}
		if there, here := at[v+1]-at[v], g.First[v+1]-g.First[v]; there != here {
			return fail(sparse.ErrIndex, where, "edges are there from both ends", "vertex %d has %d neighbours, and is one of %d", v, here, there)
		}
		for i := at[v]; i < at[v+1]; i++ {
			switch u := back[i]; {
			case !seen.met(u):
				return fail(sparse.ErrIndex, where, "edges are there from both ends", "vertex %d has neighbour %d, but not the other way", u, v)
			case cost[u] != reverse[i]:
				return fail(sparse.ErrSize, where, "an edge costs the same from both ends", "the edge of %d and %d costs %d and %d", v, u, cost[u], reverse[i])
			}
		}
	}
	return nil
}

// GraphOf returns the standard graph model of a square matrix. Rows i and j are neighbours if (i, j) or
// (j, i) is stored. The edge costs 1 or 2, as many of the two as are stored. The cut of a partition is
// close to twice the rows sent if each is needed once; km1 is exact (Catalyurek and Aykanat, 1999).
// Weights and sizes are the weights and costs of [ColumnNet].
func GraphOf[T dtype.Float](a sparse.Matrix[T], o Model) (Graph, error) {
	o.Ownership = Conformal
	h, err := ColumnNet(a, o)
	if err != nil {
		return Graph{}, err
	}
	if 2*len(h.pins) > math.MaxInt32 {
		return Graph{}, fail(sparse.ErrSize, "GraphOf", fmt.Sprintf("at most %d", math.MaxInt32/2), "%d entries make too many edges", len(h.pins))
	}
	g := Graph{First: []int32{0}, Weights: h.weight, Sizes: h.cost}
	// Nets and vertices have the same numbers, and lists ascend: row v of a, column v of it.
	for v := range int32(h.Vertices()) {
		row, col := h.netsOf(v), h.net(v)
		for len(row) > 0 || len(col) > 0 {
			var u, cost int32
			switch {
			case len(col) == 0 || len(row) > 0 && row[0] < col[0]:
				u, cost, row = row[0], 1, row[1:]
			case len(row) == 0 || col[0] < row[0]:
				u, cost, col = col[0], 1, col[1:]
			default:
				u, cost, row, col = row[0], 2, row[1:], col[1:]
			}
			if u != v {
				g.Adj, g.Costs = append(g.Adj, u), append(g.Costs, cost)
			}
		}
		g.First = append(g.First, int32(len(g.Adj)))
	}
	return g, nil
}

// Hypergraph returns the hypergraph of the product with g's matrix: a net for each vertex, of it and its
// neighbours, which costs its size. Km1 is what METIS calls total volume. A vertex has one weight.
func (g Graph) Hypergraph() (*Hypergraph, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	n := g.Vertices()
	if g.Constraints > 1 {
		return nil, fail(sparse.ErrSize, "Graph.Hypergraph", "one", "vertices have %d weights", g.Constraints)
	}
	if len(g.Adj) > math.MaxInt32-n {
		return nil, fail(sparse.ErrSize, "Graph.Hypergraph", fmt.Sprintf("at most %d", math.MaxInt32), "%d ends of edges and %d vertices make too many pins", len(g.Adj), n)
	}
	first, pins := make([]int32, 1, n+1), make([]int32, 0, len(g.Adj)+n)
	for v := range n {
		pins = append(append(pins, int32(v)), g.Adj[g.First[v]:g.First[v+1]]...)
		first = append(first, int32(len(pins)))
	}
	h, err := NewHypergraph(n, first, pins, g.Weights, g.Sizes)
	if err != nil {
		return nil, err
	}
	h.conformal = true
	return h, nil
}
