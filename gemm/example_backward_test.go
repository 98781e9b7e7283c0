package gemm_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
)

func geluOfBias(acc, bias float32) float32 { return act.GELU(acc + bias) }

// The gradients of a layer are a spec that is made of the layer's.
func ExampleSpec_Backward() {
	biasGELU := geluOfBias
	dense := gemm.Spec[float32, float32, float32, float32]{Name: "DenseGELU",
		Epilogue: gemm.Map2(biasGELU, gemm.PerColumn[float32]("bias"))}
	back := dense.Backward()
	fmt.Println(back.Kernel())
	for _, in := range back.Epilogue.Fusion().Inputs {
		fmt.Println("takes", in.Name, in.Pattern)
	}
	for _, r := range back.Epilogue.Fusion().Reduces {
		fmt.Println("sums", r.Name)
	}
	// Output:
	// DenseGELUBack
	// takes bias PerColumn
	// takes dout Full
	// sums dbias
}
