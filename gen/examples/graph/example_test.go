package graph_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// The ranks of four pages, with the teleporting surfer's share as an operand of the
// epilogue. mass is the sum of all ranks, from the same pass.
func ExamplePageRank() {
	links := [][]int{{1, 2}, {2}, {0}, {0, 2}}
	b := sparse.NewBuilder[float64](4, 4)
	for from, to := range links {
		for _, page := range to {
			b.Add(page, from, 1/float64(len(to)))
		}
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	const damping = 0.85
	rank, next := []float64{.25, .25, .25, .25}, make([]float64, 4)
	jump := []float64{.0375, .0375, .0375, .0375}
	mass := make([]float64, 1)
	for range 60 {
		graph.PageRank(next, mass, a, rank, jump, damping)
		rank, next = next, rank
	}
	fmt.Printf("%.3f, together %.3f\n", rank, mass[0])
	// Output: [0.380 0.199 0.384 0.037], together 1.000
}

// A layer of a relational graph network with its bias and its activation in the same pass: two kinds
// of edges, one of which takes the feature of a neighbour, and the other its opposite.
func ExampleRGCN() {
	likes, hates := int32(0), int32(1)
	edges, err := sparse.RelationsOf[float32](3, 3, 2, []int32{0, 0, 1, 2}, []int32{1, 2, 0, 2}, []int32{likes, hates, likes, hates}, nil)
	if err != nil {
		panic(err)
	}
	x := layout.RowMajor([]float32{1, 5, 2}, 3, 1) // a feature for each node
	w := layout.RowMajor([]float32{1, -1}, 2, 1)   // a 1 x 1 matrix for each kind
	out := layout.New[float32](3, 1)
	graph.RGCN(out, edges, x, w, []float32{0.5}) // max(0, what likes is added and what hates is taken away + 0.5)
	fmt.Println(out.Data)
	// Output: [3.5 1.5 0]
}

// Attention of a language model with a sliding window, as Longformer's and Mistral's is, and linear biases in place of
// positions (ALiBi): each of four heads takes from a score what it thinks of the distance of two
// tokens. Here all keys are the same, so that weights are powers of e of distances alone.
func ExampleALiBiAttention() {
	const tokens, heads, width = 6, 4, 2
	window, err := mask.Band(tokens, 1, 2) // a token sees two before it, and itself
	if err != nil {
		panic(err)
	}
	q, k, v := layout.New[float32](tokens, heads*width), layout.New[float32](tokens, heads*width), layout.New[float32](tokens, heads*width)
	pos := make([]float32, tokens)
	for i := range pos {
		pos[i] = float32(i)
		v.Set(i, 0, pos[i])       // the first column of head 0
		v.Set(i, 3*width, pos[i]) // and that of head 3
	}
	out := layout.New[float32](tokens, heads*width)
	graph.ALiBiAttention(out, window, q, k, v, pos, pos, []float32{math.Ln2, 1, 1, 0}) // e^-ln2 is a half
	fmt.Printf("token 5, head 0: %.4f = (5 + 4/2 + 3/4) / (1 + 1/2 + 1/4)\n", out.At(5, 0))
	fmt.Printf("token 5, head 3: %.4f = (5 + 4 + 3) / 3\n", out.At(5, 3*width))
	// Output:
	// token 5, head 0: 4.4286 = (5 + 4/2 + 3/4) / (1 + 1/2 + 1/4)
	// token 5, head 3: 4.0000 = (5 + 4 + 3) / 3
}

// The readout of a batch of two molecules, of three atoms and of two: the greatest of each
// feature over the atoms of each, a bias and ReLU. PyTorch Geometric calls it a global max pool, DGL a
// readout of max_nodes.
func ExampleReadout() {
	atoms := layout.New[float32](5, 32)
	for i, x := range []float32{1, 4, 2, -3, -1} {
		atoms.Set(i, 0, x)
	}
	out, bias := layout.New[float32](2, 32), make([]float32, 32)
	bias[0] = 0.5
	graph.Readout(out, []int{0, 3, 5}, atoms, bias)
	fmt.Println(out.At(0, 0), out.At(1, 0))
	// Output: 4.5 0
}

// The attention weights of a GAT layer: of the edges of each node, by a score of its own and one of
// its neighbour's, through a leaky ReLU. DGL calls the softmax an edge softmax. s.WithValues(out) is the matrix to
// multiply the features by.
func ExampleGATWeights() {
	s, err := sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 1}, []float32{0, 0, 0})
	if err != nil {
		panic(err)
	}
	out := make([]float32, s.NNZ())
	from, to := []float32{1, 0}, []float32{0, 5, -11}
	graph.GATWeights(out, s, from, to) // scores 1 and 0.2*(1-11); 5
	fmt.Printf("%.3f\n", out)
	// Output: [0.953 0.047 1.000]
}
