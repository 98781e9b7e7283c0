// Package sparse describes sparse matrices by axes: structure belongs to axes,
// values to slices.
//
// Start with [FromCOO], [FromCSR] or a [Builder]. They return a [Matrix] in compressed
// rows, which is checked once and immutable. [Matrix.To] stores its values in another
// [Format], such as [ELL] or [BSR]. A format of your own is one literal, and
// [Format.Check] tests it. [Decompose] stores a matrix as a sum of parts, each in a
// format that suits it. [Rule] values choose the parts: [Hyb], [Columns], [Blocks],
// [Diagonals], [LongRows], or your own. [Advise] says which of these is fastest for a
// product, and why.
//
// You can make matrices from others: element by element ([Matrix.Union],
// [Matrix.Intersect]), by blocks ([Kron], [HStack], [VStack], [Block]), or by value
// ([Matrix.Apply], [Matrix.ScaleRows]). You can also select parts of them
// ([Matrix.Slice], [Matrix.TakeRows], [Matrix.PermuteRows], [Matrix.Tril],
// [Matrix.Select]). These operations sum duplicates first and return canonical
// matrices. For a matrix in another format, call [Packed.Matrix] first. cpu.SpGEMM
// multiplies two matrices.
//
// A [Vector] is a sparse matrix of one row; cpu.SpMSpV multiplies it by a matrix. A
// [Pattern] has no values, like a graph without weights. [Matrix.Pattern],
// [PatternFromCOO] and [ReadPattern] make one. It has the operations that move entries,
// and cpu.SpMM, SpMV, SpGEMMOpt and SDDMMPattern treat each entry as 1.
//
// [ReadMatrixMarket] reads files, [FromGraph] and [Matrix.Graph] convert from and to
// gonum's graphs, and package sparse/sample makes matrices of known kinds.
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
//     their input as it is. [Matrix.Canonical] sorts and sums; To, Add, Equal and
//     DoNonZero do so first. An element with duplicates is their sum.
//   - A stored zero is an entry like any other. Every constructor and operation keeps
//     it, it counts in NNZ, and a stored 0 times Inf is NaN. FromDense does not store
//     zeros, DoNonZero does not yield them, DropZeros drops them.
//   - Padding is not an entry: no Walk yields it, and no stored 0 stands for it.
//
// # Sums
//
// A kernel runs over a [Sum] in this order, whatever the rules. It sets the result to
// the identity of its reduction. It adds the product of every part, in the order of
// [Sum.Parts]. After the last part it applies the epilogue, once for every element.
//
// Every part has the size of the whole matrix, so nothing is shifted. A part in a format
// with a list of rows, [DELL], [DCSR] or [DBSR], visits only those rows. A part in another
// format, such as a rest in [CSR], adds 0 to rows that it does not have. Within a part
// rows ascend, and the positions of a row that was cut are neighbours ([Packed.Repeats]
// says whether there are any). So work cut between rows needs no atomics, and has the same
// result for any number of threads.
//
// If [Sum.Disjoint] holds, a row is at one position of one part. A part with a list of rows
// can then be run, epilogue included, as if it were the whole matrix. Rows without entries
// remain to be done.
package sparse
