package level12

import (
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/kern/vector"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// set is the routines of one implementation for one type.
type set[T dtype.Float] struct {
	dot        func(n int, x []T, incX int, y []T, incY int) T
	axpy       func(n int, alpha T, x []T, incX int, y []T, incY int)
	scal       func(n int, alpha T, x []T, incX int)
	copy, swap func(n int, x []T, incX int, y []T, incY int)
	rot        func(n int, x []T, incX int, y []T, incY int, c, s T)
	nrm2, asum func(n int, x []T, incX int) T
	iamax      func(n int, x []T, incX int) int
	gemv       func(t blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger        func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	symv       func(ul blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	syr        func(ul blas.Uplo, n int, alpha T, x []T, incX int, a []T, lda int)
	syr2       func(ul blas.Uplo, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	trmv, trsv func(ul blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []T, lda int, x []T, incX int)
	gbmv       func(t blas.Transpose, m, n, kL, kU int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	dsdot      func(n int, x []T, incX int, y []T, incY int) float64
	sdsdot     func(n int, alpha T, x []T, incX int, y []T, incY int) T
}

func set64(b blas.Float64) set[float64] {
	return set[float64]{
		dot: b.Ddot, axpy: b.Daxpy, scal: b.Dscal, copy: b.Dcopy, swap: b.Dswap, rot: b.Drot, nrm2: b.Dnrm2, asum: b.Dasum, iamax: b.Idamax,
		gemv: b.Dgemv, ger: b.Dger, symv: b.Dsymv, syr: b.Dsyr, syr2: b.Dsyr2, trmv: b.Dtrmv, trsv: b.Dtrsv, gbmv: b.Dgbmv,
	}
}

func set32(b blas.Float32) set[float32] {
	return set[float32]{
		dot: b.Sdot, axpy: b.Saxpy, scal: b.Sscal, copy: b.Scopy, swap: b.Sswap, rot: b.Srot, nrm2: b.Snrm2, asum: b.Sasum, iamax: b.Isamax,
		gemv: b.Sgemv, ger: b.Sger, symv: b.Ssymv, syr: b.Ssyr, syr2: b.Ssyr2, trmv: b.Strmv, trsv: b.Strsv, gbmv: b.Sgbmv,
		dsdot: b.Dsdot, sdsdot: b.Sdsdot,
	}
}

// plain is set with loops for what gonum does wrong: see contiguous.
func (s set[T]) plain() set[T] {
	s.gemv = func(t blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
		lenX, lenY, row, col := n, m, lda, 1
		if t != blas.NoTrans {
			lenX, lenY, row, col = m, n, 1, lda
		}
		for i := range lenY {
			var sum T
			for j := range lenX {
				sum += a[i*row+j*col] * x[first(lenX, incX)+j*incX]
			}
			at := first(lenY, incY) + i*incY
			y[at] = alpha*sum + beta*y[at]
		}
	}
	s.ger = func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
		for i := range m {
			for j := range n {
				a[i*lda+j] += alpha * x[first(m, incX)+i*incX] * y[first(n, incY)+j*incY]
			}
		}
	}
	return s
}

// args are those of any routine; which it uses is its own business.
type args struct {
	m, n, kL, kU, lda, incX, incY int
	alpha, beta                   float64
	t                             blas.Transpose
	ul                            blas.Uplo
	d                             blas.Diag
}

// level1 and level2 are the names of routines.
var (
	level1 = []string{"dot", "axpy", "scal", "copy", "swap", "rot", "nrm2", "asum", "iamax", "dsdot", "sdsdot"}
	level2 = []string{"gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv", "gbmv"}
)

// call calls a routine by its name and returns its number, if it has one.
func (s set[T]) call(name string, g args, a, x, y []T) float64 {
	alpha, beta := T(g.alpha), T(g.beta)
	switch name {
	case "dot":
		return float64(s.dot(g.n, x, g.incX, y, g.incY))
	case "axpy":
		s.axpy(g.n, alpha, x, g.incX, y, g.incY)
	case "scal":
		s.scal(g.n, alpha, x, g.incX)
	case "copy":
		s.copy(g.n, x, g.incX, y, g.incY)
	case "swap":
		s.swap(g.n, x, g.incX, y, g.incY)
	case "rot":
		s.rot(g.n, x, g.incX, y, g.incY, alpha, beta)
	case "nrm2":
		return float64(s.nrm2(g.n, x, g.incX))
	case "asum":
		return float64(s.asum(g.n, x, g.incX))
	case "iamax":
		return float64(s.iamax(g.n, x, g.incX))
	case "dsdot":
		if s.dsdot != nil {
			return s.dsdot(g.n, x, g.incX, y, g.incY)
		}
	case "sdsdot":
		if s.sdsdot != nil {
			return float64(s.sdsdot(g.n, alpha, x, g.incX, y, g.incY))
		}
	case "gemv":
		s.gemv(g.t, g.m, g.n, alpha, a, g.lda, x, g.incX, beta, y, g.incY)
	case "ger":
		s.ger(g.m, g.n, alpha, x, g.incX, y, g.incY, a, g.lda)
	case "symv":
		s.symv(g.ul, g.n, alpha, a, g.lda, x, g.incX, beta, y, g.incY)
	case "syr":
		s.syr(g.ul, g.n, alpha, x, g.incX, a, g.lda)
	case "syr2":
		s.syr2(g.ul, g.n, alpha, x, g.incX, y, g.incY, a, g.lda)
	case "trmv":
		s.trmv(g.ul, g.t, g.d, g.n, a, g.lda, x, g.incX)
	case "trsv":
		s.trsv(g.ul, g.t, g.d, g.n, a, g.lda, x, g.incX)
	case "gbmv":
		s.gbmv(g.t, g.m, g.n, g.kL, g.kU, alpha, a, g.lda, x, g.incX, beta, y, g.incY)
	default:
		panic(name)
	}
	return 0
}

// eachISA runs a test with every variant that the machine has, for all lengths, and with none.
func eachISA(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	defer variant.Force(int(variant.Number()), isas())
	defer func(n int) { shortest = n }(shortest)
	shortest = 1
	for n, k := range vector.F64 {
		if run.HasISA(k.ISA) {
			variant.Force(n+1, isas())
			t.Run(k.ISA, test)
		}
	}
	variant.Force(0, isas())
	t.Run(run.Portable, test)
}
