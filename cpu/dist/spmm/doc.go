// Package spmm multiplies sparse matrices that are spread over ranks with dense ones.
//
// A sparse matrix is cut by rows. Rank r owns some rows of A, the same rows of Y = A*B,
// and some rows of B, mostly those with the same numbers. It also needs its halo: the
// rows of B on other ranks in whose columns its rows have entries. A [Matrix] works out
// once which rows go where. A product then sends exactly those rows, one message for each
// pair of ranks. Meanwhile it multiplies the rows that need none of them:
//
//	part, err := parts.Divide(a, c.Rank(), c.Size(), owners, nil) // or parts.Open: a matrix that fits nowhere whole
//	s, err := spmm.New(c, part, spmm.Options{})                   // all ranks: who sends which rows to whom
//	m, err := s.Product(128)                                      // all ranks: buffers for 128 features
//	copy(m.B().Data, features)                                    // this rank's rows of B, in the order of s.Cols()
//	err = m.Multiply(cpu.Options{}, y, m.B())                     // all ranks: this rank's rows of Y
//
// The rows of a rank are ordered so that those without a halo come first, see
// [parts.Part]. Matrix.Rows and Matrix.Cols say which rows of the whole they are.
//
// [Methods] predicts what each way to cut a matrix would send, and how long it would
// take.
package spmm
