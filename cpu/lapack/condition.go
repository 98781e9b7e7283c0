package lapack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Float64 is gonum's lapack.Float64 with its own Dsyev, Dgesvd and what they are made of, which find vectors, and Dgecon, Dpocon and Dtrcon. These estimate the
// reciprocal of a condition number, with gonum's arguments and panics. Like gonum's they use
// Higham's estimator (ACM TOMS 14, 1988). But [blas64.Implementation]'s Dtrsv, which reads rows,
// solves the systems. If a solution is not finite, as for a singular matrix, gonum's code takes
// over, which scales.
type Float64 struct{ gonum.Implementation }

var _ lapack.Float64 = Float64{}

// Dgecon is of an n x n matrix, from the factors that Dgetrf leaves in a, in the 1-norm or the
// ∞-norm.
func (f Float64) Dgecon(norm lapack.MatrixNorm, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if isNorm(norm) && fits(n, a, lda, work, 4, iwork) {
		lu := factors{a, lda, []factor{{blas.Lower, blas.NoTrans, blas.Unit}, {blas.Upper, blas.NoTrans, blas.NonUnit}}}
		if rcond, ok := f.reciprocal(lu.in(norm), n, anorm, work, iwork); ok {
			return rcond
		}
	}
	return f.Implementation.Dgecon(norm, n, a, lda, anorm, work, iwork)
}

// Dpocon is of a symmetric matrix, from the factor that Dpotrf leaves in triangle uplo of a.
func (f Float64) Dpocon(uplo blas.Uplo, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if isTriangle(uplo) && fits(n, a, lda, work, 3, iwork) {
		both := factors{a, lda, []factor{{uplo, blas.NoTrans, blas.NonUnit}, {uplo, blas.Trans, blas.NonUnit}}}
		if uplo == blas.Upper {
			slices.Reverse(both.list)
		}
		if rcond, ok := f.reciprocal(both, n, anorm, work, iwork); ok {
			return rcond
		}
	}
	return f.Implementation.Dpocon(uplo, n, a, lda, anorm, work, iwork)
}

// Dtrcon is of triangle uplo of a.
func (f Float64) Dtrcon(norm lapack.MatrixNorm, uplo blas.Uplo, diag blas.Diag, n int, a []float64, lda int, work []float64, iwork []int) float64 {
	if isNorm(norm) && isTriangle(uplo) && (diag == blas.Unit || diag == blas.NonUnit) && fits(n, a, lda, work, 3, iwork) {
		one := factors{a, lda, []factor{{uplo, blas.NoTrans, diag}}}
		if rcond, ok := f.reciprocal(one.in(norm), n, f.Dlantr(norm, uplo, diag, n, n, a, lda, work), work, iwork); ok {
			return rcond
		}
	}
	return f.Implementation.Dtrcon(norm, uplo, diag, n, a, lda, work, iwork)
}

// factors are triangles in one matrix; their systems are solved one after the other.
type factors struct {
	a    []float64
	lda  int
	list []factor
}

type factor struct {
	uplo  blas.Uplo
	trans blas.Transpose
	diag  blas.Diag
}

// in returns factors of a matrix whose 1-norm is the norm of the one that f's are of.
func (f factors) in(norm lapack.MatrixNorm) factors {
	if norm == lapack.MaxColumnSum {
		return f
	}
	return f.transposed()
}

func (f factors) transposed() factors {
	out := factors{f.a, f.lda, slices.Clone(f.list)}
	slices.Reverse(out.list)
	for i := range out.list {
		if t := &out.list[i].trans; *t == blas.Trans {
			*t = blas.NoTrans
		} else {
			*t = blas.Trans
		}
	}
	return out
}

// solve replaces x by the solution. It reports false if that is not finite.
func (f factors) solve(x []float64) bool {
	for _, t := range f.list {
		blas64.Implementation().Dtrsv(t.uplo, t.trans, t.diag, len(x), f.a, f.lda, x, 1)
		for _, y := range x {
			if y-y != 0 {
				return false
			}
		}
	}
	return true
}

// reciprocal estimates the reciprocal of the condition number in the 1-norm. ok is false if a
// solution is not finite, or a norm no number above 0.
func (f Float64) reciprocal(of factors, n int, anorm float64, work []float64, iwork []int) (rcond float64, ok bool) {
	x, v, transposed := work[:n], work[n:2*n], of.transposed()
	norm, kase := 0.0, 0
	var save [3]int
	for {
		if norm, kase = f.Dlacn2(n, v, x, iwork[:n], norm, kase, &save); kase == 0 {
			return 1 / norm / anorm, usual(norm) && usual(anorm)
		}
		from := of
		if kase == 2 {
			from = transposed
		}
		if !from.solve(x) {
			return 0, false
		}
	}
}

func usual(norm float64) bool { return norm > 0 && !math.IsInf(norm, 1) }

func isNorm(norm lapack.MatrixNorm) bool {
	return norm == lapack.MaxColumnSum || norm == lapack.MaxRowSum
}

func isTriangle(uplo blas.Uplo) bool { return uplo == blas.Upper || uplo == blas.Lower }

// fits reports whether slices are as long as they have to be, and work as works vectors; else
// gonum's code says what is wrong.
func fits(n int, a []float64, lda int, work []float64, works int, iwork []int) bool {
	return n > 0 && lda >= n && len(a) >= n && (len(a)-n)/lda >= n-1 && len(work)/works >= n && len(iwork) >= n
}
