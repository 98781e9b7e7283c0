package run

import "github.com/tilesmith/tilesmith/tiling"

// SparseArgs is the argument block of a kernel with a sparse operand; generated
// stubs name it.
type SparseArgs = tiling.SparseArgs

// SparseKernel is the type of its stub.
type SparseKernel = tiling.SparseKernel

// RowKernels is the set of kernels of one ISA for compressed rows; generated tables
// are of it.
type RowKernels = tiling.RowKernels

// NestArgs, NestKernel, NestSet and NestKernels are the same for other formats.
type (
	NestArgs    = tiling.NestArgs
	NestKernel  = tiling.NestKernel
	NestSet     = tiling.NestSet
	NestKernels = tiling.NestKernels
)
