// Package sparse has sparse matrices, and what is done with them but products: package cpu multiplies.
//
// Start with [FromCOO], [FromCSR] or a [Builder]. They return a [Matrix] in compressed
// rows, which is checked once and immutable. Package format stores its values in another
// format, such as format.ELL or format.BSR, package rule as a sum of parts in several, and
// package advise says which of these is fastest for a product. Package files reads files,
// package graph converts from and to gonum's graphs, package aggregate has sums, extremes and norms, package
// mask has masks of attention, package spec describes products for the generator, and package
// sample makes matrices of known kinds.
//
// You can make matrices from others: element by element ([Matrix.Union],
// [Matrix.Intersect]), by blocks ([Kron], [HStack], [VStack], [Block]), or by value
// ([Matrix.Apply], [Matrix.ScaleRows]). You can also select parts of them
// ([Matrix.Slice], [Matrix.TakeRows], [Matrix.PermuteRows], [Matrix.Tril],
// [Matrix.Select]). These operations sum duplicates first and return canonical
// matrices. cpu.SpGEMM multiplies two matrices.
//
// A [Vector] is a sparse matrix of one row; cpu.SpMSpV multiplies it by a matrix. A
// [Pattern] has no values, like a graph without weights. [Matrix.Pattern] and
// [PatternFromCOO] make one. It has the operations that move entries,
// and cpu.SpMM, SpMV, SpGEMMOpt and SDDMMPattern treat each entry as 1.
//
// Values are float32 or float64, which have kernels, or complex numbers or integers of any
// size. cpu.SpMM, SpMV and SpGEMM multiply the latter in plain Go. [Convert] changes the type.
//
// # Rules that hold everywhere
//
//   - Sizes are at most [MaxDim], stored values at most [MaxSlots]. Indices come in
//     as int, int32 or int64 and are int32 inside. All inputs are copied.
//   - A matrix is canonical if every row has ascending columns without duplicates.
//     FromCOO, Builder, FromDense, FromDoer and Add make canonical matrices, and sum
//     duplicates in the order in which they came, in T. FromCSR and FromCSC keep
//     their input as it is. [Matrix.Canonical] sorts and sums; Add, Equal and
//     DoNonZero do so first. An element with duplicates is their sum.
//   - A stored zero is an entry like any other. Every constructor and operation keeps
//     it, it counts in NNZ, and a stored 0 times Inf is NaN. FromDense does not store
//     zeros, DoNonZero does not yield them, DropZeros drops them.
package sparse
