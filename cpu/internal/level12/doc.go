// Package level12 is Levels 1 and 2 of BLAS on the kernels of cpu/kern/vector: loops in Go around
// calls that take a piece of vectors, or tiles of four rows, each.
//
// It takes arguments that are right. What is wrong, and what is too short to gain, its
// callers leave to gonum, which so has the last word on panics; see [fits] and [Start].
//
// The order of additions follows from the shape and the instruction set. Vectors are cut into chunks by their
// length, whose sums are added in order; rows are cut between tiles, and columns where no sum is.
package level12
