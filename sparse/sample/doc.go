// Package sample makes sparse matrices of known kinds: graphs with heavy tails,
// pruned weights, bands, blocks, and matrices that are hard on a kernel.
//
// Start with [RMAT] or [Graph]; [Recipes] has stand-ins for the graphs that papers
// on sparse kernels measure. A generator with the same arguments makes the same
// matrix on every machine. [ChungLu] is the exception: another architecture may round
// its powers differently. Matrices are canonical, and all entries are 1 until [Random]
// or [Integers] gives them other values. If you give a number of entries, the matrix
// has exactly that many. Errors are a [sparse.Error].
package sample
