package spec

import "github.com/tilesmith/tilesmith/layout/dtype"

// EdgeSoftmax describes attention weights of the edges of a graph (GAT, Veličković et al., 2018). Let k = (i,
// j) be an entry of a sparse m x n matrix s, in the order of [sparse.Matrix.CSR]. Then out[k] is the softmax over
// row i of the scores epilogue(s_k). The generated function takes out, the epilogue's further outputs, s, and
// then the operands. An operand has one element for each row of s, for each column, for each entry, or is a
// scalar. Without an epilogue use cpu.EdgeSoftmax. The kernels of package cpu compute powers of e, whatever
// Standalone says.
type EdgeSoftmax[T dtype.Float] struct {
	Name     string
	Epilogue Epilogue[T] // the score of an entry, of its value and operands
	Targets  Targets

	Standalone bool
}

// Kernel returns the spec's name.
func (s EdgeSoftmax[T]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s EdgeSoftmax[T]) Describe() Description {
	return describe[T](Description{Operation: OpEdgeSoftmax, Name: s.Name, Epilogue: s.Epilogue, Targets: s.Targets, Standalone: s.Standalone})
}
