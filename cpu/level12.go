package cpu

import (
	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/internal/level12"
)

// The routines of Levels 1 and 2 that gain. They go on to gonum's with what is short, or wrong.

// Ddot returns the sum of x[i]*y[i].
func (BLAS64) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	return level12.Float64{}.Ddot(n, x, incX, y, incY)
}

// Daxpy adds alpha*x to y.
func (BLAS64) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	level12.Float64{}.Daxpy(n, alpha, x, incX, y, incY)
}

// Dscal multiplies x by alpha; with 0 it clears x, including NaNs.
func (BLAS64) Dscal(n int, alpha float64, x []float64, incX int) {
	level12.Float64{}.Dscal(n, alpha, x, incX)
}

// Dswap exchanges x and y.
func (BLAS64) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	level12.Float64{}.Dswap(n, x, incX, y, incY)
}

// Drot sets x[i] to c*x[i] + s*y[i], and y[i] to c*y[i] - s*x[i].
func (BLAS64) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	level12.Float64{}.Drot(n, x, incX, y, incY, c, s)
}

// Dnrm2 returns the Euclidean norm of x, which overflows or underflows only if the norm itself does.
func (BLAS64) Dnrm2(n int, x []float64, incX int) float64 {
	return level12.Float64{}.Dnrm2(n, x, incX)
}

// Dasum returns the sum of |x[i]|.
func (BLAS64) Dasum(n int, x []float64, incX int) float64 {
	return level12.Float64{}.Dasum(n, x, incX)
}

// Idamax returns the index of the first x[i] with the greatest |x[i]|. It skips NaNs, except for one in front.
func (BLAS64) Idamax(n int, x []float64, incX int) int {
	return level12.Float64{}.Idamax(n, x, incX)
}

// Sdot returns the sum of x[i]*y[i].
func (BLAS32) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	return level12.Float32{}.Sdot(n, x, incX, y, incY)
}

// Saxpy adds alpha*x to y.
func (BLAS32) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	level12.Float32{}.Saxpy(n, alpha, x, incX, y, incY)
}

// Sscal multiplies x by alpha; with 0 it clears x, including NaNs.
func (BLAS32) Sscal(n int, alpha float32, x []float32, incX int) {
	level12.Float32{}.Sscal(n, alpha, x, incX)
}

// Sswap exchanges x and y.
func (BLAS32) Sswap(n int, x []float32, incX int, y []float32, incY int) {
	level12.Float32{}.Sswap(n, x, incX, y, incY)
}

// Srot sets x[i] to c*x[i] + s*y[i], and y[i] to c*y[i] - s*x[i].
func (BLAS32) Srot(n int, x []float32, incX int, y []float32, incY int, c, s float32) {
	level12.Float32{}.Srot(n, x, incX, y, incY, c, s)
}

// Snrm2 returns the Euclidean norm of x, which overflows or underflows only if the norm itself does.
func (BLAS32) Snrm2(n int, x []float32, incX int) float32 {
	return level12.Float32{}.Snrm2(n, x, incX)
}

// Sasum returns the sum of |x[i]|.
func (BLAS32) Sasum(n int, x []float32, incX int) float32 {
	return level12.Float32{}.Sasum(n, x, incX)
}

// Isamax returns the index of the first x[i] with the greatest |x[i]|. It skips NaNs, except for one in front.
func (BLAS32) Isamax(n int, x []float32, incX int) int {
	return level12.Float32{}.Isamax(n, x, incX)
}

// Dsdot returns the sum of x[i]*y[i], in float64.
func (BLAS32) Dsdot(n int, x []float32, incX int, y []float32, incY int) float64 {
	return level12.Float32{}.Dsdot(n, x, incX, y, incY)
}

// Sdsdot returns alpha and the sum of x[i]*y[i], added up in float64 and then rounded.
func (BLAS32) Sdsdot(n int, alpha float32, x []float32, incX int, y []float32, incY int) float32 {
	return level12.Float32{}.Sdsdot(n, alpha, x, incX, y, incY)
}

// Dgemv computes y = alpha*op(A)*x + beta*y; A is m x n. With beta = 0, y is not read.
func (BLAS64) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	level12.Float64{}.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dger computes A += alpha*x*yᵀ; A is m x n.
func (BLAS64) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	level12.Float64{}.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

// Dsymv computes y = alpha*A*x + beta*y for a symmetric n x n A. It reads triangle ul of A.
func (BLAS64) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	level12.Float64{}.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dsyr computes triangle ul of A += alpha*x*xᵀ; A is n x n.
func (BLAS64) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	level12.Float64{}.Dsyr(ul, n, alpha, x, incX, a, lda)
}

// Dsyr2 computes triangle ul of A += alpha*(x*yᵀ + y*xᵀ); A is n x n.
func (BLAS64) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	level12.Float64{}.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

// Dtrmv computes x = op(A)*x for a triangular n x n A. It reads triangle ul of A.
func (BLAS64) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	level12.Float64{}.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

// Dtrsv solves op(A)*x = b for a triangular n x n A. It reads triangle ul of A; b is what x was.
func (BLAS64) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	level12.Float64{}.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

// Dgbmv computes y = alpha*op(A)*x + beta*y for an A, m x n, with kL diagonals below the main one and kU above
// it. With beta = 0, y is not read.
func (BLAS64) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	level12.Float64{}.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

// Sgemv computes y = alpha*op(A)*x + beta*y; A is m x n. With beta = 0, y is not read.
func (BLAS32) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	level12.Float32{}.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Sger computes A += alpha*x*yᵀ; A is m x n.
func (BLAS32) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	level12.Float32{}.Sger(m, n, alpha, x, incX, y, incY, a, lda)
}

// Ssymv computes y = alpha*A*x + beta*y for a symmetric n x n A. It reads triangle ul of A.
func (BLAS32) Ssymv(ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	level12.Float32{}.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssyr computes triangle ul of A += alpha*x*xᵀ; A is n x n.
func (BLAS32) Ssyr(ul blas.Uplo, n int, alpha float32, x []float32, incX int, a []float32, lda int) {
	level12.Float32{}.Ssyr(ul, n, alpha, x, incX, a, lda)
}

// Ssyr2 computes triangle ul of A += alpha*(x*yᵀ + y*xᵀ); A is n x n.
func (BLAS32) Ssyr2(ul blas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	level12.Float32{}.Ssyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

// Strmv computes x = op(A)*x for a triangular n x n A. It reads triangle ul of A.
func (BLAS32) Strmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	level12.Float32{}.Strmv(ul, tA, d, n, a, lda, x, incX)
}

// Strsv solves op(A)*x = b for a triangular n x n A. It reads triangle ul of A; b is what x was.
func (BLAS32) Strsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	level12.Float32{}.Strsv(ul, tA, d, n, a, lda, x, incX)
}

// Sgbmv computes y = alpha*op(A)*x + beta*y for an A, m x n, with kL diagonals below the main one and kU above
// it. With beta = 0, y is not read.
func (BLAS32) Sgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	level12.Float32{}.Sgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}
