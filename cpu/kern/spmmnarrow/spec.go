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
		gen.NewFamily[kernel.SparseArgs]("BF16", lower.NarrowRows{B: emit.BF16}.Lower),
		gen.NewFamily[kernel.SparseArgs]("F16", lower.NarrowRows{B: emit.F16}.Lower),
		gen.NewFamily[kernel.SparseArgs]("WidenBF16", lower.Widening{From: emit.BF16}.Lower),
		gen.NewFamily[kernel.SparseArgs]("WidenF16", lower.Widening{From: emit.F16}.Lower),
	)
}
