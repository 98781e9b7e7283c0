package kernel

// SoftmaxKernels is one ISA's kernels for attention over dense blocks of scores.
type SoftmaxKernels[K any] struct {
	ISA  string `kernel:"text"`
	VL   int
	Step K // goes on with the softmax of rows by some more columns
	Back K // the gradient of weights and scores
}
