package cpu_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
)

func ExampleMatMul() {
	a := layout.RowMajor([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	b := layout.RowMajor([]float32{1, 0, 0, 1, 1, 1}, 3, 2)
	out := layout.New[float32](2, 2)
	cpu.MatMul(out, a, b)
	fmt.Println(out.Data)

	// A transposed operand is a view; nothing is copied before the call.
	square := layout.New[float32](3, 3)
	cpu.MatMul(square, a.T(), a)
	fmt.Println(square.Data)
	// Output:
	// [4 5 10 11]
	// [17 22 27 22 29 36 27 36 45]
}

func ExampleMatMulOpt() {
	a := layout.RowMajor([]float64{1, 2, 3, 4}, 2, 2)
	out := layout.RowMajor([]float64{1, 1, 1, 1}, 2, 2)
	// out = 2*a*a + 10*out, on one goroutine.
	cpu.MatMulOpt(cpu.Options{Threads: 1, Scaling: cpu.Scale(2, 10)}, out, a, a)
	fmt.Println(out.Data)
	// Output: [24 30 40 54]
}

// One line at the start of main makes gonum faster.
func ExampleBLAS64() {
	blas64.Use(cpu.BLAS64{})
	defer blas64.Use(gonum.Implementation{}) // only so that other tests see gonum's own

	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var c mat.Dense
	c.Mul(a, a.T())
	fmt.Println(mat.Formatted(&c))
	// Output:
	// ⎡ 5  11⎤
	// ⎣11  25⎦
}
