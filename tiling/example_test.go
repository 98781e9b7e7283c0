package tiling_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/tiling"
)

// The register tile follows from the number of registers: accumulators, a row of B
// and one element of A have to fit.
func ExampleRegisters() {
	for _, regs := range []int{32, 16} {
		m := tiling.Registers(regs)
		fmt.Printf("%d registers: %d rows of %d vectors\n", regs, m.MR, m.NV)
	}
	// Output:
	// 32 registers: 9 rows of 3 vectors
	// 16 registers: 6 rows of 2 vectors
}
