package level12

import "gonum.org/v1/gonum/blas"

// Level 2. Vectors with other increments than 1 are copied. Wrong arguments, and vectors that are too small
// to gain, are for gonum, which panics as it does.

// Dgemv computes y = alpha*op(A)*x + beta*y; A is m x n. With beta = 0, y is not read.
func (b Float64) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	trans, ok := transOf(tA)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	if ok && alpha != 0 && gainsRows(m, n) && fitsRows(m, n, lda, len(a)) && fits(lenX, incX, len(x)) && fits(lenY, incY, len(y)) {
		Gemv(trans, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	if fits(lenX, incX, len(x)) && fits(lenY, incY, len(y)) {
		contiguous(lenX, x, incX, lenY, y, incY, func(x, y []float64) {
			refuseWrap(m+1, lda, shortA)
			b.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, 1, beta, y, 1)
		})
		return
	}
	refuseWrapped(lenX, incX, 1)
	refuseWrapped(lenY, 1, incY)
	b.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dger computes A += alpha*x*yᵀ; A is m x n.
func (b Float64) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if alpha != 0 && gainsRows(m, n) && fitsRows(m, n, lda, len(a)) && fits(m, incX, len(x)) && fits(n, incY, len(y)) {
		Ger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	if fits(m, incX, len(x)) && fits(n, incY, len(y)) {
		contiguous(m, x, incX, n, y, incY, func(x, y []float64) {
			refuseWrap(m+1, lda, shortA)
			b.Implementation.Dger(m, n, alpha, x, 1, y, 1, a, lda)
		})
		return
	}
	refuseWrapped(m, incX, 1)
	refuseWrapped(n, 1, incY)
	b.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

// Dsymv computes y = alpha*A*x + beta*y for a symmetric A, n x n, of which triangle ul is read.
func (b Float64) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	upper, ok := upperOf(ul)
	if ok && alpha != 0 && gainsRows(n, n) && fitsRows(n, n, lda, len(a)) && fits(n, incX, len(x)) && fits(n, incY, len(y)) {
		Symv(upper, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	refuseWrapped(n, incX, incY)
	refuseWrap(n+1, lda, shortA)
	b.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dsyr computes triangle ul of A += alpha*x*xᵀ; A is n x n.
func (b Float64) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	upper, ok := upperOf(ul)
	if ok && alpha != 0 && gainsRows(n, n) && fitsRows(n, n, lda, len(a)) && fits(n, incX, len(x)) {
		Syr(upper, n, alpha, x, incX, a, lda)
		return
	}
	refuseWrapped(n, incX, 1)
	refuseWrap(n+1, lda, shortA)
	b.Implementation.Dsyr(ul, n, alpha, x, incX, a, lda)
}

// Dsyr2 computes triangle ul of A += alpha*(x*yᵀ + y*xᵀ); A is n x n.
func (b Float64) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	upper, ok := upperOf(ul)
	if ok && alpha != 0 && gainsRows(n, n) && fitsRows(n, n, lda, len(a)) && fits(n, incX, len(x)) && fits(n, incY, len(y)) {
		Syr2(upper, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	refuseWrapped(n, incX, incY)
	refuseWrap(n+1, lda, shortA)
	b.Implementation.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
}

// Dtrmv computes x = op(A)*x for a triangular A, n x n, of which triangle ul is read.
func (b Float64) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if t, ok := triangular(ul, tA, d); ok && gainsTrmv(n) && fitsRows(n, n, lda, len(a)) && fits(n, incX, len(x)) {
		Trmv(t, n, a, lda, x, incX)
		return
	}
	refuseWrapped(n, incX, 1)
	refuseWrap(n+1, lda, shortA)
	b.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

// Dtrsv sets x to the solution of op(A)*x = b for a triangular A, n x n, and reads its triangle ul. b is
// what x was.
func (b Float64) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if t, ok := triangular(ul, tA, d); ok && gainsTrsv(n) && fitsRows(n, n, lda, len(a)) && fits(n, incX, len(x)) {
		Trsv(t, n, a, lda, x, incX)
		return
	}
	refuseWrapped(n, incX, 1)
	refuseWrap(n+1, lda, shortA)
	b.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

// Dgbmv computes y = alpha*op(A)*x + beta*y for an A, m x n, with kL diagonals below the main one and kU above
// it. With beta = 0, y is not read.
func (b Float64) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	trans, ok := transOf(tA)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	if ok && alpha != 0 && gainsBand(m, n, kL, kU, lda, len(a)) && fits(lenX, incX, len(x)) && fits(lenY, incY, len(y)) {
		Gbmv(trans, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	refuseBand(kL, kU)
	refuseWrapped(lenX, incX, 1)
	refuseWrapped(lenY, 1, incY)
	refuseWrap(m+1, lda, shortA)
	b.Implementation.Dgbmv(tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}
