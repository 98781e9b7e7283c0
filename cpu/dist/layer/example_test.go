package layer_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout"
)

// Four ranks share the hidden units of an MLP with a GELU. A kernel generated with
// bias and activation could be its first product; here a function stands for it. After the second
// product the ranks add up, which is all that they send.
func ExampleMLP() {
	const in, hidden, out, batch = 8, 30, 4, 6
	err := comm.Run(4, func(c *comm.Comm) error {
		mlp, err := layer.NewMLP(c, in, hidden, out, layer.Options[float64]{
			Bias:   true,
			Act:    layer.Activation[float64]{F: act.GELU[float64], Grad: act.DGELU[float64]},
			Kernel: denseGELU,
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

// denseGELU has the signature of a generated kernel: out = GELU(a*b + bias).
func denseGELU(opt cpu.Options, out, a, b layout.Matrix[float64], bias []float64) {
	cpu.MatMulOpt(opt, out, a, b)
	for i := range out.Rows {
		for j, add := range bias {
			out.Set(i, j, act.GELU(out.At(i, j)+add))
		}
	}
}

// Rows of an embedding that is dealt to two ranks, and a gradient that is added to them.
func ExampleLookup() {
	const rows, features = 6, 2
	place := layer.CyclicPlacement(2)
	err := comm.Run(2, func(c *comm.Comm) error {
		table := layout.New[float64](place.Owned(rows, c.Rank()), features)
		for i := range table.Data {
			table.Data[i] = float64(10*c.Rank() + i)
		}
		l, err := layer.NewLookup[float64](c, rows, table.Rows, features, place)
		if err != nil {
			return err
		}
		defer l.Close()
		b, err := l.Batch([]int64{3, 0, 3})
		if err != nil {
			return err
		}
		out := layout.New[float64](3, features)
		if err := b.Gather(out, table); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Printf("%d of 3 rows came from the other rank:\n%v\n", b.Received(), out)
		}
		for i := range out.Data {
			out.Data[i] = .5
		}
		if err := b.Add(table, out); err != nil {
			return err
		}
		if c.Rank() == 1 {
			fmt.Printf("row 3, after both ranks added to it twice: %v\n", table.Slice(1, 2, 0, features))
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 of 3 rows came from the other rank:
	// [12  13]
	// [ 0   1]
	// [12  13]
	// row 3, after both ranks added to it twice: [14  15]
}
