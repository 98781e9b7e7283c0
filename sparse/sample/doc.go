// Package sample makes sparse matrices of known kinds: graphs with heavy tails,
// pruned weights, bands, blocks, and those that are hard on a kernel.
//
// Start with [RMAT] or [Graph]; [Recipes] has stand-ins for the graphs that papers
// on sparse kernels measure. A generator with the same arguments makes the same
// matrix on every machine, but for [ChungLu], whose powers may be rounded otherwise on
// another architecture. Matrices are canonical, and all their entries are 1 until
// [Random] or [Integers] gives them other values. Where a number of entries is asked
// for, it is met exactly. Errors are a [sparse.Error].
package sample
