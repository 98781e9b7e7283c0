package chain

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// Attention is generated from softmax(scale * q*kᵀ) * v, whose scores are in cache only.
func ExampleAttention() {
	q, k := layout.New[float32](2, 2), layout.New[float32](3, 2)
	copy(q.Data, []float32{8, 0, 0, 8})
	copy(k.Data, []float32{4, 0, 0, 4, -4, -4})
	v := layout.New[float32](3, 1)
	copy(v.Data, []float32{10, 20, 30})
	out := layout.New[float32](2, 1)
	Attention(out, q, k, v, 1)
	fmt.Println(out.Data)
	// Output: [10 20]
}
