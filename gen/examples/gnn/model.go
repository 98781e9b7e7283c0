package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
	"github.com/tilesmith/tilesmith/gen/examples/gnn/nn"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A Model is a kind of network with the numbers that it is published with. Those of sage and sage-max were
// chosen by validation on Cora (docs/howto-gnn.md), except the sizes of samples.
type Model struct {
	Name     string
	Hidden   int     // numbers of a node between the layers, of each head
	Heads    int     // of attention
	Drop     float64 // the part of features, numbers and weights of attention that a step drops
	Rate     float64 // of Adam
	Decay    float64
	Epochs   int // at most
	Patience int // epochs without a better validation, after which training ends

	// For networks that learn from samples: the nodes of a step, and the most neighbours that the first
	// layer and the second gather, 0 for all.
	Batch  int
	Fanout [2]int
}

// samples reports whether the network learns from samples of the graph.
func (m Model) samples() bool { return m.Name == "sage" || m.Name == "sage-max" }

// models are the networks that there are.
var models = []Model{
	{Name: "gcn", Hidden: 16, Drop: .5, Rate: .01, Decay: 5e-4, Epochs: 200, Patience: 10},
	{Name: "gat", Hidden: 8, Heads: 8, Drop: .6, Rate: .005, Decay: 5e-4, Epochs: 2000, Patience: 100},
	{Name: "sage", Hidden: 128, Drop: .7, Rate: .003, Decay: 5e-3, Epochs: 300, Patience: 50, Batch: 512, Fanout: [2]int{25, 10}},
	{Name: "sage-max", Hidden: 128, Drop: .7, Rate: .003, Decay: 5e-4, Epochs: 300, Patience: 50, Batch: 512, Fanout: [2]int{25, 10}},
	{Name: "rgcn", Hidden: 16, Rate: .01, Decay: 5e-4, Epochs: 200, Patience: 50},
	{Name: "mlp", Hidden: 1, Drop: .2, Rate: .003, Decay: 5e-4, Epochs: 50, Patience: 50},
}

// find returns the model of a name.
func find(name string) (Model, error) {
	at := slices.IndexFunc(models, func(m Model) bool { return m.Name == name })
	if at < 0 {
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		return Model{}, fmt.Errorf("there is no model %q; there are %s", name, strings.Join(names, " "))
	}
	return models[at], nil
}

// network returns a network of model m for a set, with first values that depend on seed. It also
// returns a sampler if the network learns from samples.
func network[T dtype.Float](m Model, s *data.Set, seed uint64) (net nn.Sequential[T], sampler *nn.Sampler[T], err error) {
	graph, err := sparse.Convert[T](s.Graph)
	if err != nil {
		return nil, nil, err
	}
	words, err := sparse.Convert[T](s.Features)
	if err != nil {
		return nil, nil, err
	}
	switch m.Name {
	case "gcn":
		net, err = gcn(m, graph, words, s.Classes)
	case "gat":
		net, err = gat(m, graph, words, s.Classes)
	case "sage", "sage-max":
		net, sampler = sage(m, graph, words, s.Classes)
	case "rgcn":
		net, err = rgcn(m, graph, words, s.Classes)
	case "mlp":
		net, err = mlp[T](m, s)
	default:
		_, err = find(m.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	nn.Glorot(net.Params(), seed)
	return net, sampler, nil
}

// gcn is the network of Kipf and Welling, "Semi-supervised classification with graph convolutional networks",
// 2017. Only the weights of its first layer decay.
func gcn[T dtype.Float](m Model, graph, words sparse.Matrix[T], classes int) (nn.Sequential[T], error) {
	graph, err := nn.WithSelf(graph)
	if err != nil {
		return nil, err
	}
	edges := nn.NewEdges(nn.Normalised(graph))
	first := nn.NewSparseLinear("words", words, m.Hidden, m.Drop)
	first.Weights.Decay = m.Decay
	return nn.Sequential[T]{
		first, &nn.Aggregate[T]{Edges: edges}, nn.NewBiasActivation("bias1", m.Hidden, nn.ReLU[T]()),
		&nn.Dropout[T]{P: m.Drop},
		nn.NewLinear[T]("weights2", m.Hidden, classes), &nn.Aggregate[T]{Edges: edges}, nn.NewBias[T]("bias2", classes),
	}, nil
}

// gat is the network of Veličković and others, "Graph attention networks", 2018: parallel heads, then one
// head of as many numbers as there are classes.
func gat[T dtype.Float](m Model, graph, words sparse.Matrix[T], classes int) (nn.Sequential[T], error) {
	graph, err := nn.WithSelf(graph)
	if err != nil {
		return nil, err
	}
	wide := m.Heads * m.Hidden
	return decaying(m.Decay, nn.Sequential[T]{
		nn.NewSparseLinear("words", words, wide, m.Drop), nn.NewGraphAttention("heads", graph, m.Heads, m.Hidden, m.Drop),
		nn.NewBiasActivation("bias1", wide, nn.ELU[T]()),
		&nn.Dropout[T]{P: m.Drop},
		nn.NewLinear[T]("weights2", wide, classes), nn.NewGraphAttention("out", graph, 1, classes, m.Drop), nn.NewBias[T]("bias2", classes),
	}), nil
}

// sage is the network of Hamilton, Ying and Leskovec, "Inductive representation learning on large graphs",
// 2017. A node gets the mean of its neighbours. For sage-max it gets the greatest of each number that a layer
// makes of them. The paper's product with [own heard] is one transform to [own others], and a sum after
// others were gathered. Rows have length 1 after each layer; classes come of a last transform, as in the
// authors' program.
func sage[T dtype.Float](m Model, graph, words sparse.Matrix[T], classes int) (nn.Sequential[T], *nn.Sampler[T]) {
	mean := nn.NewEdges(nn.Mean(graph))
	near, far := *mean, *mean // near is what the second layer gathers along
	layers := []*nn.Edges[T]{&far, &near}
	gather := func(n int) nn.Layer[T] {
		if m.Name == "sage-max" {
			return nn.NewSAGEPool(fmt.Sprint("pool", n+1), layers[n], m.Hidden, m.Hidden)
		}
		return &nn.SAGEMean[T]{Edges: layers[n]}
	}
	wide := 2 * m.Hidden
	first := nn.NewSparseLinear("words", words, wide, m.Drop)
	second := nn.NewLinear[T]("weights2", m.Hidden, wide)
	first.Weights.Out, second.Weights.Out = m.Hidden, m.Hidden
	net := decaying(m.Decay, nn.Sequential[T]{
		first, gather(0), nn.NewBiasActivation("bias1", m.Hidden, nn.ReLU[T]()), &nn.L2Normalize[T]{},
		&nn.Dropout[T]{P: m.Drop},
		second, gather(1), nn.NewBias[T]("bias2", m.Hidden), &nn.L2Normalize[T]{},
		&nn.Dropout[T]{P: m.Drop},
		nn.NewLinear[T]("weights3", m.Hidden, classes), nn.NewBias[T]("bias3", classes),
	})
	return net, nn.NewSampler(graph, words, first, layers, m.Fanout[:])
}

// rgcn is the network of Schlichtkrull and others, "Modeling relational data with graph convolutional networks",
// 2018, on what a first transform makes of features. Values of the graph are kinds of edges, counted from 1.
func rgcn[T dtype.Float](m Model, graph, words sparse.Matrix[T], classes int) (nn.Sequential[T], error) {
	kinds, err := relations(graph)
	if err != nil {
		return nil, err
	}
	return decaying(m.Decay, nn.Sequential[T]{
		nn.NewSparseLinear("words", words, m.Hidden, m.Drop),
		nn.NewRelationalConv("relations1", kinds, m.Hidden, m.Hidden), nn.NewBiasActivation("bias1", m.Hidden, nn.ReLU[T]()),
		&nn.Dropout[T]{P: m.Drop},
		nn.NewRelationalConv("relations2", kinds, m.Hidden, classes), nn.NewBias[T]("bias2", classes),
	}), nil
}

// mlp is a network without a graph whose layers are pruned, except the last: Han, Pool, Tran and Dally,
// "Learning both weights and connections for efficient neural networks", 2015. The pruned weights are known
// before it learns.
func mlp[T dtype.Float](m Model, s *data.Set) (nn.Sequential[T], error) {
	if len(s.Patterns) == 0 {
		return nil, fmt.Errorf("mlp has pruned layers: want -patterns, the files of where their weights are")
	}
	features, err := sparse.Convert[T](s.Features)
	if err != nil {
		return nil, err
	}
	net := nn.Sequential[T]{&nn.Input[T]{X: features.ToDense()}}
	wide := 0
	for n, pattern := range s.Patterns {
		p, err := sparse.Convert[T](pattern)
		if err != nil {
			return nil, err
		}
		wide = p.Rows()
		name := fmt.Sprint(n + 1)
		net = append(net, nn.NewPrunedLinear("pruned"+name, p), nn.NewBiasActivation("bias"+name, wide, nn.ReLU[T]()), &nn.Dropout[T]{P: m.Drop})
	}
	net = append(net, nn.NewLinear[T]("weights", wide, s.Classes), nn.NewBias[T]("bias", s.Classes))
	return decaying(m.Decay, net), nil
}

// maxKinds bounds what the values of a graph may ask for: a layer has weights for each kind.
const maxKinds = 1 << 12

// relations returns the edges of each kind, weighed so that a node gets the mean of each. A last kind of
// edges goes from each node to itself.
func relations[T dtype.Float](graph sparse.Matrix[T]) (none sparse.Relations[T], err error) {
	type end struct {
		node int
		kind int32
	}
	degree, kinds := map[end]int{}, int32(0)
	for e, v := range graph.All() {
		if v != T(math.Trunc(float64(v))) || v < 1 || v > maxKinds {
			return none, fmt.Errorf("the edge from node %d to node %d is of kind %v, want a whole number from 1 to %d", e.J, e.I, v, maxKinds)
		}
		degree[end{e.I, int32(v)}]++
		kinds = max(kinds, int32(v))
	}
	var to, from, kind []int32
	var values []T
	for e, v := range graph.All() {
		to, from, kind = append(to, int32(e.I)), append(from, int32(e.J)), append(kind, int32(v)-1)
		values = append(values, 1/T(degree[end{e.I, int32(v)}]))
	}
	for i := range int32(graph.Rows()) {
		to, from, kind, values = append(to, i), append(from, i), append(kind, kinds), append(values, 1)
	}
	return sparse.RelationsOf(graph.Rows(), graph.Cols(), int(kinds)+1, to, from, kind, values)
}

// decaying gives all parameters of a network the same decay.
func decaying[T dtype.Float](decay float64, net nn.Sequential[T]) nn.Sequential[T] {
	for _, p := range net.Params() {
		p.Decay = decay
	}
	return net
}
