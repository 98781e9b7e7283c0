package cpu

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS32 is gonum's float32 BLAS with a faster Level 3, and faster routines of Levels 1 and 2, to be installed by
//
//	blas32.Use(cpu.BLAS32{})
//
// Sgemm, Ssymm, Ssyrk, Ssyr2k, Strmm and Strsm are ours, and those of Levels 1 and 2 that [BLAS64] lists; so are Dsdot
// and Sdsdot. Every other routine is gonum's own. The notes on the routines of [BLAS64] apply to these as
// well. Snrm2 adds up squares in float64.
type BLAS32 struct{ gonum.Implementation }

var _ blas.Float32 = BLAS32{}

// Sgemm computes C = alpha*op(A)*op(B) + beta*C. op(X) is X or, for [blas.Trans] and
// [blas.ConjTrans], its transpose. op(A) is m x k, op(B) is k x n, C is m x n, all
// row-major. With beta = 0, C is not read.
func (BLAS32) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	blasGemm("cpu.BLAS32.Sgemm", tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}
