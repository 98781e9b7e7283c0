package peer_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/verify/peer"
)

// Gonum is on every machine; "openblas", "blis", "mkl", "libxsmm" and "onednn" are loaded the same way.
func ExampleLoad() {
	g, err := peer.Load("gonum")
	if err != nil {
		log.Fatal(err)
	}
	a := []float32{
		1, 2, 3,
		4, 5, 6,
	}
	c := make([]float32, 4)
	g.SetThreads(1)
	g.F32(false, true, 2, 2, 3, 1, a, 3, a, 3, 0, c, 2) // C = A*Aᵀ
	fmt.Println(c)
	// Output: [14 32 32 77]
}
