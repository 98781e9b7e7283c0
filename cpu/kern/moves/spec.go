//go:build ignore

package main

import (
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func main() {
	gen.Main(
		gen.NewFamily[kernel.VectorArgs]("Bytes1", simd.Moves{Size: 1}.Lower).Direct(),
		gen.NewFamily[kernel.VectorArgs]("Bytes2", simd.Moves{Size: 2}.Lower).Direct(),
		gen.NewFamily[kernel.VectorArgs]("Bytes4", simd.Moves{Size: 4}.Lower).Direct(),
		gen.NewFamily[kernel.VectorArgs]("Bytes8", simd.Moves{Size: 8}.Lower).Direct(),
	)
}
