package simd_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A product of float64 with tiles of 2 rows and 1 vector, lowered for AVX2: how its
// full tile reads A and multiplies.
func Example() {
	spec := gemm.Spec[float64, float64, float64, float64]{Name: "Product", Tile: tiling.Micro{MR: 2, NV: 1}}
	m, err := simd.Lower(spec.Describe(), amd64.AVX2, simd.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Funcs), "functions, vectors of", m.VL)
	for _, f := range m.Funcs {
		if f.Name != m.Tile(kernel.Panel, 2, 1) {
			continue
		}
		fmt.Println(f.Doc)
		var step []*emit.Op
		f.Body.Walk(func(op *emit.Op) {
			if op.Def.Name == "loadb" || op.Def.Name == "fma" && op.Args[1].Op.Def.Name == "loadb" {
				step = append(step, op)
			}
		})
		for _, op := range step[len(step)-4:] { // rounds of four steps of k, and then one by one
			fmt.Println(op)
		}
	}
	// Output:
	// 25 functions, vectors of 4
	// product_avx2_2x4 computes tiles of 2 x 4.
	// %80 = loadb %75 {imm=1} : f64x4
	// %81 = fma %76, %80, %79 : f64x4
	// %82 = loadb %75, %12 {imm=1, scale=1} : f64x4
	// %83 = fma %77, %82, %79 : f64x4
}
