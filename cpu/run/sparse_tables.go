package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// The kernels of one ISA, by family; generated tables are of these types. The families are sampled products,
// attention over the entries of a sparse matrix and over blocks of them, matrices of dense blocks, pruned
// weights, narrow values, vectors, and moves of elements.
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
