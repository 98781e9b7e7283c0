// Package lower turns sparse products into IR: one loop over rows and one over the
// entries of a row, for every format, operator and width.
//
// Start with [Rows], the family of kernels for a matrix in compressed rows; the
// contract with the loops that call them is [kernel.SparseArgs].
package lower
