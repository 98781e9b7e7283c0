package spmmnarrow

import (
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The products of sparse matrices of float32 with dense ones of a narrower type, with every
// variant of their kernels.
var (
	BF16Set = rows.Narrow[dtype.BF16]{Name: "cpu.SpMMOf", Rows: BF16}
	F16Set  = rows.Narrow[dtype.F16]{Name: "cpu.SpMMOf", Rows: F16}
)

// Kernels that convert stored values to float32 or float64.
var (
	StoredBF16 = rows.Widening{Name: "cpu.SpMMOf", Variants: WidenBF16}
	StoredF16  = rows.Widening{Name: "cpu.SpMMOf", Variants: WidenF16}
)
