package run_test

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// Every generated function has a form that takes options. The number of threads
// does not change a bit of the result; the portable code is on every machine.
func ExampleOptions() {
	a := layout.RowMajor([]float64{1, 2, 3, 4}, 2, 2)
	out := layout.New[float64](2, 2)
	gemmf.DGEMMOpt(run.Options{ISA: run.Portable, Threads: 2}, out, a, a.T())
	fmt.Println(out.Data)
	// Output: [5 11 11 25]
}

// The last variant is always the portable one, the first is what calls use.
func ExampleISAs() {
	isas := run.ISAs()
	fmt.Println(slices.Contains(isas, run.Portable), isas[len(isas)-1])
	// Output: true go
}
