package kernel

// PrunedKernels is one ISA's kernels for pruned weights. Index nv-1 is for a panel of nv
// vectors; in a tail kernel the last vector has N columns.
type PrunedKernels[K any] struct {
	ISA        string `kernel:"text"`
	VL         int
	Full, Tail []K
	Pack       []K // copies K rows of B times Alpha to rows Stride bytes apart
}
