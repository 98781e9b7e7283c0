// Package lapack computes condition numbers along rows, by BLAS routines. Gonum's LAPACK goes
// element by element down the columns of matrices stored by rows. Register it with the BLAS:
//
//	blas64.Use(cpu.BLAS64{})
//	lapack64.Use(lapack.Float64{})
//
// mat.Cholesky, mat.LU and mat.QR estimate a condition number each time they factor a matrix. With
// a fast BLAS, gonum's way takes longer than the factors. All other routines are gonum's.
package lapack
