package advise_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Weights that are pruned by blocks of 16 x 16, times a few columns: blocks, which read a
// row of B once for 8 of theirs. [advise.MachineFor] is the machine that the program runs
// on; this one is the same everywhere.
func ExampleFor() {
	m, err := sample.Blocks[float32](1024, 1024, 16, .03, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	on := advise.Machine{Machine: *machine.Reference("avx512"), ISA: "avx512", Threads: 1}
	a, err := advise.For(m, 8, on)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Best.Name)
	p, err := format.Pack(m, a.Best.Format)
	fmt.Println(p.Slots(), "slots,", p.NNZ(), "entries,", err)
	// Output:
	// bsr16
	// 31488 slots, 31488 entries, <nil>
}
