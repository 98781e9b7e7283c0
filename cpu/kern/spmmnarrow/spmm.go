package spmmnarrow

import (
	"github.com/tilesmith/tilesmith/cpu/run/spblas"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The products of sparse matrices of float32 with dense ones of a narrower type, with every
// variant of their kernels.
var (
	BF16Set = spblas.Narrow[dtype.BF16]{Name: "cpu.SpMMOf", Rows: BF16}
	F16Set  = spblas.Narrow[dtype.F16]{Name: "cpu.SpMMOf", Rows: F16}
)

// Kernels that convert stored values to float32 or float64.
var (
	StoredBF16 = spblas.Widening{Name: "cpu.SpMMOf", Variants: WidenBF16}
	StoredF16  = spblas.Widening{Name: "cpu.SpMMOf", Variants: WidenF16}
)
