//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm/rand/lower"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func main() {
	gen.Main(gen.NewFamily[kernel.VectorArgs]("Kernels", lower.Mask{}.Lower))
}
