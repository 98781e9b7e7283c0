package kernel

// AttentionKernels is one ISA's kernels for attention over the entries of a sparse
// matrix. Index nv-1 is for a panel of nv vectors.
type AttentionKernels[K any] struct {
	ISA          string `kernel:"text"`
	VL           int
	Shift, Exp   K
	Fence        K
	Attend, Tail []K // in a tail kernel the last vector has N features
}
