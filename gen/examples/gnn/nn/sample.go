package nn

import (
	"slices"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A Sampler makes the graphs that a step of training on some nodes goes over: those nodes with some of their
// neighbours, and these with some of theirs. Hamilton, Ying and Leskovec, "Inductive representation learning
// on large graphs", 2017, algorithm 2. A node that has more neighbours than are asked for hears as many, each
// at most once.
//
// A draw depends on the seed, the step, the layer and the node. It is the same with any number of threads and
// in any order of the nodes.
type Sampler[T dtype.Float] struct {
	graph   sparse.Matrix[T]
	words   *SparseLinear[T]
	layers  []*Edges[T] // those of the network's layers, which change
	whole   []Edges[T]  // what they are when nothing is drawn
	fanouts []int       // of each layer; 0: all neighbours

	features sparse.Matrix[T]
	all      *Edges[T] // features, and their transpose
	values   []T       // of features
	to       structure // of graph
	place    []int32   // of each node among those of a layer, or -1
}

// NewSampler returns a sampler for a network. The first layer's transform is of words, the features, and
// later layers gather along layers: edges of graph for each. Fanouts are most neighbours for each of layers;
// 0 is all.
func NewSampler[T dtype.Float](graph, features sparse.Matrix[T], words *SparseLinear[T], layers []*Edges[T], fanouts []int) *Sampler[T] {
	s := &Sampler[T]{graph: graph, words: words, layers: layers, fanouts: fanouts, features: features, all: words.features, values: words.all}
	s.to.pointers, s.to.indices, _ = graph.CSR()
	for _, l := range layers {
		s.whole = append(s.whole, *l)
	}
	s.place = slices.Repeat([]int32{-1}, graph.Rows())
	return s
}

// FullGraph makes the network go over all nodes and all their neighbours.
func (s *Sampler[T]) FullGraph() {
	for n, l := range s.layers {
		*l = s.whole[n]
	}
	s.words.take(s.all, s.values)
}

// Batch makes the network go over some nodes, each listed once, and the neighbours that it draws for p. Row i
// of its result is that of nodes[i].
func (s *Sampler[T]) Batch(p *Pass, nodes []int) {
	for n := len(s.layers) - 1; n >= 0; n-- {
		var block sparse.Matrix[T]
		block, nodes = s.block(p.stream(), nodes, s.fanouts[n])
		*s.layers[n] = *NewEdges(block)
	}
	rows, err := s.features.TakeRows(nodes)
	if err != nil {
		panic(err) // the nodes are of the graph
	}
	edges := NewEdges(rows)
	s.words.take(edges, edges.values)
}

// block returns the means over at most fanout neighbours of each node, and the nodes whose rows they are of.
// The given nodes come first, then those that are new.
func (s *Sampler[T]) block(random rand.Stream, nodes []int, fanout int) (sparse.Matrix[T], []int) {
	starts, neighbours := s.to.pointers, s.to.indices
	from := slices.Clone(nodes)
	for at, node := range nodes {
		s.place[node] = int32(at)
	}
	pointers, columns, values := make([]int32, 1, len(nodes)+1), []int32{}, []T{}
	var chosen []int
	for _, node := range nodes {
		list := neighbours[starts[node]:starts[node+1]]
		chosen = draw(random, uint64(node)*uint64(fanout), len(list), fanout, chosen[:0])
		for _, c := range chosen {
			j := list[c]
			if s.place[j] < 0 {
				s.place[j] = int32(len(from))
				from = append(from, int(j))
			}
			columns, values = append(columns, s.place[j]), append(values, 1/T(len(chosen)))
		}
		pointers = append(pointers, int32(len(columns)))
	}
	for _, node := range from {
		s.place[node] = -1
	}
	block, err := sparse.FromCSR(len(nodes), len(from), pointers, columns, values)
	if err != nil {
		panic(err) // columns are places in from
	}
	return block, from
}

// draw appends k of the numbers below n to chosen, in order and each once; all of them if k is 0 or there are no more. Every set of
// k is as likely: Floyd's method (Bentley and Floyd, "A sample of brilliance", 1987). It takes the k words from first on.
func draw(random rand.Stream, first uint64, n, k int, chosen []int) []int {
	if k == 0 || n <= k {
		for c := range n {
			chosen = append(chosen, c)
		}
		return chosen
	}
	for at, top := 0, n-k; top < n; at, top = at+1, top+1 {
		c := int(uint64(random.Uint32(first+uint64(at))) * uint64(top+1) >> 32)
		if slices.Contains(chosen, c) {
			c = top
		}
		chosen = append(chosen, c)
	}
	slices.Sort(chosen)
	return chosen
}

// Shuffle sets order to 0 to len(order)-1, in an order that depends on random only.
func Shuffle(random rand.Stream, order []int) {
	for k := range order {
		order[k] = k
	}
	for k := len(order) - 1; k > 0; k-- {
		other := int(uint64(random.Uint32(uint64(k))) * uint64(k+1) >> 32)
		order[k], order[other] = order[other], order[k]
	}
}
