// Package vectors goes over vectors in passes that several goroutines share: what an
// iterative solver does between products. A pass may update several vectors and add up two
// sums on its way, so that nothing is read twice.
package vectors
