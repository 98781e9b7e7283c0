package act

import "github.com/tilesmith/tilesmith/layout/dtype"

// BF16 rounds a sum to bfloat16: the epilogue of a product that stores it so.
func BF16(x float32) dtype.BF16 { return dtype.ToBF16(x) }

// F16 rounds a sum to binary16: the epilogue of a product that stores it so.
func F16(x float32) dtype.F16 { return dtype.ToF16(x) }
