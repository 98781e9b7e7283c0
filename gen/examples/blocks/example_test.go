package blocks

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	"github.com/tilesmith/tilesmith/layout"
)

// A convolution along one dimension is a sum over offsets: for each of its three taps the block of
// inputs begins one step further, and overlaps the one before.
func Example() {
	const steps, in, out = 16, 16, 16 // of results, channels of inputs and of results
	x := make([]float32, (steps+2)*in)
	for i := range x {
		x[i] = float32(i / in)
	}
	weights := make([]float32, 3*in*out) // a block for each tap
	for i := range weights {
		weights[i] = float32(1+i/(in*out)) / in
	}
	y := make([]float32, steps*out)
	BRGEMM16(layout.RowMajor(y, steps, out),
		blocks.Operand[float32]{Data: x, At: []int{0, in, 2 * in}},
		blocks.Operand[float32]{Data: weights, Stride: in * out, Count: 3})
	fmt.Println(y[0], y[out], y[15*out]) // 1*t + 2*(t+1) + 3*(t+2)

	// The same again, added to what is there, with blocks that are slices of their own.
	list := func(data []float32, stride int) (l [][]float32) {
		for i := range 3 {
			l = append(l, data[i*stride:][:256])
		}
		return l
	}
	BRGEMM16Opt(run.Options{Scaling: run.Scale(1, 1)}, layout.RowMajor(y, steps, out), blocks.Operand[float32]{List: list(x, in)}, blocks.Operand[float32]{List: list(weights, in*out)})
	fmt.Println(y[0], y[out], y[15*out])
	// Output:
	// 8 14 98
	// 16 28 196
}
