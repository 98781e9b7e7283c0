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
		gen.NewFamily[kernel.SparseArgs]("Rows", lower.StockRows{Elem: emit.F64}.Lower),
		gen.NewFamily[kernel.NestArgs]("Nests", lower.StockNests{Elem: emit.F64}.Lower),
	)
}
