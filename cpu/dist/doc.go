// Package dist multiplies matrices that are spread over the ranks of a [comm.Comm].
//
// The ranks are goroutines of one process or the processes of an MPI job; this package
// does not know which, and never imports a transport.
//
// # Sparse products
//
// A sparse matrix is cut by rows. Rank r owns some rows of A, the same rows of Y = A*B,
// and some rows of B, mostly those with the same numbers. It also needs its halo: the
// rows of B on other ranks in whose columns its rows have entries. A [Sparse] works out
// once which rows go where. A product then sends exactly those rows, one message for each
// pair of ranks. Meanwhile it multiplies the rows that need none of them:
//
//	part, err := dist.Divide(a, c.Rank(), c.Size(), owners, nil) // or ReadPart: a matrix that fits nowhere whole
//	s, err := dist.NewSparse(c, part, dist.SparseOptions{})      // all ranks: who sends which rows to whom
//	m, err := s.SpMM(128)                                        // all ranks: buffers for 128 features
//	copy(m.B().Data, features)                                   // this rank's rows of B, in the order of s.Cols()
//	err = m.Multiply(cpu.Options{}, y, m.B())                    // all ranks: this rank's rows of Y
//
// The rows of a rank are ordered so that those without a halo come first, see
// [Part]. Sparse.Rows and Sparse.Cols say which rows of the whole they are.
//
// [Lookup] fetches rows of an embedding table by number, and adds their gradients.
// [Methods] predicts what each way to cut a matrix would send, and how long it would
// take.
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
