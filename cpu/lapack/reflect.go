package lapack

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// reflectors is how many of them a block has, whose products are applied by [blas.Float64Level3].
const reflectors = 32

// A blockReflector is H = I - V*T*Vᵀ, the product of some reflectors I - tau*v*vᵀ. (Schreiber and Van Loan, "A storage-efficient WY representation
// for products of Householder transformations", 1989.)
//
// gonum's Dlarft makes T, too. In version 0.17 it forgets how long the first vector is where the second ends in zeros, so that
// blocks of such matrices are not orthogonal.
type blockReflector struct {
	m, k    int
	v, t, w []float64 // m x k with 1 on the diagonal and 0 above it; k x k, upper; what products need
}

// of makes the block of the m x k vectors below the diagonal of a.
func (h *blockReflector) of(m, k int, a []float64, lda int, tau []float64) {
	h.m, h.k = m, k
	h.v, h.t = longer(h.v, m*k), longer(h.t, k*k)
	for i := range m {
		row := h.v[i*k:][:k]
		n := min(i, k)
		copy(row, a[i*lda:][:n])
		if clear(row[n:]); n < k {
			row[n] = 1
		}
	}
	h.w = longer(h.w, k*k)
	blas64.Implementation().Dgemm(blas.Trans, blas.NoTrans, k, k, m, 1, h.v, k, h.v, k, 0, h.w, k)
	clear(h.t[:k*k])
	for j := range k { // column j is -tau*T*(Vᵀ*v)
		for i := range j {
			var sum float64
			for p := i; p < j; p++ {
				sum += h.t[i*k+p] * h.w[p*k+j]
			}
			h.t[i*k+j] = -tau[j] * sum
		}
		h.t[j*k+j] = tau[j]
	}
}

// apply makes the m x n matrix c H*c, or Hᵀ*c.
func (h *blockReflector) apply(trans blas.Transpose, n int, c []float64, ldc int) {
	if n == 0 {
		return
	}
	impl := blas64.Implementation()
	h.w = longer(h.w, 2*h.k*n)
	x, y := h.w[:h.k*n], h.w[h.k*n:]
	impl.Dgemm(blas.Trans, blas.NoTrans, h.k, n, h.m, 1, h.v, h.k, c, ldc, 0, x, n)
	impl.Dgemm(trans, blas.NoTrans, h.k, n, h.k, 1, h.t, h.k, x, n, 0, y, n)
	impl.Dgemm(blas.NoTrans, blas.NoTrans, h.m, n, h.k, -1, h.v, h.k, y, n, 1, c, ldc)
}

// longer is a slice of at least n elements.
func longer(s []float64, n int) []float64 {
	if len(s) < n {
		return make([]float64, n)
	}
	return s
}

// Dgeqrf computes the QR factorisation of an m x n matrix, as gonum's does, which it is for few columns.
func (f Float64) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	k := min(m, n)
	if k < max(2*reflectors, least) || lda < n || len(a) < (m-1)*lda+n || len(tau) < k || lwork < n || len(work) < lwork {
		f.Implementation.Dgeqrf(m, n, a, lda, tau, work, lwork)
		return
	}
	var h blockReflector
	for j := 0; j < k; j += reflectors {
		width := min(reflectors, k-j)
		panel := a[j*lda+j:]
		f.Dgeqr2(m-j, width, panel, lda, tau[j:j+width], work)
		if j+width < n {
			h.of(m-j, width, panel, lda, tau[j:j+width])
			h.apply(blas.Trans, n-j-width, panel[width:], lda)
		}
	}
	work[0] = float64(lwork)
}

// Dorgqr makes the first n columns of the m x m orthogonal Q of k reflectors, as gonum's does, which it is for few of them.
func (f Float64) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k < max(2*reflectors, least) || n < k || m < n || lda < n || len(a) < (m-1)*lda+n || len(tau) < k || lwork < n || len(work) < lwork {
		f.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	var h blockReflector
	for i := range m { // columns without a reflector are those of the identity
		clear(a[i*lda+k:][:n-k])
		if i >= k && i < n {
			a[i*lda+i] = 1
		}
	}
	for j := (k - 1) / reflectors * reflectors; j >= 0; j -= reflectors {
		width := min(reflectors, k-j)
		panel := a[j*lda+j:]
		h.of(m-j, width, panel, lda, tau[j:j+width])
		h.apply(blas.NoTrans, n-j-width, panel[width:], lda)
		f.Dorg2r(m-j, width, width, panel, lda, tau[j:j+width], work)
		for i := range j {
			clear(a[i*lda+j:][:width])
		}
	}
	work[0] = float64(lwork)
}
