package sparse

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// FromGraph returns the adjacency matrix of a gonum graph. Element (i, j) is the weight of
// the edge from node ids[i] to node ids[j], or 1 if g is not a [graph.Weighted]. Without an
// edge nothing is stored. The IDs ascend. The matrix of an undirected graph is symmetric.
// It is an error if g is nil, a node occurs twice, an edge leads to no node, or T is
// integer and a weight is not.
func FromGraph[T dtype.Value](g graph.Graph) (m Matrix[T], ids []int64, err error) {
	const where = "sparse.FromGraph"
	if g == nil {
		return Matrix[T]{}, nil, fail(ErrNil, where, "want a graph.Graph", "the graph is nil")
	}
	for all := g.Nodes(); all.Next(); {
		ids = append(ids, all.Node().ID())
	}
	slices.Sort(ids)
	for k := 1; k < len(ids); k++ {
		if ids[k] == ids[k-1] {
			return Matrix[T]{}, nil, fail(ErrIndex, where, "", "the graph has node %d twice", ids[k])
		}
	}
	weighted, _ := g.(graph.Weighted)
	b, k := newBuilder[T](where, len(ids), len(ids)), kindOf[T]()
	for i, id := range ids {
		for to := g.From(id); to.Next(); {
			v := to.Node().ID()
			j, ok := slices.BinarySearch(ids, v)
			if !ok {
				return Matrix[T]{}, nil, fail(ErrIndex, where, "", "the graph has an edge from node %d to %d, which is not a node", id, v)
			}
			w := 1.0
			if weighted != nil {
				e := weighted.WeightedEdge(id, v)
				if e == nil {
					return Matrix[T]{}, nil, fail(ErrIndex, where, "", "the graph has no weight for the edge from node %d to %d", id, v)
				}
				w = e.Weight()
			}
			b.addNumber(&k, i, j, complex(w, 0))
		}
	}
	m, err = b.Matrix()
	return m, ids, err
}

// Graph is a matrix as a gonum graph. Node IDs are rows. An entry (i, j), also a stored
// 0, is an edge from i to j with its value as weight. It is a [graph.WeightedDirected];
// [graph.Undirect] makes an undirected one of it.
type Graph[T dtype.Value] struct {
	m, transposed Matrix[T]
}

// Graph returns m, which must be square and not complex, as a graph. Duplicates are summed first.
func (m Matrix[T]) Graph() (Graph[T], error) {
	const where = "sparse.Matrix.Graph"
	if kindOf[T]().complex {
		return Graph[T]{}, fail(ErrValue, where, "weights are real", "%v", m)
	}
	if rows, cols := m.Dims(); rows != cols {
		return Graph[T]{}, fail(ErrShape, where, "a graph has as many rows as columns", "%d x %d", rows, cols)
	}
	c := m.Canonical()
	return Graph[T]{c, c.Transpose()}, nil
}

// Node returns the node of a row, nil if there is none.
func (g Graph[T]) Node(id int64) graph.Node {
	if id < 0 || id >= int64(g.m.Rows()) {
		return nil
	}
	return node(id)
}

// Nodes returns all rows.
func (g Graph[T]) Nodes() graph.Nodes { return &nodes{n: g.m.Rows(), at: -1} }

// From returns the columns of a row.
func (g Graph[T]) From(id int64) graph.Nodes { return neighbours(g.m, id) }

// To returns the rows of a column.
func (g Graph[T]) To(id int64) graph.Nodes { return neighbours(g.transposed, id) }

// HasEdgeFromTo reports whether element (u, v) is stored.
func (g Graph[T]) HasEdgeFromTo(u, v int64) bool {
	_, ok := g.weight(u, v)
	return ok
}

// HasEdgeBetween reports whether element (u, v) or (v, u) is stored.
func (g Graph[T]) HasEdgeBetween(u, v int64) bool {
	return g.HasEdgeFromTo(u, v) || g.HasEdgeFromTo(v, u)
}

// Edge returns the edge of element (u, v), nil if it is not stored.
func (g Graph[T]) Edge(u, v int64) graph.Edge {
	if e := g.WeightedEdge(u, v); e != nil {
		return e
	}
	return nil
}

// WeightedEdge is Edge with the weight.
func (g Graph[T]) WeightedEdge(u, v int64) graph.WeightedEdge {
	w, ok := g.weight(u, v)
	if !ok {
		return nil
	}
	return edge{node(u), node(v), w}
}

// Weight returns element (u, v), infinity and false if it is not stored. From a node
// to itself that is 0 and true.
func (g Graph[T]) Weight(u, v int64) (w float64, ok bool) {
	if w, ok = g.weight(u, v); ok {
		return w, true
	}
	if u == v && g.Node(u) != nil {
		return 0, true
	}
	return math.Inf(1), false
}

func (g Graph[T]) weight(u, v int64) (float64, bool) {
	if g.Node(u) == nil || g.Node(v) == nil {
		return 0, false
	}
	from, to := g.m.pointers[u], g.m.pointers[u+1]
	k, ok := slices.BinarySearch(g.m.indices[from:to], int32(v))
	if !ok {
		return 0, false
	}
	return real(kindOf[T]().number(g.m.values[int(from)+k])), true
}

// neighbours returns the columns of a row.
func neighbours[T dtype.Value](m Matrix[T], id int64) graph.Nodes {
	if id < 0 || id >= int64(m.Rows()) {
		return graph.Empty
	}
	list := m.indices[m.pointers[id]:m.pointers[id+1]]
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
