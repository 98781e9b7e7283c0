// Package vectors has the passes over vectors that an iterative solver does between
// products. Several goroutines share a pass. It may update several vectors and add up two
// sums, so that nothing is read twice.
package vectors
