// Package level12 is Levels 1 and 2 of BLAS on the kernels of cpu/kern/vector. Its loops in Go
// surround calls that each take a piece of vectors, or tiles of four rows.
//
// It takes only correct arguments. Its callers leave wrong ones, and vectors that are too short
// to gain, to gonum. So gonum decides on panics; see [fits] and [Start].
//
// The order of additions follows from the shape and the instruction set. Vectors are cut into
// chunks by their length, and their sums are added in order. Rows are cut between tiles. Columns
// are cut only if no sum runs over them.
package level12
