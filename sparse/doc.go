// Package sparse describes sparse matrices by axes: structure belongs to axes,
// values to slices.
//
// Start with [FromCOO], [FromCSR] or a [Builder], which give a [Matrix]: compressed
// rows, checked once, immutable from then on. [Matrix.To] lays its values out in
// another [Format], such as [ELL] or [BSR]; a format of your own is one literal,
// and [Format.Check] tests it.
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
package sparse
