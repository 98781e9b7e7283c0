package cpu

import (
	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/internal/level3"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
)

// Dsymm computes C = alpha*A*B + beta*C, or with [blas.Right] alpha*B*A + beta*C, for a symmetric
// A. It reads triangle ul of A; B and C are m x n.
func (BLAS64) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	level3.Symm(gemmf.DGEMMSet(), "cpu.BLAS64.Dsymm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyrk computes triangle ul of C = alpha*op(A)*op(A)ᵀ + beta*C, which is n x n; op(A) is n x k.
func (BLAS64) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	level3.Syrk(gemmf.DGEMMSet(), "cpu.BLAS64.Dsyrk", ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Dsyr2k computes triangle ul of C = alpha*(op(A)*op(B)ᵀ + op(B)*op(A)ᵀ) + beta*C, which is n x n;
// op(A) and op(B) are n x k.
func (BLAS64) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	level3.Syr2k(gemmf.DGEMMSet(), "cpu.BLAS64.Dsyr2k", ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dtrmm computes B = alpha*op(A)*B, or with [blas.Right] alpha*B*op(A), for a triangular A.
// It reads triangle ul of A; B is m x n.
func (BLAS64) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	level3.Trmm(gemmf.DGEMMSet(), "cpu.BLAS64.Dtrmm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm solves op(A)*X = alpha*B, or with [blas.Right] X*op(A) = alpha*B, for a triangular A
// and sets B to X. It reads triangle ul of A; B is m x n.
func (BLAS64) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	level3.Trsm(gemmf.DGEMMSet(), "cpu.BLAS64.Dtrsm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
