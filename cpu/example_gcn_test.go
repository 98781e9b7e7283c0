package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// gcn is a layer of a graph convolutional network, f(a*x*w) for features x, weights w
// and the graph's normalised adjacency matrix a.
//
// Kipf and Welling, "Semi-supervised classification with graph convolutional
// networks", 2017.
type gcn[T dtype.Float] struct {
	a, back  sparse.Matrix[T] // back is a transposed
	from     []int32          // value k of back is value from[k] of a
	f, slope func(T) T        // the activation and its derivative
	products layout.Matrix[T] // x*w and a*x*w of the last forward, which backward needs
	sums     layout.Matrix[T]
}

// newGCN returns the layer for a graph, whose entries (i, j) say that node i hears of
// node j. Every node hears of itself too. An entry is divided by the roots of the sums
// of its row and its column, which must be positive.
func newGCN[T dtype.Float](graph sparse.Matrix[T], f, slope func(T) T) (*gcn[T], error) {
	self, err := sample.Diagonals[T](graph.Rows(), graph.Cols(), 0)
	if err != nil {
		return nil, err
	}
	a, err := graph.Add(self)
	if err != nil {
		return nil, err
	}
	rows, cols, values := aggregate.RowSums(a), aggregate.ColSums(a), make([]T, a.NNZ())
	for e, v := range a.All() {
		values[e.K] = v / T(math.Sqrt(float64(rows[e.I])*float64(cols[e.J])))
	}
	if a, err = a.WithValues(values); err != nil {
		return nil, err
	}
	back, from := a.TransposeFrom()
	return &gcn[T]{a: a, back: back, from: from, f: f, slope: slope}, nil
}

// setEdges gives the entries of a other values, in the order of a.All(). Neither
// structure changes, so there is nothing to sort.
func (g *gcn[T]) setEdges(values []T) (err error) {
	if g.a, err = g.a.WithValues(values); err != nil {
		return err
	}
	moved := make([]T, len(values))
	for k, from := range g.from {
		moved[k] = values[from]
	}
	g.back, err = g.back.WithValues(moved)
	return err
}

// forward returns f(a*x*w). The features are multiplied by the weights first, because
// that makes them fewer.
func (g *gcn[T]) forward(x, w layout.Matrix[T]) layout.Matrix[T] {
	g.products, g.sums = layout.New[T](x.Rows, w.Cols), layout.New[T](g.a.Rows(), w.Cols)
	cpu.MatMul(g.products, x, w)
	cpu.SpMM(g.sums, g.a, g.products)
	out := layout.New[T](g.sums.Rows, g.sums.Cols)
	for i, s := range g.sums.Data {
		out.Data[i] = g.f(s)
	}
	return out
}

// backward returns the gradients of x, w and the values of a, given that of what the
// last forward returned.
func (g *gcn[T]) backward(x, w, dout layout.Matrix[T]) (dx, dw layout.Matrix[T], dedges []T) {
	dsums := layout.New[T](dout.Rows, dout.Cols)
	for i, d := range dout.Data {
		dsums.Data[i] = d * g.slope(g.sums.Data[i])
	}
	dedges = make([]T, g.a.NNZ())
	cpu.SDDMMInto(cpu.SDDMMOptions{Pattern: true}, dedges, g.a, dsums, g.products)

	dproducts := layout.New[T](x.Rows, w.Cols)
	cpu.SpMM(dproducts, g.back, dsums)
	dx, dw = layout.New[T](x.Rows, x.Cols), layout.New[T](w.Rows, w.Cols)
	cpu.MatMul(dx, dproducts, w.T())
	cpu.MatMul(dw, x.T(), dproducts)
	return dx, dw, dedges
}

// squares returns half the sum of squares of m, whose gradient is m.
func squares[T dtype.Float](m layout.Matrix[T]) (sum float64) {
	for _, v := range m.Data {
		sum += float64(v) * float64(v) / 2
	}
	return sum
}

// normal returns a matrix of normal numbers.
func normal[T dtype.Float](rng *rand.Rand, rows, cols int) layout.Matrix[T] {
	m := layout.New[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}

// slopeAlong returns how fast f grows as v moves along direction, by a difference of
// two values of f; v is as it was afterwards, and f is called once more to see that.
func slopeAlong(f func() float64, v, direction []float64) float64 {
	const h = 1e-5
	at := slices.Clone(v)
	floats.AddScaledTo(v, at, h, direction)
	above := f()
	floats.AddScaledTo(v, at, -h, direction)
	below := f()
	copy(v, at)
	f()
	return (above - below) / (2 * h)
}

// A layer of a graph network forward and backward. Its gradients are compared with
// differences along a random direction; then the weights take a step against theirs.
func Example_graphConvolution() {
	graph, err := sample.RMAT[float64](200, 1000, .57, .19, .19, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	layer, err := newGCN(graph, act.GELU, act.DGELU)
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	x, w := normal[float64](rng, 200, 16), normal[float64](rng, 16, 8)
	_, _, edges := layer.a.CSR()
	loss := func() float64 {
		if err := layer.setEdges(edges); err != nil {
			fmt.Println(err)
		}
		return squares(layer.forward(x, w))
	}

	out := layer.forward(x, w)
	dx, dw, dedges := layer.backward(x, w, out) // the gradient of the loss in out is out
	fmt.Printf("loss %.1f\n", squares(out))
	for _, p := range []struct {
		name            string
		value, gradient []float64
	}{{"features", x.Data, dx.Data}, {"weights", w.Data, dw.Data}, {"edges", edges, dedges}} {
		direction := normal[float64](rng, 1, len(p.value)).Data
		slope := slopeAlong(loss, p.value, direction)
		fmt.Printf("%s: slope %.1f, as the gradient says: %v\n", p.name, slope,
			math.Abs(slope-floats.Dot(p.gradient, direction)) < 1e-6*floats.Norm(p.gradient, 2)*floats.Norm(direction, 2))
	}

	floats.AddScaled(w.Data, -.001, dw.Data)
	fmt.Printf("after a step the loss is %.1f\n", loss())
	// Output:
	// loss 2217.9
	// features: slope 407.8, as the gradient says: true
	// weights: slope -668.7, as the gradient says: true
	// edges: slope 287.0, as the gradient says: true
	// after a step the loss is 2047.7
}
