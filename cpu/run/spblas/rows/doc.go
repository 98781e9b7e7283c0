// Package rows runs the kernels of products of a sparse matrix with a dense one. [SpMM] is
// for compressed rows, all other formats and vectors, [BlockSet] for dense blocks and
// [PrunedSet] for pruned weights.
//
// A call is cut into tasks, some rows of one panel of columns each:
//
//	compressed.go  rows of about equal work, long ones cut
//	nest.go        other formats: pieces of their outermost loop
//	bsr.go         block rows, with b packed
//	pruned.go      blocks of rows, with b packed
package rows
