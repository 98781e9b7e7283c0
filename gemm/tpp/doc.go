// Package tpp describes equations of tensors and makes kernels from them. An equation has
// elementwise operators over matrices, operands that are broadcast along rows, columns or
// both, and reductions of rows, columns and both. These are the tensor processing primitives
// of Georganas and others, "Tensor processing primitives: a programming abstraction for
// efficiency and portability in deep learning workloads", 2021. A primitive is an equation
// of one operator.
//
// Start with [Spec], [In] and [Map]. An operator is an ordinary Go function, from packages
// op and act or your own.
//
//	x := tpp.In(gemm.Full[float32]("x"))
//	e := tpp.Map(op.Exp[float32], tpp.Map(op.Sub[float32], x, tpp.RowMax(x)))
//	spec := tpp.Spec{Name: "Softmax", Outs: []tpp.Output{tpp.Out("out", tpp.Map(op.Div[float32], e, tpp.RowSum(e)))}}
//
// An equation means that each operator is done for all elements before the next, and rounds to
// its type. Only the order of additions in sums is the kernel's. A schedule of stages and passes,
// which tilesmith explain prints, says how it is done:
//
//   - A stage is a kernel that goes over all rows. Another stage follows where something needs a
//     reduction of columns first. It computes rows again, so no matrix between stages is in memory.
//   - A pass is a walk along one row, which stays in L1. A reduction of the row ends it, and the
//     next pass uses the result. All operators of a pass are done in registers.
//   - A pass computes again what it needs of an earlier one. If that would take as long as
//     writing and reading it (spillCost), the value stays in a row of temporaries in L1.
//   - A pass does as many vectors at once as fit the registers. If even one does not fit, the
//     backend of package amd64 moves single registers to the stack.
//   - A mask is stored as one bit per element: [OutBits] and [InBits].
//   - A product, [MatMul], is a step between kernels. A block of rows goes through products and
//     stages, and the values between them stay in cache.
//
// A NaN in an element gives NaN in everything computed from it, maxima and minima included.
package tpp
