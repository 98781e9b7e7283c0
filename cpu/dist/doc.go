// Package dist has what matrices that are spread over the ranks of a [comm.Comm] have in
// common. Packages below it multiply, move and store them:
//
//	summa    dense products, cut along rows, columns and depth
//	parts    a sparse matrix that is cut by rows, in memory and in files
//	spmm     sparse products by halo exchange, and what each way to cut a matrix would cost
//	layer    dense layers that are split by columns or rows, and embedding tables
//	reshard  arrays from one sharding to another
//	state    saved states, for any number of ranks
//
// The ranks are goroutines of one process or the processes of an MPI job. These packages
// do not know which, and never import a transport.
//
// # Results
//
// A result has the same bits in every run, for any number of threads and any order in
// which messages arrive. It depends on the matrix, the number of ranks and who owns
// which rows.
//
// Functions that all ranks call together say so. If one rank sees a mistake before it
// communicates, all ranks get an error that names the rank and the mistake.
package dist
