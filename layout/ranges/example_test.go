package ranges_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/ranges"
)

// A range has both ends, or one side that is open.
func Example() {
	for _, r := range []ranges.Range{{Low: float64(float32(1e-3)), High: 1}, {Low: 0, High: math.Inf(1)}, {Low: 1, High: 0}} {
		fmt.Println(r.Text(32), r.Check())
	}
	// Output:
	// from 0.001 to 1 <nil>
	// at least 0 <nil>
	// from 1 to 0 want low < high
}
