package peer_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// What every library that is here makes of one product.
func ExampleAvailableSparse() {
	a, err := sample.Banded[float32](100, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	const n = 4
	b, c := make([]float32, 100*n), make([]float32, 100*n)
	for _, p := range peer.AvailableSparse() {
		product, err := p.F32(c, a, b, n)
		if err != nil {
			fmt.Println(err)
			continue
		}
		product.Run()
		if err := product.Fetch(); err != nil {
			fmt.Println(err)
		}
		product.Free()
		fmt.Println(p.Name, p.Version, c[:n])
	}
}
