package fused_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/layout"
)

// A dense layer: two samples of three features, two units.
func ExampleDenseGELU() {
	x := layout.RowMajor([]float32{1, 2, 3 /**/, -1, 0, 1}, 2, 3)
	weights := layout.ColMajor([]float32{0.5, 0, -1 /**/, 1, 1, 0.5}, 3, 2) // a column a unit
	bias := []float32{0.1, -0.2}
	y := layout.New[float32](2, 2)
	fused.DenseGELU(y, x, weights, bias)
	fmt.Printf("%.3f\n", y.Data)
	// Output: [-0.019 4.300 -0.113 -0.169]
}

// The same on one goroutine, with the portable code.
func ExampleDenseGELUOpt() {
	x, weights := layout.RowMajor([]float32{1, 2}, 1, 2), layout.RowMajor([]float32{3, 4}, 2, 1)
	y := layout.New[float32](1, 1)
	fused.DenseGELUOpt(run.Options{Threads: 1, ISA: "go"}, y, x, weights, []float32{0})
	fmt.Println(y.At(0, 0))
	// Output: 11
}
