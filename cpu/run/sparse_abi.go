package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// SparseArgs is the argument block of a kernel with a sparse operand; generated
// stubs name it.
type SparseArgs = kernel.SparseArgs

// SparseKernel is the type of its stub.
type SparseKernel = kernel.SparseKernel

// RowKernels is the set of kernels of one ISA for compressed rows; generated tables
// are of it.
type RowKernels = kernel.RowKernels[SparseKernel]

// NestArgs, NestKernel, NestSet and NestKernels are the same for other formats.
type (
	NestArgs    = kernel.NestArgs
	NestKernel  = kernel.NestKernel
	NestSet     = kernel.NestSet[NestKernel]
	NestKernels = kernel.NestKernels[NestKernel]
)
