package kernel

import "unsafe"

// VectorArgs is the argument block of every kernel that goes over vectors, with or without
// the rows of a matrix. Levels 1 and 2 of BLAS are made of these kernels, and so are moves of
// elements and masks of random numbers. It lies on the caller's stack. Strides are in bytes.
//
// A kernel of several rows does Tiles tiles of them, one under another, LdA from row to row,
// with N columns each. Every row has an element of S, and of T if the kernel has two. It has
// an element of Out if the kernel sums up rows. X and Y are the same for all. Out is written
// in whole vectors, of which what is beyond the sums of the call is not defined.
//
// Tables of kernels for vectors of one element type have an entry for each operation. Those of one row read
// A as the first of two vectors, whose scalar is S[0].
//
//	Dot    Out = sum A*Y
//	DotW   the same in float64, of float32; else none
//	Axpy   Y += S*A
//	Scal   A *= S
//	Swap   A and Y change places
//	Rot    A, Y = S*A + T*Y, S*Y - T*A
//	Asum   Out = sum |A|
//	SumSq  Out = sum A*A, in float64
//	Amax   Out = max |A|, without NaNs
//	Gemv   Out[r] = sum A[r]*X
//	GemvT  Y += sum over r of S[r]*A[r]
//	Ger    A[r] += S[r]*X
//	Symv   Out[r] = sum A[r]*X, and Y += sum over r of S[r]*A[r]
//	Syr2   A[r] += S[r]*X + T[r]*Y
//
// Those that move elements of a size write a matrix Out, whose rows are LdOut apart, instead of sums. MR and
// NV of an entry say how many rows a tile has, and what N is a multiple of.
//
//	Transpose  Out = A, transposed
//	Weave      a row of Out for each tile: of the elements of each of its columns beside one another
//	Unravel    the inverse of Weave: a tile of Out for each row of A
//
// That of numbers that are dropped at random reads what S points to, a [Dropout]. N is a multiple of its NV.
//
//	Drop       Out = A, times 0 or a scale
type VectorArgs struct {
	A, X, Y, S, T, Out unsafe.Pointer
	LdA, N, Tiles      int64
	LdOut              int64 // from row to row of a matrix
}

// OutSlack is how many bytes a kernel writes behind its sums at most.
const OutSlack = 64

// VectorRows is how many rows of a matrix the kernels of several take at once.
const VectorRows = 4
