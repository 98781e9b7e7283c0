package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// The kernels of one ISA for sampled products, for attention over the entries of a sparse
// matrix and over blocks of them, for matrices of dense blocks, for pruned weights and for narrow values, for vectors, and for moves of elements; generated tables are of
// these types.
type (
	SDDMMKernels     = kernel.SDDMMKernels[SparseKernel]
	AttentionKernels = kernel.AttentionKernels[SparseKernel]
	BlockKernels     = kernel.BlockKernels[SparseKernel]
	PrunedKernels    = kernel.PrunedKernels[SparseKernel]
	SoftmaxKernels   = kernel.SoftmaxKernels[SparseKernel]
	WideningKernels  = kernel.WideningKernels[SparseKernel]
	VectorKernels    = kernel.VectorKernels[VectorKernel]
	MoveKernels      = kernel.MoveKernels[MoveKernel]
)

// EpiVariant is the epilogue of a generated sparse product for one ISA.
type EpiVariant struct {
	ISA    string
	Kernel kernel.EpiKernel
	Lanes  int // columns done at once
}
