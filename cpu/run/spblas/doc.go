// Package spblas runs the kernels of products with sparse matrices. [SpMM] is for
// compressed rows, all other formats and vectors. [SDDMM], [AttentionSet],
// [BlockAttentionSet], [RelationSet], [BlockSet] and [PrunedSet] are for the products
// that their names say.
//
// prologue.go has what all calls do first: alpha and beta, what needs no kernel, and
// threads. A call is a struct without element types, kept between calls. It is cut into
// tasks, and its columns, or features, into panels (panels.go). A task is some rows or
// entries of one panel:
//
//	spmm_rows.go    compressed rows: rows of about equal work, long ones cut
//	spmm_nest.go    other formats: pieces of their outermost loop
//	sddmm_work.go   chunks of entries, the sums of which stay in L1
//	attention.go    scores as sddmm_work.go makes them, then rows
//	block_attention_rows.go  some rows of a block row, their columns in chunks
//	relations.go    tiles of rows of the result, relation by relation
//	bsr.go          block rows, with b packed
//	pruned.go       blocks of rows, with b packed
//	spgemm_call.go  rows of a sparse result, whole
package spblas
