package act_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/gemm/act"
)

// An epilogue is a Go function of the accumulator and what goes with it.
func Example() {
	biasGELU := func(acc, bias float32) float32 { return act.GELU(acc + bias) }
	for _, acc := range []float32{-2, -1, 0, 1, 2} {
		fmt.Printf("%.4f ", biasGELU(acc, 0.5))
	}
	// Output: -0.1004 -0.1543 0.3457 1.3996 2.4849
}

func ExampleGELU() {
	fmt.Printf("%.6f %.6f\n", act.GELU(1.0), act.GELUErf(1.0))
	fmt.Println(math.Abs(act.GELU(math.Inf(-1))) < 1e-293, act.GELU(math.Inf(1)))
	// Output:
	// 0.841192 0.841345
	// true +Inf
}

func ExampleSiLU() {
	fmt.Printf("%.4f %.4f\n", act.SiLU(-1.0), act.DSiLU(-1.0))
	// Output: -0.2689 0.0723
}

func ExampleSoftplus() {
	fmt.Println(act.Softplus(float32(-100)), act.Softplus(float32(1000)))
	// Output: 3.8e-44 1000
}

func ExampleClamp() {
	relu6 := func(x float32) float32 { return act.Clamp(x, 0, 6) }
	fmt.Println(relu6(-1), relu6(2.5), relu6(8))
	// Output: 0 2.5 6
}

func ExampleLeakyReLU() {
	fmt.Println(act.LeakyReLU(-2.0, 0.01), act.LeakyReLU(3.0, 0.01))
	// Output: -0.02 3
}

func ExampleHardSwish() {
	fmt.Println(act.HardSwish(-4.0), act.HardSwish(1.5), act.HardSwish(4.0))
	// Output: -0 1.125 4
}
