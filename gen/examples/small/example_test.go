package small_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gen/examples/small"
	"github.com/tilesmith/tilesmith/layout"
)

// A product whose shape the generator knew: lengths are checked when the call is
// compiled, and nothing else is left to look at.
func ExampleSGEMM8Arrays() {
	var a, shift, out [8 * 8]float32
	for i := range a {
		a[i] = float32(i)
	}
	for i := range 8 {
		shift[i*8+(i+1)%8] = 1 // each column moves one to the right
	}
	small.SGEMM8Arrays(&out, &a, &shift)
	fmt.Println(out[:8])
	// Output: [7 0 1 2 3 4 5 6]
}

// A thousand products in one call.
func ExampleRotate3DBatch() {
	const count = 1000
	points, turned := make([]float64, count*5*3), make([]float64, count*5*3)
	turns := make([]float64, count*3*3) // one for each bunch of five points
	for i := range points {
		points[i] = float64(i % 3)
	}
	for i := range count {
		turn := turns[i*9:]
		turn[1], turn[3], turn[8] = 1, -1, 1 // a quarter about the third axis
	}
	small.Rotate3DBatch(turned, points, turns, count)
	fmt.Println(turned[:3], turned[len(turned)-3:])
	// Output: [-1 0 2] [-1 0 2]
}

// A layer: its weights' shape is known, the number of inputs is not.
func ExampleLinearReLU() {
	const inputs = 7
	in, weights := layout.New[float32](inputs, 32), layout.New[float32](32, 40)
	bias := make([]float32, 40)
	for i := range 32 {
		in.Set(3, i, 1)
		weights.Set(i, 0, 1)
		weights.Set(i, 1, -1)
	}
	bias[0] = 0.5
	out := layout.New[float32](inputs, 40)
	small.LinearReLU(out, in, weights, bias)
	fmt.Println(out.At(3, 0), out.At(3, 1), out.At(0, 0))
	// Output: 32.5 0 0.5
}
