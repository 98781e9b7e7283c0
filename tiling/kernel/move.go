package kernel

import "unsafe"

// MoveArgs is the argument block of kernels that move elements from one matrix to another,
// of rows that are contiguous. It lies on the caller's stack.
//
// The entry Transpose writes the transposed of M x N elements, multiples of its MR and NV. Weave makes M rows
// of X, a multiple of its MR, a row each: of as many elements of each column beside one another. Unravel is
// its inverse, of which M counts rows of Out. Both have N columns, a multiple of NV, of the matrix with M
// rows.
type MoveArgs struct {
	X, Out     unsafe.Pointer
	LdX, LdOut int64 // bytes from row to row
	M, N       int64 // what a kernel counts, in multiples of what its table says
}
