package narrowf32

import "github.com/tilesmith/tilesmith/cpu/run/dense"

// Kernels that make narrower elements of float32, without a product.
var (
	// BFloat16s rounds float32 to bfloat16.
	BFloat16s = dense.Each{Name: "narrowf32.BFloat16s", Variants: bF16Each, Portable: bF16Epilogue}
	// Halves rounds float32 to half precision.
	Halves = dense.Each{Name: "narrowf32.Halves", Variants: f16Each, Portable: f16Epilogue}
	// I8sByRow quantises float32 to int8 by the scale and the zero point of each row.
	I8sByRow = dense.Each{Name: "narrowf32.I8sByRow", Variants: i8RowsEach, Portable: i8RowsEpilogue}
	// I8sByColumn quantises float32 to int8 by those of each column.
	I8sByColumn = dense.Each{Name: "narrowf32.I8sByColumn", Variants: i8ColumnsEach, Portable: i8ColumnsEpilogue}
	// U8sByRow quantises float32 to uint8 by those of each row.
	U8sByRow = dense.Each{Name: "narrowf32.U8sByRow", Variants: u8RowsEach, Portable: u8RowsEpilogue}
	// U8sByColumn quantises float32 to uint8 by those of each column.
	U8sByColumn = dense.Each{Name: "narrowf32.U8sByColumn", Variants: u8ColumnsEach, Portable: u8ColumnsEpilogue}
)
