package spmm_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/cost"
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
// gradient is the result, the gradient of W. A kernel generated with bias and relu
// could be the product; here a function stands for it, the one that a single rank would use.
func ExampleProduct_Each() {
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
			aggregate(out.Slice(k.From, k.To, 0, features), k.A, k.B, bias)
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
	aggregate(one, a, xw, bias)
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

// aggregate has the signature of a generated kernel: out = relu(a*b + bias).
func aggregate(out layout.Matrix[float32], a sparse.Matrix[float32], b layout.Matrix[float32], bias []float32) {
	cpu.SpMM(out, a, b)
	for i := range out.Rows {
		for j, add := range bias {
			out.Set(i, j, max(0, out.At(i, j)+add))
		}
	}
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

// Power iteration on four ranks: the largest eigenvalue of a matrix of which every rank has
// its rows. What is sent in each step are the numbers of the halo, and one sum.
func ExampleProduct_Multiply() {
	const p, side = 4, 30
	// The Laplacian of a grid, whose eigenvalues are known.
	b := sparse.NewBuilder[float64](side*side, side*side)
	for i := range side {
		for j := range side {
			b.Add(i*side+j, i*side+j, 4)
			for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
				if x, y := i+d[0], j+d[1]; x >= 0 && x < side && y >= 0 && y < side {
					b.Add(i*side+j, x*side+y, -1)
				}
			}
		}
	}
	a, err := b.Matrix()
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := owners(a, p)
	if err != nil {
		fmt.Println(err)
		return
	}
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
		m, err := s.Product(1)
		if err != nil {
			return err
		}
		x, y := m.B(), layout.New[float64](len(s.Rows()), 1)
		for i, row := range s.Cols() {
			x.Data[i] = float64(1 - 2*((row/side+row%side)%2)) // a chessboard
		}
		value := 0.0
		for range 200 {
			if err := m.Multiply(cpu.Options{}, y, x); err != nil {
				return err
			}
			sums := []float64{0, 0} // x.y and y.y
			for i, v := range y.Data {
				sums[0] += x.Data[i] * v
				sums[1] += v * v
			}
			if err := comm.AllReduce(c, sums, comm.Sum[float64]()); err != nil {
				return err
			}
			value = sums[1] / sums[0]
			for i, v := range y.Data {
				x.Data[i] = v / math.Sqrt(sums[1])
			}
		}
		if c.Rank() == 0 {
			fmt.Printf("largest eigenvalue %.3f, of the whole grid %.3f\n", value, 8*math.Pow(math.Cos(math.Pi/(2*(side+1))), 2))
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: largest eigenvalue 7.979, of the whole grid 7.979
}

// What ways to spread a product over eight ranks would send, and which is the fastest.
func ExampleMethods() {
	a, err := sample.Banded[float32](20000, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := spmm.Methods(a, spmm.MethodsOptions{Ranks: 8, Features: 128,
		Network: cost.Link{Latency: 2e-6, Bandwidth: 10e9},
		Rates:   spmm.Rates{Entry: 8e-9, Row: 30e-9, Copy: 30e-9}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range c.Methods[:2] {
		fmt.Printf("%s sends %.0f bytes in %.0f messages\n", m.Name, m.Work.Sent, m.Work.Messages)
	}
	fmt.Println(c.Methods[c.Best].Name, "is chosen")
	// Output:
	// all-gather sends 71680000 bytes in 56 messages
	// rows sends 21504 bytes in 14 messages
	// rows is chosen
}
