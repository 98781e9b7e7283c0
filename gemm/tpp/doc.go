// Package tpp describes equations of tensors and makes kernels of them: operators over
// matrices, element by element, with what has one element a row, a column or in all broadcast,
// and reductions of rows, columns and both. They are the tensor processing primitives of
// Georganas and others, "Tensor processing primitives: a programming abstraction for
// efficiency and portability in deep learning workloads", 2021; a primitive is an equation of
// one operator.
//
// Start with [Spec], [In] and [Map]: an operator is an ordinary Go function, those of packages
// op and act or one's own.
//
//	x := tpp.In(gemm.Full[float32]("x"))
//	e := tpp.Map(op.Exp[float32], tpp.Map(op.Sub[float32], x, tpp.RowMax(x)))
//	spec := tpp.Spec{Name: "Softmax", Outs: []tpp.Output{tpp.Out("out", tpp.Map(op.Div[float32], e, tpp.RowSum(e)))}}
//
// What it means is that each operator is done for all elements before the next, and rounds to
// its type; only the order in which sums are added is the kernel's. How it is done is a
// schedule of stages and passes, which tilesmith explain prints:
//
//   - A stage is a kernel that goes over all rows. Another follows where something needs a
//     reduction of columns first; what rows have is computed again there, so that matrices
//     between stages are never in memory.
//   - A pass is a walk along one row, which stays in L1. A reduction of the row ends it, and
//     what needs the result is in the next. All operators of a pass are done in registers.
//   - What a later pass needs of an earlier one it computes again, or finds in a row of
//     temporaries in L1 where that would take as long as writing and reading it: spillCost.
//   - A pass does as many vectors at once as find registers. What does not even fit alone
//     goes to the stack, a register at a time, as the backend of package amd64 decides.
//   - A mask is stored as a bit for each element, of registers of masks: [OutBits] and [InBits].
//   - A product, [MatMul], is a step between kernels: a block of rows goes through products and stages,
//     and what they leave to each other is in cache.
//
// NaN in an element gives NaN in all that is computed of it, and so do maxima and minima.
package tpp
