//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func main() {
	gen.Main(gen.NewFamily[kernel.SparseArgs]("Kernels", lower.Softmax{Name: "softmax", Elem: emit.F32}.Lower))
}
