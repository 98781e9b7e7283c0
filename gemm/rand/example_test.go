package rand_test

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tilesmith/tilesmith/gemm/rand"
)

// Four goroutines make the mask of a layer in parts: the same mask as one would, and the same
// whenever it is asked for again.
func Example() {
	const step, layer = 17, 2
	s := rand.Stream{Seed: 1, Number: step<<8 | layer}

	mask := make([]float32, 1000)
	var all sync.WaitGroup
	for at := 0; at < len(mask); at += 250 {
		all.Go(func() { rand.Dropout(s, uint64(at), mask[at:at+250], .5) })
	}
	all.Wait()
	fmt.Println(mask[:12])

	again := make([]float32, 1000)
	rand.Dropout(s, 0, again, .5)
	fmt.Println(slices.Equal(mask, again))

	weights := make([]float64, 3)
	rand.Normal(rand.Stream{Seed: 1}, 0, weights, 0, .1)
	fmt.Printf("%.4f\n", weights)
	// Output:
	// [2 0 0 0 0 0 0 2 0 0 2 2]
	// true
	// [-0.0114 -0.0458 -0.0289]
}

func ExampleBlock() {
	fmt.Printf("%08x\n", rand.Block([4]uint32{}, [2]uint32{}))
	// Output: [6627e8d5 e169c58d bc57ac4c 9b00dbd8]
}
