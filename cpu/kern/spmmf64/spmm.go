package spmmf64

import "github.com/tilesmith/tilesmith/cpu/run/spblas/rows"

// Set is the product of sparse matrices with every variant of its kernels.
var Set = rows.SpMM[float64]{Name: "cpu.SpMM", Rows: Rows, Nests: Nests}
