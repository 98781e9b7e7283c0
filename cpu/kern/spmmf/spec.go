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
		gen.NewFamily[kernel.SparseArgs]("RowsF32", lower.StockRows{Elem: emit.F32}.Lower),
		gen.NewFamily[kernel.SparseArgs]("NestsF32", lower.StockNests{Elem: emit.F32}.Lower),
		gen.NewFamily[kernel.SparseArgs]("RowsF64", lower.StockRows{Elem: emit.F64}.Lower),
		gen.NewFamily[kernel.SparseArgs]("NestsF64", lower.StockNests{Elem: emit.F64}.Lower),
	)
}
