package graph_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// owners divides the rows of a square matrix among p ranks by its hypergraph.
func owners[T float32 | float64](a sparse.Matrix[T], p int) ([]int32, error) {
	h, err := part.ColumnNet(a, part.Model{})
	if err != nil {
		return nil, err
	}
	parts, err := part.Make(h, p, part.Options{})
	return parts.Parts(), err
}

// A layer of a graph network over four ranks: relu(A*(X*W) + bias) and, for a loss whose
// gradient is the result, the gradient of W. The kernel with bias and relu is the generated
// one that a single rank would use.
func Example_ranks() {
	const p, n, in, features = 4, 600, 20, 128
	a, err := sample.RMAT[float32](n, 4000, .57, .19, .19, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := owners(a, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, w, bias := layout.New[float32](n, in), layout.New[float32](in, features), make([]float32, features)
	for i := range x.Data {
		x.Data[i] = float32(i%7) - 3
	}
	for i := range w.Data {
		w.Data[i] = float32(i%5) - 2
	}

	gradients := make([]layout.Matrix[float32], p)
	y := layout.New[float32](n, features)
	err = comm.Run(p, func(c *comm.Comm) error {
		share, err := parts.Divide(a, c.Rank(), p, rows, nil)
		if err != nil {
			return err
		}
		s, err := spmm.New(c, share, spmm.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		m, err := s.Product(features)
		if err != nil {
			return err
		}
		mine := layout.New[float32](len(s.Cols()), in)
		for i, row := range s.Cols() {
			copy(mine.Data[i*in:(i+1)*in], x.Data[row*in:])
		}
		cpu.MatMul(m.B(), mine, w) // where the product wants it: nothing is copied
		out := layout.New[float32](len(s.Rows()), features)
		err = m.Each(cpu.Options{}, m.B(), func(k spmm.RowBlock[float32]) {
			graph.Aggregate(out.Slice(k.From, k.To, 0, features), k.A, k.B, bias)
		})
		if err != nil {
			return err
		}
		for i, row := range s.Rows() {
			copy(y.Data[row*features:(row+1)*features], out.Data[i*features:])
		}

		back, err := s.T()
		if err != nil {
			return err
		}
		mt, err := back.Product(features)
		if err != nil {
			return err
		}
		dxw := layout.New[float32](len(s.Cols()), features)
		if err := mt.Multiply(cpu.Options{}, dxw, out); err != nil {
			return err
		}
		dw := layout.New[float32](in, features)
		cpu.MatMul(dw, mine.T(), dxw)
		gradients[c.Rank()] = dw
		return comm.AllReduce(c, dw.Data, comm.Sum[float32]())
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	xw, one := layout.New[float32](n, features), layout.New[float32](n, features)
	cpu.MatMul(xw, x, w)
	graph.Aggregate(one, a, xw, bias)
	dxw, dw := layout.New[float32](n, features), layout.New[float32](in, features)
	cpu.SpMM(dxw, a.Transpose(), one)
	cpu.MatMul(dw, x.T(), dxw)
	fmt.Println("the layer is that of one rank:", same(y.Data, one.Data))
	for r, g := range gradients {
		fmt.Printf("rank %d has the gradient of W: %v\n", r, same(g.Data, dw.Data))
	}
	// Output:
	// the layer is that of one rank: true
	// rank 0 has the gradient of W: true
	// rank 1 has the gradient of W: true
	// rank 2 has the gradient of W: true
	// rank 3 has the gradient of W: true
}

// same reports whether numbers agree to five digits.
func same(x, y []float32) bool {
	for i := range x {
		if math.Abs(float64(x[i]-y[i])) > 1e-5*math.Max(1, math.Abs(float64(y[i]))) {
			return false
		}
	}
	return len(x) == len(y)
}
