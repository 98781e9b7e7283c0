package summa_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Six ranks on a mesh of 2 x 3 multiply two matrices, of which each has a block, and add
// a bias to the columns of the result. What they send was known before.
func ExampleMul() {
	plan := summa.Plan{M: 5, N: 7, K: 6, Type: dtype.F64, Grid: summa.Grid{Rows: 2, Cols: 3, Layers: 1}}
	bias := func(tile layout.Matrix[float64], row, col int) {
		for i := range tile.Rows {
			for j := range tile.Cols {
				tile.Set(i, j, tile.At(i, j)+float64(col+j))
			}
		}
	}
	whole := layout.New[float64](plan.M, plan.N) // which a program would not have
	err := comm.Run(plan.Grid.Ranks(), func(c *comm.Comm) error {
		a, b, out := plan.A(c.Rank()), plan.B(c.Rank()), plan.C(c.Rank())
		x, y := layout.New[float64](a.Rows.Len(), a.Cols.Len()), layout.New[float64](b.Rows.Len(), b.Cols.Len())
		for i := range x.Rows {
			for j := range x.Cols {
				x.Set(i, j, float64(a.Rows.Lo+i)) // a[i][k] = i
			}
		}
		for i := range y.Data {
			y.Data[i] = 1 // so that out[i][j] = 6i + j
		}
		z := whole.Slice(out.Rows.Lo, out.Rows.Hi, out.Cols.Lo, out.Cols.Hi)
		return summa.Mul(c, plan, summa.Options[float64]{Epilogue: bias}, z, x, y)
	})
	fmt.Println(whole, err)
	cost := plan.Total()
	fmt.Println(cost.Sent, "messages of", cost.BytesSent, "bytes in all")
	// Output:
	// [ 0   1   2   3   4   5   6]
	// [ 6   7   8   9  10  11  12]
	// [12  13  14  15  16  17  18]
	// [18  19  20  21  22  23  24]
	// [24  25  26  27  28  29  30] <nil>
	// 28 messages of 816 bytes in all
}

// The fastest way to multiply tall and thin matrices is to leave the tall one where it is.
func ExamplePlans() {
	on := cost.Machine{Link: cost.Link{Latency: 2e-6, Bandwidth: 10e9}, Flops: 50e9, Memory: 1 << 30}
	on.Rates[machine.Memory] = 10e9
	for _, s := range [][3]int{{1 << 20, 64, 64}, {8192, 8192, 8192}, {512, 512, 1 << 19}} {
		plans, err := summa.Plans(s[0], s[1], s[2], dtype.F64, 16, on)
		if err != nil {
			fmt.Println(err)
			return
		}
		best := plans[0].Plan
		fmt.Printf("%v: %v ranks, panels of %d, %.1f MB from each\n", s, best.Grid, best.Panel, float64(best.Cost(0).BytesSent)/1e6)
	}
	// Output:
	// [1048576 64 64]: 16x1 ranks, panels of 64, 0.0 MB from each
	// [8192 8192 8192]: 4x4 ranks, panels of 2048, 201.3 MB from each
	// [512 512 524288]: 1x1x16 ranks, panels of 32768, 2.0 MB from each
}
