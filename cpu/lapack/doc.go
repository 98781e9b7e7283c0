// Package lapack computes condition numbers, eigenvectors and singular vectors along rows, by BLAS routines. Gonum's
// LAPACK goes element by element down the columns of matrices stored by rows. Register it with the BLAS:
//
//	blas64.Use(cpu.BLAS64{})
//	lapack64.Use(lapack.Float64{})
//
// mat.Cholesky, mat.LU and mat.QR estimate a condition number each time they factor a matrix. With
// a fast BLAS, gonum's way takes longer than the factors. mat.EigenSym and mat.SVD rotate vectors some 2n times, for
// which gonum reads all of them each time. All other routines are gonum's.
package lapack
