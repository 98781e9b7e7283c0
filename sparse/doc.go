// Package sparse describes sparse matrices by axes: structure belongs to axes,
// values to slices.
//
// Start with [FromCOO], [FromCSR] or a [Builder], which give a [Matrix]: compressed
// rows, checked once, immutable from then on. [Matrix.To] lays its values out in
// another [Format], such as [ELL] or [BSR]; a format of your own is one literal,
// and [Format.Check] tests it. [Decompose] stores a matrix as a sum of parts, each in
// a format that suits it, as [Rule] values say: [Hyb], [Columns], [Blocks],
// [Diagonals], [LongRows], or your own. [Advise] says which of all that is fastest for
// a product, and why.
//
// Matrices are made of others: [Matrix.Union], [Matrix.Intersect] and the like by element,
// [Kron], [HStack], [VStack] and [Block] by blocks, [Matrix.Slice], [Matrix.TakeRows],
// [Matrix.PermuteRows], [Matrix.Tril] and [Matrix.Select] by choosing, [Matrix.Apply] and
// [Matrix.ScaleRows] by value. They take a matrix as canonical, and so is what they
// return; of a matrix in another format take [Packed.Matrix] first. cpu.SpGEMM multiplies
// two.
//
// A [Vector] is sparse, too: a matrix of one row. cpu.SpMSpV multiplies it by a matrix. A
// [Pattern] has no values, such as a graph without weights: [Matrix.Pattern], [PatternFromCOO] and
// [ReadPattern] make one, what moves entries is there for it too, and cpu.SpMM, SpMV, SpGEMMOpt
// and SDDMMPattern take each entry as 1.
//
// [ReadMatrixMarket] reads files, [FromGraph] and [Matrix.Graph] go from gonum's graphs
// and back, and sparse/sample makes matrices of known kinds.
//
// Values are float32 or float64, for which there are kernels, or complex numbers or integers of
// any size, which cpu.SpMM, SpMV and SpGEMM multiply in plain Go; [Convert] goes from one type to another.
//
// # Rules that hold everywhere
//
//   - Sizes are at most [MaxDim], stored values at most [MaxSlots]. Indices come in
//     as int, int32 or int64 and are int32 inside. All inputs are copied.
//   - A matrix is canonical if every row has ascending columns without duplicates.
//     FromCOO, Builder, FromDense, FromDoer and Add make canonical matrices, and sum
//     duplicates in the order in which they came, in T. FromCSR and FromCSC keep
//     what they are given; [Matrix.Canonical] sorts and sums, and To, Add, Equal and
//     DoNonZero do so first. An element with duplicates is their sum.
//   - A stored zero is an entry like any other: it is kept by every constructor and
//     operation, counts in NNZ, and 0 x Inf of a stored 0 is NaN. FromDense does not
//     store zeros, DoNonZero does not yield them, DropZeros drops them.
//   - Padding is not an entry: no Walk yields it, and no stored 0 stands for it.
//
// # Sums
//
// A kernel runs over a [Sum] in this order, whatever the rules: it sets the result to
// the identity of its reduction, adds to it the product of every part, in the order
// of [Sum.Parts], and applies the epilogue, once for every element, after the last
// part. Every part has the size of the whole matrix, so nothing is shifted. Of a part
// in a format with a list of rows, [DELL], [DCSR] or [DBSR], only those are visited;
// one in another format, such as a rest in [CSR], adds 0 to rows that it does not
// have. Within a part rows ascend, and the positions of
// a row that was cut are neighbours ([Packed.Repeats] says whether there are any), so
// that work cut between rows needs no atomics and has the same result for any
// number of threads. If [Sum.Disjoint] holds, a row is at one position of one part, and
// a part with a list of rows can be run, epilogue included, as if it were the whole
// matrix; rows without entries are then left to do.
package sparse
