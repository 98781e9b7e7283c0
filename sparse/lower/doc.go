// Package lower turns sparse products into IR: one loop over rows and one over the
// entries of a row, for every format, operator and width.
//
// Start with [Spec], which checks a spec of package sparse, and [Product.Lower], which
// makes its kernels for a target. [Rows] is the family of kernels for a matrix in
// compressed rows. Its contract with the loops that call them is [kernel.SparseArgs] and
// the tables of package kernel.
package lower
