package kernel

// WideningKernels is one ISA's kernels that convert stored values of a narrower type to
// wide ones. They read Values, C and N of [SparseArgs]. N may be 0.
type WideningKernels[K any] struct {
	ISA      string `kernel:"text"`
	F32, F64 K
}
