package structure_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gen/examples/structure"
	"github.com/tilesmith/tilesmith/layout"
)

// The kernel matrix of three points, of which one triangle is computed.
func ExamplePolynomialGram() {
	x := layout.RowMajor([]float32{1, 0, 0, 1, 1, 1}, 3, 2)
	out := layout.New[float32](3, 3)
	structure.PolynomialGram(out, x, x.T(), 1)
	fmt.Println(out.Data)
	// Output: [4 0 0 1 4 0 4 4 9]
}

// Rows are mixed with those before them; what is beside the triangle, a 9 here, does not count.
func ExampleUnitLowerMatMul() {
	a := layout.RowMajor([]float32{9, 9, 2, 9}, 2, 2)
	b := layout.RowMajor([]float32{1, 2, 3, 4}, 2, 2)
	out := layout.New[float32](2, 2)
	structure.UnitLowerMatMul(out, a, b)
	fmt.Println(out.Data)
	// Output: [1 2 5 8]
}
