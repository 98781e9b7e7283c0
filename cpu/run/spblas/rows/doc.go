// Package rows runs the kernels of products of a sparse matrix with a dense one. [Multiply]
// stores their rows and [Fuse] hands them to an epilogue, by the kernels of an [SpMM].
// [BlockSet] is for dense blocks and [PrunedSet] for pruned weights.
//
// A call is cut into tasks, some rows of one panel of columns each:
//
//	compressed.go  rows of about equal work, long ones cut
//	nest.go        other formats: pieces of their outermost loop
//	bsr.go         block rows, with b packed
//	pruned.go      blocks of rows, with b packed
package rows
