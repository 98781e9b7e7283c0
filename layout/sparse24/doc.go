// Package sparse24 stores matrices for the sparse products of tensor cores. Four neighbours
// along a row are a chunk. Two of them are stored, and four bits of metadata say which two.
// For float32, which tensor cores multiply as tf32, it is one of two. So half of the elements
// must be zero, evenly: the 2:4 rule [Mishra and others, Accelerating sparse deep neural
// networks, 2021].
//
// Start with [Pack], or with [Prune] for a matrix that is not 2:4 yet. A [Matrix] cannot
// change, so its metadata stays right. A tensor core does not check metadata, and may give
// any number if it means nothing.
//
// # Layout
//
// Let d be the columns that an instruction multiplies at once, 64 bytes: 32 of 16-bit
// elements, 64 of 8-bit ones, 16 of float32. Columns are padded to a multiple of d, and rows,
// in the metadata only, to a multiple of 16. Values are half of the columns, row by row, with
// zeros as padding. Metadata are words of 32 bits. The words of 16 rows and d columns are a
// piece; pieces go along the rows, then down:
//
//	16-bit, float32  16 words: word 2g+s has chunks 4s to 4s+3 of row g in bits 0 to 15,
//	                 the first lowest, and of row g+8 in bits 16 to 31
//	8-bit            32 words: word 4g+2s+h has chunks 8s to 8s+7 of row g+8h
//
// This is the order of lanes in the fragments of PTX ISA 9.7.14.6 (mma.sp). The four bits of a
// chunk are the positions of the stored elements, the lower one in the low two bits. For
// float32 they are 0100 for the first of two and 1110 for the second.
package sparse24
