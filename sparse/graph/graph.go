// Package graph makes sparse matrices of gonum's graphs, and graphs of matrices.
package graph

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
)

// Adjacency returns the adjacency matrix of a gonum graph. Element (i, j) is the weight of
// the edge from node ids[i] to node ids[j], or 1 if g is not a [graph.Weighted]. Without an
// edge nothing is stored. The IDs ascend. The matrix of an undirected graph is symmetric.
// It is an error if g is nil, a node occurs twice, an edge leads to no node, or T is
// integer and a weight is not.
func Adjacency[T dtype.Value](g graph.Graph) (m sparse.Matrix[T], ids []int64, err error) {
	const where = "graph.Adjacency"
	if g == nil {
		return m, nil, sparse.Errorf(sparse.ErrNil, where, "want a graph.Graph", "the graph is nil")
	}
	for all := g.Nodes(); all.Next(); {
		ids = append(ids, all.Node().ID())
	}
	slices.Sort(ids)
	for k := 1; k < len(ids); k++ {
		if ids[k] == ids[k-1] {
			return m, nil, sparse.Errorf(sparse.ErrIndex, where, "", "the graph has node %d twice", ids[k])
		}
	}
	weighted, _ := g.(graph.Weighted)
	b := sparse.NewBuilder[T](len(ids), len(ids))
	for i, id := range ids {
		for to := g.From(id); to.Next(); {
			v := to.Node().ID()
			j, ok := slices.BinarySearch(ids, v)
			if !ok {
				return m, nil, sparse.Errorf(sparse.ErrIndex, where, "", "the graph has an edge from node %d to %d, which is not a node", id, v)
			}
			w := 1.0
			if weighted != nil {
				e := weighted.WeightedEdge(id, v)
				if e == nil {
					return m, nil, sparse.Errorf(sparse.ErrIndex, where, "", "the graph has no weight for the edge from node %d to %d", id, v)
				}
				w = e.Weight()
			}
			b.AddNumber(i, j, complex(w, 0))
		}
	}
	m, err = b.Matrix()
	return m, ids, err
}

// Graph is a matrix as a gonum graph. Node IDs are rows. An entry (i, j), also a stored
// 0, is an edge from i to j with its value as weight. It is a [graph.WeightedDirected];
// [graph.Undirect] makes an undirected one of it.
type Graph struct {
	rows, columns [][]int32 // of each row its columns, and of each column its rows; they ascend
	first         []int32   // the number of the first entry of each row
	value         func(k int) float64
}

// Of returns m, which must be square and not complex, as a graph. Duplicates are summed first.
func Of[T dtype.Value](m sparse.Matrix[T]) (Graph, error) {
	const where = "graph.Of"
	k := value.Of[T]()
	if k.Complex {
		return Graph{}, sparse.Errorf(sparse.ErrValue, where, "weights are real", "%v", m)
	}
	if rows, cols := m.Dims(); rows != cols {
		return Graph{}, sparse.Errorf(sparse.ErrShape, where, "a graph has as many rows as columns", "%d x %d", rows, cols)
	}
	c := m.Canonical()
	_, _, values := runs.Arrays[T](c.Raw())
	g := Graph{value: func(e int) float64 { return real(k.Number(values[e])) }}
	g.rows, g.first = lists(c.Pattern())
	g.columns, _ = lists(c.Pattern().Transpose())
	return g, nil
}

// lists returns the columns of each row, where they are stored, and the row pointers.
func lists(p sparse.Pattern) (rows [][]int32, pointers []int32) {
	pointers, indices, _ := runs.Arrays[struct{}](p.Raw())
	for i := range p.Rows() {
		rows = append(rows, indices[pointers[i]:pointers[i+1]])
	}
	return rows, pointers
}

// Node returns the node of a row, nil if there is none.
func (g Graph) Node(id int64) graph.Node {
	if id < 0 || id >= int64(len(g.rows)) {
		return nil
	}
	return node(id)
}

// Nodes returns all rows.
func (g Graph) Nodes() graph.Nodes { return &nodes{n: len(g.rows), at: -1} }

// From returns the columns of a row.
func (g Graph) From(id int64) graph.Nodes { return neighbours(g.rows, id) }

// To returns the rows of a column.
func (g Graph) To(id int64) graph.Nodes { return neighbours(g.columns, id) }

// HasEdgeFromTo reports whether element (u, v) is stored.
func (g Graph) HasEdgeFromTo(u, v int64) bool {
	_, ok := g.weight(u, v)
	return ok
}

// HasEdgeBetween reports whether element (u, v) or (v, u) is stored.
func (g Graph) HasEdgeBetween(u, v int64) bool {
	return g.HasEdgeFromTo(u, v) || g.HasEdgeFromTo(v, u)
}

// Edge returns the edge of element (u, v), nil if it is not stored.
func (g Graph) Edge(u, v int64) graph.Edge {
	if e := g.WeightedEdge(u, v); e != nil {
		return e
	}
	return nil
}

// WeightedEdge is Edge with the weight.
func (g Graph) WeightedEdge(u, v int64) graph.WeightedEdge {
	w, ok := g.weight(u, v)
	if !ok {
		return nil
	}
	return edge{node(u), node(v), w}
}

// Weight returns element (u, v), infinity and false if it is not stored. From a node
// to itself that is 0 and true.
func (g Graph) Weight(u, v int64) (w float64, ok bool) {
	if w, ok = g.weight(u, v); ok {
		return w, true
	}
	if u == v && g.Node(u) != nil {
		return 0, true
	}
	return math.Inf(1), false
}

func (g Graph) weight(u, v int64) (float64, bool) {
	if g.Node(u) == nil || g.Node(v) == nil {
		return 0, false
	}
	k, ok := slices.BinarySearch(g.rows[u], int32(v))
	if !ok {
		return 0, false
	}
	return g.value(int(g.first[u]) + k), true
}

func neighbours(lists [][]int32, id int64) graph.Nodes {
	if id < 0 || id >= int64(len(lists)) {
		return graph.Empty
	}
	list := lists[id]
	return &nodes{list: list, n: len(list), at: -1}
}

type node int64

func (n node) ID() int64 { return int64(n) }

func (n node) String() string { return fmt.Sprint(int64(n)) }

type edge struct {
	from, to node
	weight   float64
}

func (e edge) From() graph.Node         { return e.from }
func (e edge) To() graph.Node           { return e.to }
func (e edge) Weight() float64          { return e.weight }
func (e edge) ReversedEdge() graph.Edge { return edge{e.to, e.from, e.weight} }

// nodes goes through a list, or through 0 ... n-1.
type nodes struct {
	list  []int32
	n, at int
}

func (x *nodes) Next() bool {
	x.at = min(x.at+1, x.n)
	return x.at < x.n
}

func (x *nodes) Len() int { return max(0, x.n-1-x.at) }

func (x *nodes) Reset() { x.at = -1 }

func (x *nodes) Node() graph.Node {
	if x.at < 0 || x.at >= x.n {
		return nil
	}
	if x.list == nil {
		return node(x.at)
	}
	return node(x.list[x.at])
}
