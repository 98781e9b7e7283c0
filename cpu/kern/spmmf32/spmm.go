package spmmf32

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// Set is the product of sparse matrices with every variant of its kernels.
var Set = spblas.SpMM[float32]{Name: "cpu.SpMM", Rows: Rows, Nests: Nests}
