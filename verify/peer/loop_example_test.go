package peer_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/verify/peer"
)

// How long OpenBLAS takes for a product of 8x8x8, without what a call from Go costs.
func ExampleRepeat() {
	g, err := peer.Load("openblas")
	if err != nil {
		log.Fatal(err)
	}
	g.SetThreads(1)
	loop, err := peer.OpenLoop()
	if err != nil {
		log.Fatal(err)
	}
	const n = 8
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	run, err := peer.Repeat(loop, g, false, false, 1, n, n, n,
		peer.Operand[float32]{Data: a, LD: n}, peer.Operand[float32]{Data: b, LD: n}, peer.Operand[float32]{Data: c, LD: n})
	if err != nil {
		log.Fatal(err)
	}
	seconds := peer.InTurns(run)
	fmt.Printf("%.0f ns\n", seconds[0]*1e9)
}
