package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// prunedNet is a network of layers of which most weights were pruned. The activations
// of a batch are the columns of a matrix, so that a weight meets all of them at once.
//
// Kepner and others, "Sparse deep neural network graph challenge", 2019.
type prunedNet struct {
	layers []*rows.Pruned[float32] // outputs x inputs
	bias   float32
	most   float32 // what an activation is cut off at
}

// newPrunedNet arranges weights, of which each matrix is inputs x outputs, as in the
// files of the challenge.
func newPrunedNet(bias, most float32, weights ...sparse.Matrix[float32]) *prunedNet {
	n := &prunedNet{bias: bias, most: most}
	for _, w := range weights {
		n.layers = append(n.layers, cpu.Prune(w.Transpose()))
	}
	return n
}

// run returns the activations of the last layer for a batch x of inputs, a column each.
func (n *prunedNet) run(x layout.Matrix[float32]) layout.Matrix[float32] {
	for _, w := range n.layers {
		outputs, _ := w.Dims()
		next := layout.New[float32](outputs, x.Cols)
		cpu.MulPruned(cpu.Options{}, next, w, x)
		for i, v := range next.Data {
			next.Data[i] = min(max(v+n.bias, 0), n.most)
		}
		x = next
	}
	return x
}

// combs returns a batch of inputs that are 0 or 1: those of column j are 1 at the
// multiples of j+3.
func combs(inputs, batch int) layout.Matrix[float32] {
	x := layout.New[float32](inputs, batch)
	for j := range batch {
		for i := 0; i < inputs; i += j + 3 {
			x.Set(i, j, 1)
		}
	}
	return x
}

// A network of two layers, of which 3 % of the weights are left: how many neurons fire
// for each of four inputs. All numbers are multiples of 1/256, so there is no rounding.
func Example_prunedNetwork() {
	var weights []sparse.Matrix[float32]
	for seed := range uint64(2) {
		w, err := sample.Uniform[float32](1024, 1024, 32, seed)
		if err != nil {
			fmt.Println(err)
			return
		}
		weights = append(weights, w.Scale(1./16))
	}
	net := newPrunedNet(-5./16, 32, weights...)
	out := net.run(combs(1024, 4))
	for j := range out.Cols {
		fire, sum := 0, float32(0)
		for i := range out.Rows {
			if v := out.At(i, j); v > 0 {
				fire++
				sum += v
			}
		}
		fmt.Printf("input %d: %4d of %d neurons fire, %.3f in sum\n", j, fire, out.Rows, sum)
	}
	// Output:
	// input 0: 1024 of 1024 neurons fire, 411.000 in sum
	// input 1:  830 of 1024 neurons fire, 91.703 in sum
	// input 2:   73 of 1024 neurons fire, 2.445 in sum
	// input 3:    0 of 1024 neurons fire, 0.000 in sum
}
