package kernel

import "unsafe"

// VectorArgs is the argument block of every kernel that goes over vectors, with or without
// the rows of a matrix. Levels 1 and 2 of BLAS are made of these kernels. It lies on the
// caller's stack. Strides are in bytes.
//
// A kernel of several rows does Tiles tiles of them, one under another, LdA from row to row,
// with N columns each. Every row has an element of S, and of T if the kernel has two. It has
// an element of Out if the kernel sums up rows. X and Y are the same for all. Out is written
// in whole vectors, of which what is beyond the sums of the call is not defined.
type VectorArgs struct {
	A, X, Y, S, T, Out unsafe.Pointer
	LdA, N, Tiles      int64
}

// OutSlack is how many bytes a kernel writes behind its sums at most.
const OutSlack = 64

// VectorKernel is the type of an assembly stub.
type VectorKernel func(args *VectorArgs)

// VectorRows is how many rows of a matrix the kernels of several take at once.
const VectorRows = 4

// VectorKernels is one ISA's kernels for vectors of one element type. Those of one row read A as the
// first of two vectors, whose scalar is S[0].
type VectorKernels[K any] struct {
	ISA string `kernel:"text"`
	VL  int

	Dot   K // Out = sum A*Y
	DotW  K // the same in float64, of float32; else none
	Axpy  K // Y += S*A
	Scal  K // A *= S
	Swap  K // A and Y change places
	Rot   K // A, Y = S*A + T*Y, S*Y - T*A
	Asum  K // Out = sum |A|
	SumSq K // Out = sum A*A, in float64
	Amax  K // Out = max |A|, without NaNs

	Gemv  K // Out[r] = sum A[r]*X
	GemvT K // Y += sum over r of S[r]*A[r]
	Ger   K // A[r] += S[r]*X
	Symv  K // Out[r] = sum A[r]*X, and Y += sum over r of S[r]*A[r]
	Syr2  K // A[r] += S[r]*X + T[r]*Y
}
