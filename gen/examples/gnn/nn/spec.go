//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
)

func main() {
	x := []int{0} // by the number, not by what the function is set to
	gen.Main(
		gen.Derivative{Name: "ReLUGrad", Of: act.ReLU[float32]},
		gen.Derivative{Name: "ELUGrad", Of: act.ELU[float32], By: x},
		gen.Derivative{Name: "LeakyReLUGrad", Of: act.LeakyReLU[float32], By: x},
	)
}
