package dual_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/gen/examples/dual"
	"github.com/tilesmith/tilesmith/layout"
)

// A rotation by t, and how it changes with t: of its square both are those of a rotation by 2t.
func ExampleMatMul() {
	const t = math.Pi / 6
	sin, cos := math.Sincos(t)
	r := layout.RowMajor([]complex128{
		complex(cos, -sin), complex(-sin, -cos), // the value, and the derivative beside it
		complex(sin, cos), complex(cos, -sin),
	}, 2, 2)
	square := layout.New[complex128](2, 2)
	dual.MatMul(square, r, r)
	fmt.Printf("sin 2t %.3f, its derivative %.3f\n", real(square.At(1, 0)), imag(square.At(1, 0)))
	// Output: sin 2t 0.866, its derivative 1.000
}
