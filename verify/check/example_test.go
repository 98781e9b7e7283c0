package check_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/check"
)

// plain is a kernel under test.
func plain(alpha float64, a, b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) {
	for i := range out.Rows {
		for j := range out.Cols {
			sum := 0.0
			for k := range a.Cols {
				sum += a.At(i, k) * b.At(k, j)
			}
			sum *= alpha
			if beta != 0 {
				sum += beta * out.At(i, j)
			}
			out.Set(i, j, sum)
		}
	}
}

// A test of a product is one call. The tile says where its edges are.
func ExampleSuite() {
	_ = func(t *testing.T) { // TestPlain in a _test.go file
		check.Suite(t, plain, check.Options{MR: 4, NR: 8})
	}
}

// Shapes lists what a kernel must get right.
func ExampleShapes() {
	shapes := check.Shapes(6, 16, 1024, false)
	fmt.Println(shapes[0], "|", shapes[3], "|", len(shapes) > 500)
	// Output: m=0 n=0 k=0 | m=6 n=0 k=5 | true
}
