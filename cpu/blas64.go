package cpu

import (
	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/internal/level12"
	"github.com/tilesmith/tilesmith/cpu/internal/level3"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BLAS64 is gonum's float64 BLAS with a faster Level 3, and faster routines of Levels 1 and 2:
//
//	blas64.Use(cpu.BLAS64{})
//
// makes gonum's mat and lapack packages, which call blas64, use it. Call Use
// before other goroutines use blas64: gonum does not guard it.
//
// Dgemm, Dsymm, Dsyrk, Dsyr2k, Dtrmm and Dtrsm are implemented here. So are Ddot, Daxpy, Dscal,
// Dswap, Drot, Dnrm2, Dasum, Idamax, Dgemv, Dger, Dsymv, Dsyr, Dsyr2, Dtrmv, Dtrsv and Dgbmv.
// Vectors must be long enough, and Level 1 also needs increments of 1. Every other routine is
// gonum's, Dcopy with increments that are checked.
//
// They take the same arguments as gonum's and panic with the same values, with
// these differences. The text names Dgemm, but they hold for all:
//
//   - A zero in A does not hide Inf and NaN in B: 0*Inf is NaN, as in IEEE
//     arithmetic. gonum skips zeros of A, except where A is not transposed and B is.
//   - With alpha = 0 neither A nor B is read, so Inf and NaN in them do not matter.
//     In gonum they do where A is not transposed and B is.
//   - In Dgemm, Dsymm, Dsyrk and Dsyr2k alpha multiplies the sum of products. If there are
//     more than about a thousand products, it multiplies sums of parts of them. gonum mostly
//     multiplies the elements of A first, and sums where A is not transposed and B is. Dtrmm
//     multiplies elements of A or sums; gonum's multiplies those or elements of B. So results
//     differ in the last bits, and overflow at other places. Dtrsm multiplies B, as in gonum.
//   - A leading dimension so large that the length of a matrix overflows an int is
//     reported as a slice that is too short.
//   - It panics with a [github.com/tilesmith/tilesmith/layout.ShapeError] if C shares elements with A or B, as far as
//     addresses and strides show it. gonum computes something. C may lie in one matrix with
//     them, also in a triangle that is not read: gonum's own LAPACK tests pass.
//   - Dtrsm multiplies by reciprocals of the diagonal on either side, as gonum does with
//     [blas.Left], and divides where a reciprocal is not finite.
//
// In Levels 1 and 2, results have the same bits for any number of threads. They do not have gonum's bits:
// lanes are summed separately, and products are added without rounding them first. Zeros of x do not hide Inf
// and NaN of A there either. alpha multiplies the same values as in gonum. In Dgemv and Dgbmv it multiplies
// the sums, or x if A is transposed. In Dger and Dsyr it multiplies x. In Dsymv it multiplies x for one
// triangle and the sums of the other. Only Dsyr2 differs: it multiplies x and y, as the reference BLAS does,
// where gonum multiplies their products. Dnrm2 overflows or underflows only if the norm does. Dgemv and Dger
// take negative increments, and write nothing beyond the vector. Those of gonum 0.17.0 do neither on amd64.
type BLAS64 struct{ float64Levels12 }

// Levels 1 and 2, and under them gonum's Implementation.
type (
	float64Levels12 = level12.Float64
	float32Levels12 = level12.Float32
)

var _ blas.Float64 = BLAS64{}

// Dgemm computes C = alpha*op(A)*op(B) + beta*C. op(X) is X or, for [blas.Trans] and
// [blas.ConjTrans], its transpose. op(A) is m x k, op(B) is k x n, C is m x n, all
// row-major. With beta = 0, C is not read.
func (BLAS64) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	blasGemm("cpu.BLAS64.Dgemm", tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// blasGemm is Dgemm or its like, which caller is called.
func blasGemm[T dtype.Number](caller string, tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	mc, ma, mb, ok := level3.Gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	if !ok {
		return
	}
	opt := Options{Caller: caller, Scaling: level3.Scaling(alpha, beta)}
	if tA == blas.ConjTrans {
		opt.Conj = run.ConjA
	}
	if tB == blas.ConjTrans {
		opt.Conj |= run.ConjB
	}
	MatMulOpt(opt, mc, ma, mb)
}
