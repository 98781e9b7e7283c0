package spmmf32

import "github.com/tilesmith/tilesmith/cpu/run/spblas"

// RowSet is the product of compressed rows with every variant of its kernels.
var RowSet = spblas.RowSet[float32]{Name: "cpu.SpMM", Variants: Rows}

// NestSet is the product of all other formats.
var NestSet = spblas.NestSetOf[float32]{Name: "cpu.SpMM", Variants: Nests, Rows: &RowSet}
