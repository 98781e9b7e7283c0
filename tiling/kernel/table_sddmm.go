package kernel

// SDDMMKernels is one ISA's kernels for sampled products. Index nv-1 is for a panel of
// nv vectors of features; in a tail kernel the last vector has N.
type SDDMMKernels[K any] struct {
	ISA              string `kernel:"text"`
	VL               int
	First, FirstTail []K // begin the sums
	// Near and NearTail do the same without prefetching rows of B, for narrow panels whose
	// B is in a cache anyway. They may be missing.
	Near, NearTail []K
	More, MoreTail []K // go on with the sums that C holds
	Reduce         K   // K whole groups of vectors at A, then N more, to values at C by Mode
	Weigh          K   // the same times Values
}
