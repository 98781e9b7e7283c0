package spmmf

import "github.com/tilesmith/tilesmith/cpu/run/spblas/rows"

// SetF32 and SetF64 are the product of sparse matrices with every variant of its kernels.
var (
	SetF32 = rows.SpMM[float32]{Name: "cpu.SpMM", Rows: RowsF32, Nests: NestsF32}
	SetF64 = rows.SpMM[float64]{Name: "cpu.SpMM", Rows: RowsF64, Nests: NestsF64}
)
