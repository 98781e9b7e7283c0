package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
)

// The product of a matrix and its Hermitian transpose: a view, and a conjugate.
func ExampleMatMulOpt_complex() {
	a := layout.RowMajor([]complex128{1, 2i, 1 - 1i, 3}, 2, 2)
	out := layout.New[complex128](2, 2)
	cpu.MatMulOpt(cpu.Options{Conj: cpu.ConjB}, out, a, a.T())
	fmt.Println(out.At(0, 1), out.At(1, 0))
	// Output: (1+7i) (1-7i)
}
