package roof_test

import (
	"fmt"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// The two numbers between which every kernel of this machine lives.
func Example() {
	isa := run.ISAs()[0]
	flops := roof.FMA(isa, dtype.F32, 10*time.Millisecond)
	bytes := roof.Read(isa, 64<<20, 10*time.Millisecond)
	fmt.Printf("%s: %.1f GFLOP/s from registers, %.1f GB/s from memory\n", isa, flops/1e9, bytes/1e9)
}
