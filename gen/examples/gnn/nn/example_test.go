package nn_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/nn"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// Two triangles with an edge between them, of which one node each has a class: a network of one layer learns those
// of the others from who their neighbours are.
func Example() {
	from := []int{0, 1, 2, 3, 4, 5, 2}
	to := []int{1, 2, 0, 4, 5, 3, 3}
	one := []float64{1, 1, 1, 1, 1, 1, 1}
	graph, err := sparse.FromCOO(6, 6, append(from, to...), append(to, from...), append(one, one...))
	if err != nil {
		panic(err)
	}
	if graph, err = nn.WithSelf(graph); err != nil {
		panic(err)
	}
	names, err := sparse.Identity[float64](6) // a feature for each node
	if err != nil {
		panic(err)
	}
	edges := nn.NewEdges(nn.Normalised(graph))
	net := nn.Sequential[float64]{
		nn.NewSparseLinear("weights1", names, 4, 0),
		&nn.Aggregate[float64]{Edges: edges},
		nn.NewBiasActivation("bias1", 4, nn.ELU[float64]()),
		nn.NewLinear[float64]("weights2", 4, 2),
		&nn.Aggregate[float64]{Edges: edges},
	}
	nn.Glorot(net.Params(), 1)
	adam := nn.NewAdam(net.Params(), .05)

	labels, known := []int{0, -1, -1, -1, -1, 1}, []int{0, 5}
	logits := net.Forward(&nn.Pass{}, layout.Matrix[float64]{})
	dlogits := layout.New[float64](6, 2)
	for step := range 51 {
		score := nn.CrossEntropy(dlogits, logits, labels, known)
		if step%25 == 0 {
			fmt.Printf("step %2d: loss %.3f\n", step, score.Loss)
		}
		net.Backward(dlogits)
		adam.Update(net.Params())
		logits = net.Forward(&nn.Pass{}, layout.Matrix[float64]{})
	}
	for i := range 6 {
		fmt.Print(logits.At(i, 1) > logits.At(i, 0), " ")
	}
	// Output:
	// step  0: loss 0.618
	// step 25: loss 0.001
	// step 50: loss 0.000
	// false false false true true true
}
