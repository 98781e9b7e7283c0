// Package quant has the arithmetic of quantised numbers as ordinary Go functions of scalars,
// for epilogues of products and for any other Go code.
//
// An integer x with a scale s and a zero point z stands for s*(x-z). See Jacob and
// others, "Quantization and training of neural networks for efficient
// integer-arithmetic-only inference", 2018. So a product of two quantised matrices is
//
//	sum of sa*(a-za) * sb*(b-zb) = sa*sb * sum of (a-za)*(b-zb)
//
// The second sum is an int32. [Dequantise] turns it into a float32. [Requantise] turns it
// into a number with the result's scale sc and zero point, by scale = sa*sb/sc. Numbers are
// rounded to nearest, halves to even, and saturate.
//
// The functions are generic, import only math and have no loops. Sums of int32 wrap. An int32
// becomes a float32 by one rounding to nearest even, and so does every product. Go leaves the
// conversion of a NaN or an out-of-range number to the machine; here it does not happen.
// [Saturate] of NaN is the least number of the type.
package quant
