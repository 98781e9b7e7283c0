// Package lapack has what gonum's LAPACK does element by element down columns of matrices that
// lie by rows, in terms of BLAS routines that go along rows. Register it beside the BLAS:
//
//	blas64.Use(cpu.BLAS64{})
//	lapack64.Use(lapack.Float64{})
//
// mat.Cholesky, mat.LU and mat.QR estimate a condition number each time they factor a matrix. With
// a fast BLAS that takes longer than the factors do, unless it is done like this. All else is
// gonum's.
package lapack
