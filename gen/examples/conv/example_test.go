package conv_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/conv"
)

// An image of 4 x 4 pixels with one channel, and the sum of each pixel and its neighbours.
func Example() {
	c, err := conv.New[float32, float32](conv.Square(1, 4, 1, 1, 3, 1))
	if err != nil {
		panic(err)
	}
	in := []float32{
		1, 0, 0, 0,
		0, 0, 0, 0,
		0, 0, 2, 0,
		0, 0, 0, 0,
	}
	ones := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}
	out := make([]float32, c.Out())
	c.Forward(run.Options{}, out, in, c.Pack(ones))
	for y := range c.OutH() {
		fmt.Println(out[y*c.OutW():][:c.OutW()])
	}
	// Output:
	// [1 1 0 0]
	// [1 3 2 2]
	// [0 2 2 2]
	// [0 2 2 2]
}
