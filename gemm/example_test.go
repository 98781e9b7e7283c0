package gemm_test

import (
	"fmt"
	"math"
	"strings"

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

// norm divides by the length of a vector whose squares add up to the sum.
func norm(acc, x, eps float32) float32 { return x / float32(math.Sqrt(float64(acc+eps))) }

// Callers of this product promise that eps is positive, and at most 1. Its test draws no other, and its document says so.
func ExampleOperand_Within() {
	s := gemm.Spec[float32, float32, float32, float32]{Name: "Norm",
		Epilogue: gemm.Map3(norm, gemm.Full[float32]("x"), gemm.Scalar[float32]("eps").Within(1e-6, 1))}
	fmt.Println(s.Describe().Check(), s.Describe().Fusion.Inputs)
	wrong := gemm.Spec[float32, float32, float32, float32]{Name: "Norm",
		Epilogue: gemm.Map3(norm, gemm.Full[float32]("x"), gemm.Scalar[float32]("eps").Within(1, 0.5))}
	reason := wrong.Describe().Check().Error() // after the place of the epilogue
	fmt.Println(reason[strings.Index(reason, "operand"):])
	// Output:
	// <nil> [{x Full f32} {eps Scalar f32 from 1e-06 to 1}]
	// operand eps of the epilogue is from 1 to 0.5: want low < high
}
