//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func main() {
	gen.Main(
		gen.NewFamily[kernel.SparseArgs]("KernelsF32", lower.Attention{Name: "f32attention", Elem: emit.F32}.Lower),
		gen.NewFamily[kernel.SparseArgs]("KernelsF64", lower.Attention{Name: "f64attention", Elem: emit.F64}.Lower),
	)
}
