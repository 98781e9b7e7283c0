package kernel

// WideningKernels is one ISA's kernels that turn stored values of a narrower type into wide
// ones: of [SparseArgs] they read Values, C and N, which may be 0.
type WideningKernels[K any] struct {
	ISA      string `kernel:"text"`
	F32, F64 K
}
