package cpu

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/internal/level3"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc64"
)

// CBLAS64 is gonum's complex64 BLAS with a faster Level 3:
//
//	cblas64.Use(cpu.CBLAS64{})
//
// Cgemm, Csymm, Chemm, Csyrk, Cherk, Csyr2k, Cher2k, Ctrmm and Ctrsm are ours, every other routine is
// gonum's own. The notes on the routines of [CBLAS128] apply to these as well.
type CBLAS64 struct{ gonum.Implementation }

var _ blas.Complex64 = CBLAS64{}

// Cgemm computes C = alpha*op(A)*op(B) + beta*C, where op(X) is X, its transpose or its conjugate
// transpose. op(A) is m x k, op(B) is k x n, C is m x n, all row-major. With beta = 0, C is not read.
func (CBLAS64) Cgemm(tA, tB blas.Transpose, m, n, k int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	blasGemm("cpu.CBLAS64.Cgemm", tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Csymm computes C = alpha*A*B + beta*C, or with [blas.Right] alpha*B*A + beta*C, for a symmetric
// A. It reads triangle ul of A; B and C are m x n.
func (CBLAS64) Csymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	level3.Symm(gemmc64.CGEMMSet(), "cpu.CBLAS64.Csymm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Chemm is [CBLAS64.Csymm] for a Hermitian A.
func (CBLAS64) Chemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	level3.Hemm(gemmc64.CGEMMSet(), "cpu.CBLAS64.Chemm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Csyrk computes triangle ul of C = alpha*op(A)*op(A)ᵀ + beta*C, which is n x n; op(A) is n x k.
func (CBLAS64) Csyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, beta complex64, c []complex64, ldc int) {
	level3.Syrk(gemmc64.CGEMMSet(), "cpu.CBLAS64.Csyrk", ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Cherk computes triangle ul of the Hermitian C = alpha*op(A)*op(A)ᴴ + beta*C, which is n x n. op(A) is
// A or its conjugate transpose, n x k.
func (CBLAS64) Cherk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []complex64, lda int, beta float32, c []complex64, ldc int) {
	level3.Herk(gemmc64.CGEMMSet(), "cpu.CBLAS64.Cherk", ul, tA, n, k, complex(alpha, 0), a, lda, complex(beta, 0), c, ldc)
}

// Csyr2k computes triangle ul of C = alpha*(op(A)*op(B)ᵀ + op(B)*op(A)ᵀ) + beta*C, which is n x n;
// op(A) and op(B) are n x k.
func (CBLAS64) Csyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	level3.Syr2k(gemmc64.CGEMMSet(), "cpu.CBLAS64.Csyr2k", ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Cher2k computes triangle ul of the Hermitian C = alpha*op(A)*op(B)ᴴ + conj(alpha)*op(B)*op(A)ᴴ + beta*C,
// which is n x n. op(A) and op(B) are n x k.
func (CBLAS64) Cher2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta float32, c []complex64, ldc int) {
	level3.Her2k(gemmc64.CGEMMSet(), "cpu.CBLAS64.Cher2k", ul, tA, n, k, alpha, complex(real(alpha), -imag(alpha)), a, lda, b, ldb, complex(beta, 0), c, ldc)
}

// Ctrmm computes B = alpha*op(A)*B, or with [blas.Right] alpha*B*op(A), for a triangular A.
// It reads triangle ul of A; B is m x n.
func (CBLAS64) Ctrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int) {
	level3.Trmm(gemmc64.CGEMMSet(), "cpu.CBLAS64.Ctrmm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Ctrsm solves op(A)*X = alpha*B, or with [blas.Right] X*op(A) = alpha*B, for a triangular A
// and sets B to X. It reads triangle ul of A; B is m x n.
func (CBLAS64) Ctrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int) {
	level3.Trsm(gemmc64.CGEMMSet(), "cpu.CBLAS64.Ctrsm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
