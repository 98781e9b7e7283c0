package semiring_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/semiring"
)

// hypot and size are the semiring of docs/howto-operator.md: square roots of sums of squares.
func hypot(x, y float32) float32 { return float32(math.Hypot(float64(x), float64(y))) }
func size(x, y float32) float32  { return float32(math.Abs(float64(x * y))) }

func Example() {
	norms := semiring.Semiring[float32]{Name: "norms", Plus: hypot, Times: size, Laws: semiring.Laws{Commutative: true}}
	fmt.Println(norms.Check())

	sum := norms.Zero
	for _, x := range []float32{3, -4} {
		sum = norms.Plus(sum, norms.Times(x, 1))
	}
	fmt.Println(sum)
	// Output:
	// <nil>
	// 5
}
