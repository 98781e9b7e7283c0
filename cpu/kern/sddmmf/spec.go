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
		gen.NewFamily[kernel.SparseArgs]("KernelsF32", lower.SDDMM{Name: "f32sddmm", Op: lower.NewSum(emit.F32)}.Lower),
		gen.NewFamily[kernel.SparseArgs]("KernelsF64", lower.SDDMM{Name: "f64sddmm", Op: lower.NewSum(emit.F64)}.Lower),
	)
}
