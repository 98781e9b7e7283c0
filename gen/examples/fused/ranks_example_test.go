package fused_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/layout"
)

// Four ranks share the hidden units of an MLP with a GELU. Its first product is a kernel
// that was generated with bias and activation; after the second the ranks add up, which is
// all that they send.
func Example_ranks() {
	const in, hidden, out, batch = 8, 30, 4, 6
	err := comm.Run(4, func(c *comm.Comm) error {
		mlp, err := layer.NewMLP(c, in, hidden, out, layer.Options[float64]{
			Bias:   true,
			Act:    layer.Activation[float64]{F: act.GELU[float64], Grad: act.DGELU[float64]},
			Kernel: fused.DenseGELUF64Opt,
		})
		if err != nil {
			return err
		}
		defer mlp.Close()
		part := mlp.Up.Part() // the same weights, whatever the number of ranks
		for i := range mlp.Up.W.Rows {
			for j := range mlp.Up.W.Cols {
				mlp.Up.W.Set(i, j, float64((i+part.Cols.Lo+j)%5)/8)
			}
		}
		for i := range mlp.Down.W.Data {
			mlp.Down.W.Data[i] = 1. / 16
		}
		x, y := layout.New[float64](batch, in), layout.New[float64](batch, out)
		for i := range x.Data {
			x.Data[i] = float64(i%3 - 1)
		}
		if err := mlp.Forward(nil, y, x, batch); err != nil {
			return err
		}
		forward, _ := mlp.Cost(batch)
		if c.Rank() == 0 {
			fmt.Printf("%d columns of %d; y = %.4f ...; %d bytes of a sum of %d sent\n", part.Cols.Len(), hidden, y.At(0, 0), forward.BytesSent, 8*batch*out)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 8 columns of 30; y = -0.1451 ...; 288 bytes of a sum of 192 sent
}
