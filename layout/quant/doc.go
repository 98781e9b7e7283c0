// Package quant has the arithmetic of quantised numbers as ordinary Go functions of scalars,
// for epilogues of products and for any other Go code.
//
// A number x of a scale s and a zero point z, an integer of its type, stands for s*(x-z) [Jacob
// and others, Quantization and training of neural networks for efficient
// integer-arithmetic-only inference, 2018]. So a product of two quantised matrices is
//
//	sum of sa*(a-za) * sb*(b-zb) = sa*sb * sum of (a-za)*(b-zb)
//
// where the second sum is an int32, which [Dequantise] makes a float32 of, and [Requantise] a
// number of another scale and zero point: with scale = sa*sb/sc of those of the result. Numbers
// are rounded to nearest, halves to even, and saturate.
//
// They are generic functions that import nothing but math, without loops. Sums of int32 wrap;
// an int32 becomes a float32 by one rounding, to nearest even, and so does every product. What
// Go leaves to machines, a NaN or a number out of range that becomes an integer, does not
// happen: [Saturate] of NaN is the least number of the type.
package quant
