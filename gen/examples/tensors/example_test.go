package tensors_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/gen/examples/tensors"
	"github.com/tilesmith/tilesmith/layout"
)

// A row that a mask closes is 0, not NaN.
func ExampleSoftmax() {
	x := layout.RowMajor([]float32{1, 1, 1, 1, float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1))}, 2, 4)
	tensors.Softmax(x, x)
	fmt.Println(x.Data)
	// Output: [0.25 0.25 0.25 0.25 0 0 0 0]
}

func ExampleLayerNorm() {
	x, out := layout.RowMajor([]float32{1, 3, 2, 6}, 2, 2), layout.New[float32](2, 2)
	gain, bias := []float32{1, 10}, []float32{0, 100}
	tensors.LayerNorm(out, x, gain, bias, 0)
	fmt.Println(out.Data)
	// Output: [-1 110 -1 110]
}

// What is dropped follows from the seed and the place: backward, the same call drops the
// gradients of what forward dropped.
func ExampleDropout() {
	const p = 0.5
	drop := uint32(p * (1 << 32))
	forward := equation.Stream{Seed: 1, Number: 7}
	x, g := layout.RowMajor([]float32{1, 1, 1, 1, 1, 1, 1, 1}, 2, 4), layout.RowMajor([]float32{3, 3, 3, 3, 3, 3, 3, 3}, 2, 4)
	tensors.Dropout(x, x, int32(drop), 1/(1-p), forward)
	tensors.Dropout(g, g, int32(drop), 1/(1-p), forward)
	same := true
	for i := range x.Data {
		same = same && g.Data[i] == 3*x.Data[i]
	}
	fmt.Println(same)
	// Output: true
}
