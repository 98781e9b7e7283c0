package cpu

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/internal/level3"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc128"
)

// CBLAS128 is gonum's complex128 BLAS with a faster Level 3:
//
//	cblas128.Use(cpu.CBLAS128{})
//
// Zgemm, Zsymm, Zhemm, Zsyrk, Zherk, Zsyr2k, Zher2k, Ztrmm and Ztrsm are implemented here; every other
// routine is gonum's. The differences that [BLAS64] lists hold here. A factor without an imaginary part
// scales both parts of an element; an infinite element stays infinite, where gonum gives NaN. Imaginary
// parts on the diagonal of a Hermitian matrix are not read, and are 0 in one that is written.
type CBLAS128 struct{ gonum.Implementation }

var _ blas.Complex128 = CBLAS128{}

// Zgemm computes C = alpha*op(A)*op(B) + beta*C, where op(X) is X, its transpose or its conjugate
// transpose. op(A) is m x k, op(B) is k x n, C is m x n, all row-major. With beta = 0, C is not read.
func (CBLAS128) Zgemm(tA, tB blas.Transpose, m, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	blasGemm("cpu.CBLAS128.Zgemm", tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zsymm computes C = alpha*A*B + beta*C, or with [blas.Right] alpha*B*A + beta*C, for a symmetric
// A. It reads triangle ul of A; B and C are m x n.
func (CBLAS128) Zsymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	level3.Symm(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Zsymm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zhemm is [CBLAS128.Zsymm] for a Hermitian A.
func (CBLAS128) Zhemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	level3.Hemm(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Zhemm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zsyrk computes triangle ul of C = alpha*op(A)*op(A)ᵀ + beta*C, which is n x n; op(A) is n x k.
func (CBLAS128) Zsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128, c []complex128, ldc int) {
	level3.Syrk(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Zsyrk", ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Zherk computes triangle ul of the Hermitian C = alpha*op(A)*op(A)ᴴ + beta*C, which is n x n. op(A) is
// A or its conjugate transpose, n x k.
func (CBLAS128) Zherk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []complex128, lda int, beta float64, c []complex128, ldc int) {
	level3.Herk(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Zherk", ul, tA, n, k, complex(alpha, 0), a, lda, complex(beta, 0), c, ldc)
}

// Zsyr2k computes triangle ul of C = alpha*(op(A)*op(B)ᵀ + op(B)*op(A)ᵀ) + beta*C, which is n x n;
// op(A) and op(B) are n x k.
func (CBLAS128) Zsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	level3.Syr2k(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Zsyr2k", ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zher2k computes triangle ul of the Hermitian C = alpha*op(A)*op(B)ᴴ + conj(alpha)*op(B)*op(A)ᴴ + beta*C,
// which is n x n. op(A) and op(B) are n x k.
func (CBLAS128) Zher2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta float64, c []complex128, ldc int) {
	level3.Her2k(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Zher2k", ul, tA, n, k, alpha, complex(real(alpha), -imag(alpha)), a, lda, b, ldb, complex(beta, 0), c, ldc)
}

// Ztrmm computes B = alpha*op(A)*B, or with [blas.Right] alpha*B*op(A), for a triangular A.
// It reads triangle ul of A; B is m x n.
func (CBLAS128) Ztrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	level3.Trmm(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Ztrmm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Ztrsm solves op(A)*X = alpha*B, or with [blas.Right] X*op(A) = alpha*B, for a triangular A
// and sets B to X. It reads triangle ul of A; B is m x n.
func (CBLAS128) Ztrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	level3.Trsm(gemmc128.ZGEMMSet(), "cpu.CBLAS128.Ztrsm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}
