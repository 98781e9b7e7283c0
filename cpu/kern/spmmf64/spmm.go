package spmmf64

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// Set is the product of sparse matrices with every variant of its kernels.
var Set = spblas.SpMM[float64]{Name: "cpu.SpMM", Rows: Rows, Nests: Nests}
