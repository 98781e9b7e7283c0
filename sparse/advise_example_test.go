package sparse_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Weights that are pruned by blocks of 16 x 16, times a few columns: blocks, which read a
// row of B once for 8 of theirs. [sparse.MachineFor] is the machine that the program runs
// on; this one is the same everywhere.
func ExampleAdvise() {
	m, err := sample.Blocks[float32](1024, 1024, 16, .03, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	on := sparse.Machine{Machine: *machine.Reference("avx512"), ISA: "avx512", Threads: 1}
	a, err := sparse.Advise(m, 8, on)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Best.Name)
	p, err := m.To(a.Best.Format)
	fmt.Println(p.Slots(), "slots,", p.NNZ(), "entries,", err)
	// Output:
	// bsr16
	// 31488 slots, 31488 entries, <nil>
}
