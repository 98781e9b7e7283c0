package graph_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gonum "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/graph"
)

var (
	_ gonum.WeightedDirected = graph.Graph{}
	_ gonum.Directed         = graph.Graph{}
)

// TestFromGraph: the graphs of gonum, weighted or not, directed or not, become
// matrices and graphs again.
func TestFromGraph(t *testing.T) {
	r := rand.New(level.PCG(8, 1))
	directed, undirected := simple.NewWeightedDirectedGraph(0, 0), simple.NewUndirectedGraph()
	for range 200 {
		u, v := simple.Node(7*r.Int64N(40)-50), simple.Node(7*r.Int64N(40)-50)
		if u == v {
			continue
		}
		directed.SetWeightedEdge(directed.NewWeightedEdge(u, v, r.NormFloat64()))
		undirected.SetEdge(undirected.NewEdge(u, v))
	}
	undirected.AddNode(simple.Node(1000)) // alone
	for _, g := range []gonum.Graph{directed, undirected, simple.NewDirectedGraph()} {
		m, ids, err := graph.Adjacency[float64](g)
		if err != nil {
			t.Fatal(err)
		}
		if g.Nodes().Len() != m.Rows() || m.Rows() != m.Cols() || len(ids) != m.Rows() || !slices.IsSorted(ids) {
			t.Fatalf("%d nodes, ids %v, %v", g.Nodes().Len(), ids, m)
		}
		back, err := graph.Of(m)
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range ids {
			for j, v := range ids {
				e := g.Edge(u, v)
				want := 0.0
				if w, ok := g.(gonum.Weighted); ok && e != nil {
					want = w.WeightedEdge(u, v).Weight()
				} else if e != nil {
					want = 1
				}
				if m.At(i, j) != want || back.HasEdgeFromTo(int64(i), int64(j)) != (e != nil) || back.HasEdgeBetween(int64(i), int64(j)) != g.HasEdgeBetween(u, v) {
					t.Errorf("edge %d to %d is %v, not %v", u, v, m.At(i, j), want)
				}
			}
		}
		again, order, err := graph.Adjacency[float64](back)
		if err != nil || !again.Equal(m) || len(order) != len(ids) {
			t.Errorf("the graph of the matrix has another matrix (%v)", err)
		}
	}
	if m, _, err := graph.Adjacency[float32](undirected); err != nil || !m.Equal(m.Transpose()) {
		t.Error("an undirected graph is not symmetric")
	}
}

// lying is a graph that does not keep to what it says.
type lying struct {
	gonum.Graph
	from int64
}

func (l lying) From(int64) gonum.Nodes { return lyingNodes{l.Graph.Nodes(), l.from} }

type lyingNodes struct {
	gonum.Nodes
	id int64
}

func (l lyingNodes) Node() gonum.Node { return simple.Node(l.id) }

type twice struct{ gonum.Graph }

func (t twice) Nodes() gonum.Nodes { return lyingNodes{t.Graph.Nodes(), 3} }

func TestGraphRefuses(t *testing.T) {
	g := simple.NewWeightedUndirectedGraph(0, 0)
	g.SetWeightedEdge(g.NewWeightedEdge(simple.Node(1), simple.Node(2), 5))
	for want, g := range map[string]gonum.Graph{
		"an edge from node 1 to 9, which is not a node": lying{g, 9},
		"the graph has node 3 twice":                    twice{g},
	} {
		if _, _, err := graph.Adjacency[float32](g); err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, sparse.ErrIndex) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	wide, _ := sparse.FromCOO(2, 3, []int{0}, []int{2}, []float32{1})
	if _, err := graph.Of(wide); err == nil || err.Error() != "graph.Of: 2 x 3; a graph has as many rows as columns" || !errors.Is(err, sparse.ErrShape) {
		t.Error(err)
	}
}

// TestGraph: what the interfaces of gonum promise, at the edges.
func TestGraph(t *testing.T) {
	m, _ := sparse.FromCOO(4, 4, []int{0, 0, 2, 2, 2}, []int{3, 1, 2, 0, 0}, []float32{1.5, 0, 7, 1, 1})
	g, err := graph.Of(m)
	if err != nil {
		t.Fatal(err)
	}
	list := func(x gonum.Nodes) string {
		s := fmt.Sprint(x.Len(), ":")
		for x.Next() {
			s += fmt.Sprint(" ", x.Node().ID())
		}
		if x.Next() || x.Len() != 0 {
			s += " and on"
		}
		x.Reset()
		for x.Next() {
			s += "."
		}
		return s
	}
	for _, c := range []struct{ have, want string }{
		{list(g.Nodes()), "4: 0 1 2 3...."},
		{list(g.From(0)), "2: 1 3.."}, {list(g.From(1)), "0:"}, {list(g.From(2)), "2: 0 2.."}, {list(g.From(4)), "0:"}, {list(g.From(-1)), "0:"},
		{list(g.To(3)), "1: 0."}, {list(g.To(9)), "0:"},
	} {
		if c.have != c.want {
			t.Errorf("%s, want %s", c.have, c.want)
		}
	}
	for _, c := range []struct {
		u, v int64
		w    float64
		ok   bool
	}{{0, 3, 1.5, true}, {0, 1, 0, true}, {2, 0, 2, true}, {2, 2, 7, true}, {1, 1, 0, true}, {1, 0, math.Inf(1), false}, {9, 9, math.Inf(1), false}, {0, 9, math.Inf(1), false}} {
		if w, ok := g.Weight(c.u, c.v); w != c.w || ok != c.ok {
			t.Errorf("weight from %d to %d: %v %v", c.u, c.v, w, ok)
		}
	}
	if g.Node(4) != nil || g.Node(-1) != nil || g.Node(3).ID() != 3 || g.Nodes().Node() != nil || g.Edge(1, 0) != nil || g.WeightedEdge(1, 0) != nil {
		t.Error("a node or an edge that is not there")
	}
	e := g.WeightedEdge(0, 3)
	if r := e.ReversedEdge(); e.From().ID() != 0 || e.To().ID() != 3 || e.Weight() != 1.5 || r.From().ID() != 3 || r.To().ID() != 0 {
		t.Errorf("edge %v", e)
	}
	var zero graph.Graph
	if zero.Nodes().Next() || zero.From(0).Next() {
		t.Error("the zero Graph has nodes")
	}
}

// A graph of gonum becomes a matrix for a kernel; a matrix is a graph for gonum's
// algorithms.
func ExampleOf() {
	g := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	for _, e := range []struct {
		u, v int64
		w    float64
	}{{10, 20, 1}, {20, 30, 1}, {10, 30, 5}} {
		g.SetWeightedEdge(g.NewWeightedEdge(simple.Node(e.u), simple.Node(e.v), e.w))
	}
	m, ids, _ := graph.Adjacency[float32](g)
	fmt.Println(m, ids)

	roads, _ := graph.Of(m)
	nodes, length := path.DijkstraFrom(roads.Node(0), roads).To(2)
	fmt.Println(nodes, length)
	// Output:
	// 3 x 3 with 3 entries of f32 [10 20 30]
	// [0 1 2] 2
}
