//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func main() {
	gen.Main(
		gen.NewFamily[kernel.VectorArgs]("F32", simd.Vectors{Elem: emit.F32}.Lower).Direct(),
		gen.NewFamily[kernel.VectorArgs]("F64", simd.Vectors{Elem: emit.F64}.Lower).Direct(),
	)
}
