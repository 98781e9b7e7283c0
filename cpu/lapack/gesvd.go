package lapack

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
)

// Dgesvd computes the singular value decomposition of an m x n matrix, as gonum's does, with [Float64.Dbdsqr]. It
// needs more memory than work has: for the vectors of a matrix with fewer rows than columns or many more.
func (f Float64) Dgesvd(jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) (ok bool) {
	k := min(m, n)
	wantU, wantVT := wanted(jobU, k, m), wanted(jobVT, k, n)
	if wantU < 0 || wantVT < 0 || wantU+wantVT == 0 || k < max(1, least) || lda < n || len(a) < (m-1)*lda+n || len(s) < k ||
		ldu < max(1, wantU) || wantU > 0 && len(u) < (m-1)*ldu+wantU || ldvt < 1 || wantVT > 0 && (ldvt < n || len(vt) < (wantVT-1)*ldvt+n) ||
		lwork < max(3*k+max(m, n), 5*k) || len(work) < lwork {
		return f.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	most := f.Dlange(lapack.MaxAbs, m, n, a, lda, work)
	if most-most != 0 { // gonum says what comes of it
		return f.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	factor := fair(most)
	if factor != 1 {
		f.Dlascl(lapack.General, 0, 0, 1, factor, m, n, a, lda)
	}
	t := svd{Float64: f, m: m, n: n, a: a, lda: lda, s: s[:k], e: make([]float64, k), left: vectorsOf{u, ldu, wantU}, right: vectorsOf{vt, ldvt, wantVT},
		work: work[:lwork]}
	if m < n {
		ok = t.wide()
	} else {
		ok = t.tall()
	}
	if factor != 1 {
		for i := range t.s {
			t.s[i] /= factor
			t.e[i] /= factor
		}
	}
	if !ok {
		copy(work[1:k], t.e)
	}
	work[0] = float64(lwork)
	return ok
}

// wanted is how many of all vectors a job is for, of which k belong to singular values, or -1 if it is not one of ours.
func wanted(job lapack.SVDJob, k, all int) int {
	switch job {
	case lapack.SVDAll:
		return all
	case lapack.SVDStore:
		return k
	case lapack.SVDNone:
		return 0
	}
	return -1
}

// vectorsOf is a matrix to be filled with so many singular vectors: as columns of U, or as rows of Vᵀ.
type vectorsOf struct {
	data []float64
	ld   int
	want int
}

// svd is one decomposition of an m x n matrix.
type svd struct {
	Float64
	m, n        int
	a           []float64
	lda         int
	s, e        []float64
	left, right vectorsOf
	work        []float64
}

// wide is for fewer rows than columns: it decomposes the transpose.
func (t *svd) wide() bool {
	turned := func(rows, cols int, a []float64, lda int) []float64 {
		out := make([]float64, rows*cols)
		transpose(rows, cols, a, lda, out, rows)
		return out
	}
	other := svd{Float64: t.Float64, m: t.n, n: t.m, a: turned(t.m, t.n, t.a, t.lda), lda: t.m, s: t.s, e: t.e, work: t.work}
	if want := t.right.want; want > 0 {
		other.left = vectorsOf{make([]float64, t.n*want), want, want}
	}
	if want := t.left.want; want > 0 {
		other.right = vectorsOf{make([]float64, want*t.m), t.m, want}
	}
	ok := other.tall()
	if want := t.right.want; want > 0 {
		transpose(t.n, want, other.left.data, want, t.right.data, t.right.ld)
	}
	if want := t.left.want; want > 0 {
		transpose(want, t.m, other.right.data, t.m, t.left.data, t.left.ld)
	}
	return ok
}

// transpose makes out the transpose of a rows x cols matrix, in blocks that stay in L1.
func transpose(rows, cols int, a []float64, lda int, out []float64, ldo int) {
	const block = 32
	for i0 := 0; i0 < rows; i0 += block {
		for j0 := 0; j0 < cols; j0 += block {
			for i := i0; i < min(i0+block, rows); i++ {
				for j, x := range a[i*lda+j0:][:min(block, cols-j0)] {
					out[(j0+j)*ldo+i] = x
				}
			}
		}
	}
}

// tall is for at least as many rows as columns. With many more it decomposes the triangle of a QR factorisation.
func (t *svd) tall() bool {
	if float64(t.m) < 1.6*float64(t.n) {
		return t.bidiagonal(t.m, t.a, t.lda, t.left)
	}
	m, n, u := t.m, t.n, t.left
	tau := make([]float64, n)
	t.Dgeqrf(m, n, t.a, t.lda, tau, t.work, len(t.work))
	r := make([]float64, n*n)
	t.Dlacpy(blas.Upper, n, n, t.a, t.lda, r, n)
	if u.want == 0 {
		return t.bidiagonal(n, r, n, u)
	}
	small := vectorsOf{make([]float64, n*n), n, n}
	ok := t.bidiagonal(n, r, n, small)
	t.Dlacpy(blas.Lower, m, n, t.a, t.lda, u.data, u.ld)
	t.Dorgqr(m, u.want, n, u.data, u.ld, tau, t.work, len(t.work))
	product := make([]float64, m*n)
	blas64.Implementation().Dgemm(blas.NoTrans, blas.NoTrans, m, n, n, 1, u.data, u.ld, small.data, n, 0, product, n)
	t.Dlacpy(blas.All, m, n, product, n, u.data, u.ld)
	return ok
}

// bidiagonal decomposes an m x n matrix by way of a bidiagonal one. It fills u, and the right vectors.
func (t *svd) bidiagonal(m int, a []float64, lda int, u vectorsOf) bool {
	n, v := t.n, t.right
	tauQ, tauP := make([]float64, n), make([]float64, n)
	t.Dgebrd(m, n, a, lda, t.s, t.e, tauQ, tauP, t.work, len(t.work))
	rows, cols := 0, 0
	if u.want > 0 {
		rows = m
		t.Dlacpy(blas.Lower, m, n, a, lda, u.data, u.ld)
		t.Dorgqr(m, u.want, n, u.data, u.ld, tauQ, t.work, len(t.work))
	}
	if v.want > 0 {
		cols = n
		t.rowVectors(a, lda, tauP)
	}
	return t.Dbdsqr(blas.Upper, n, cols, rows, 0, t.s, t.e, v.data, max(1, v.ld), u.data, max(1, u.ld), nil, 1, make([]float64, 4*n))
}

// rowVectors makes the n x n matrix Pᵀ, whose n-1 reflectors lie above the diagonal of a, one place to the right of it: of its transpose,
// by way of columns.
func (t *svd) rowVectors(a []float64, lda int, tau []float64) {
	n, v := t.n, t.right
	clear(v.data[:n])
	for i := range n {
		v.data[i*v.ld] = 0
	}
	v.data[0] = 1
	if n == 1 {
		return
	}
	p := make([]float64, (n-1)*(n-1))
	transpose(n-1, n-1, a[1:], lda, p, n-1)
	t.Dorgqr(n-1, n-1, n-1, p, n-1, tau[:n-1], t.work, len(t.work))
	transpose(n-1, n-1, p, n-1, v.data[v.ld+1:], v.ld)
}
