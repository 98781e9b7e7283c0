package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// SampledKernels is the set of kernels of one ISA for sampled products, as sparse/lower's
// Sampled makes them; generated tables are of it. Lists have one kernel for each
// number of vectors in a panel of features, from 1.
type SampledKernels struct {
	ISA                              string
	VL                               int // lanes
	First, FirstTail, More, MoreTail []SparseKernel
	Near, NearTail                   []SparseKernel // of narrow panels; may be missing
	Reduce, Weigh                    SparseKernel
}

// AttentionKernels is the set of kernels of one ISA for attention over the entries of
// a sparse matrix, as sparse/lower's Attention makes them; generated tables are of it.
type AttentionKernels struct {
	ISA          string
	VL           int // lanes
	Shift, Exp   SparseKernel
	Fence        SparseKernel
	Attend, Tail []SparseKernel
}

// BlockKernels is the set of kernels of one ISA for matrices of dense blocks, as
// sparse/lower's Blocks makes them; generated tables are of it.
type BlockKernels struct {
	ISA        string
	MR, NV, VL int
	Full, Tail [][]SparseKernel
	Pack       []SparseKernel
}

// PrunedKernels is the set of kernels of one ISA for pruned weights, as
// sparse/lower's Pruned makes them; generated tables are of it.
type PrunedKernels struct {
	ISA              string
	VL               int // lanes
	Full, Tail, Pack []SparseKernel
}

// EpiVariant is the epilogue of a generated sparse product for one ISA.
type EpiVariant struct {
	ISA    string
	Kernel kernel.EpiKernel
	Lanes  int // columns done at once
}
