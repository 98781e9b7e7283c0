package sparse_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling"
)

// A graph with long rows, on a machine whose last cache holds a quarter of B: slabs
// of columns, each with rows of B that stay there.
func ExampleAdvise() {
	m, err := sample.Uniform[float32](4000, 4000, 100, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	on := sparse.MachineFor("avx512")
	on.Caches = tiling.Caches{L1: 8 << 10, L2: 32 << 10, L3: 256 << 10}
	on.Memory = 10e9
	a, err := sparse.Advise(m, 64, on)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Best.Name)
	s, err := sparse.Decompose(m, a.Best.Rules...)
	fmt.Println(len(s.Parts()), "parts,", s.NNZ(), "entries,", err)
	// Output:
	// columns(8)
	// 8 parts, 400000 entries, <nil>
}
