package gemm_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

func scaled(acc, by float32) dtype.BF16 { return dtype.ToBF16(acc * by) }

// A spec is typed, so an epilogue that does not fit does not compile; what reads it sees
// a description, in which types are values.
func Example() {
	for _, s := range []interface{ Describe() gemm.Description }{
		gemm.Spec[float32, float32, float32, dtype.BF16]{Name: "Scaled", Epilogue: gemm.Map2(scaled, gemm.PerRow[float32]("by"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "Shortest", Operator: gemm.Over(semiring.MinPlus[float64]())},
	} {
		d := s.Describe()
		fmt.Println(d.Name, d.A, d.B, d.Acc, d.Out, d.Check())
		if d.Operator != nil {
			fmt.Println("operator", d.Operator)
		}
		if d.Fusion != nil {
			fmt.Println("operands", d.Fusion.Inputs)
		}
	}
	// Output:
	// Scaled f32 f32 f32 bf16 <nil>
	// operands [{by PerRow f32}]
	// Shortest f64 f64 f64 f64 <nil>
	// operator minplus.f64
}
