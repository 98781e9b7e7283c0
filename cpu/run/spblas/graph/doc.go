// Package graph runs the kernels of operations on the edges of a graph, the entries of a
// sparse matrix: sampled products ([SDDMM]), attention and softmax over the edges of a node
// ([Attention], [EdgeScores]), and sums over relations ([Relations]).
//
//	sddmm_work.go  chunks of entries, the sums of which stay in L1
//	attention.go   scores as sddmm_work.go makes them, then rows
//	relations.go   tiles of rows of the result, relation by relation
package graph
