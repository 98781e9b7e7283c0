// Package level3 gives matrix products, also structured ones, the arguments that gonum's BLAS has:
// it checks them, and panics with gonum's values in gonum's order.
package level3

import (
	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// What gonum panics with, by value: callers may compare these strings.
const (
	BadSide      = "blas: illegal side"
	BadUplo      = "blas: illegal triangle"
	BadTranspose = "blas: illegal transpose"
	BadDiag      = "blas: illegal diagonal"
	MLT0         = "blas: m < 0"
	NLT0         = "blas: n < 0"
	KLT0         = "blas: k < 0"
	BadLdA       = "blas: bad leading dimension of A"
	BadLdB       = "blas: bad leading dimension of B"
	BadLdC       = "blas: bad leading dimension of C"
	ShortA       = "blas: insufficient length of a"
	ShortB       = "blas: insufficient length of b"
	ShortC       = "blas: insufficient length of c"
)

// refuse panics with what if bad.
func refuse(bad bool, what string) {
	if bad {
		panic(what)
	}
}

func badTranspose(t blas.Transpose) bool {
	return t != blas.NoTrans && t != blas.Trans && t != blas.ConjTrans
}

// short reports length < (rows-1)*ld + cols, where ld is at least cols and 1,
// without the product, which may overflow.
func short(length, rows, cols, ld int) bool {
	return rows > 0 && (length < cols || (length-cols)/ld < rows-1)
}

func matrix[T dtype.Float](x []T, rows, cols, ld int) layout.Matrix[T] {
	return layout.Matrix[T]{Data: x, Rows: rows, Cols: cols, RowStride: ld, ColStride: 1}
}

func triangle(ul blas.Uplo, d blas.Diag) dense.Triangle {
	switch {
	case ul == blas.Lower && d == blas.Unit:
		return dense.UnitLower
	case ul == blas.Lower:
		return dense.Lower
	case d == blas.Unit:
		return dense.UnitUpper
	}
	return dense.Upper
}

func options[T dtype.Float](caller string, alpha, beta T) run.Options {
	return run.Options{Caller: caller, Scaling: run.Scale(float64(alpha), float64(beta))}
}

// Gemm checks the arguments of Dgemm or Sgemm and returns them as matrices; ok is false if
// there is nothing to do. With alpha = 0 neither a nor b is read, so they have no elements.
func Gemm[T dtype.Float](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) (mc, ma, mb layout.Matrix[T], ok bool) {
	refuse(badTranspose(tA) || badTranspose(tB), BadTranspose)
	refuse(m < 0, MLT0)
	refuse(n < 0, NLT0)
	refuse(k < 0, KLT0)
	// Rows and columns as stored.
	aRows, aCols, bRows, bCols := m, k, k, n
	if tA != blas.NoTrans {
		aRows, aCols = k, m
	}
	if tB != blas.NoTrans {
		bRows, bCols = n, k
	}
	refuse(lda < max(1, aCols), BadLdA)
	refuse(ldb < max(1, bCols), BadLdB)
	refuse(ldc < max(1, n), BadLdC)
	if m == 0 || n == 0 {
		return
	}
	refuse(short(len(a), aRows, aCols, lda), ShortA)
	refuse(short(len(b), bRows, bCols, ldb), ShortB)
	refuse(short(len(c), m, n, ldc), ShortC)
	mc = matrix(c, m, n, ldc)
	if alpha == 0 || k == 0 {
		return mc, matrix(a, m, 0, lda), matrix(b, 0, n, ldb), beta != 1
	}
	ma, mb = matrix(a, aRows, aCols, lda), matrix(b, bRows, bCols, ldb)
	if tA != blas.NoTrans {
		ma = ma.T()
	}
	if tB != blas.NoTrans {
		mb = mb.T()
	}
	return mc, ma, mb, true
}

// Symm is Dsymm and Ssymm.
func Symm[T dtype.Float](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	refuse(side != blas.Left && side != blas.Right, BadSide)
	refuse(ul != blas.Lower && ul != blas.Upper, BadUplo)
	refuse(m < 0, MLT0)
	refuse(n < 0, NLT0)
	k := n
	if side == blas.Left {
		k = m
	}
	refuse(lda < max(1, k), BadLdA)
	refuse(ldb < max(1, n), BadLdB)
	refuse(ldc < max(1, n), BadLdC)
	if m == 0 || n == 0 {
		return
	}
	refuse(short(len(a), k, k, lda), ShortA)
	refuse(short(len(b), m, n, ldb), ShortB)
	refuse(short(len(c), m, n, ldc), ShortC)
	if alpha == 0 && beta == 1 {
		return
	}
	ma, mb, mc := matrix(a, k, k, lda), matrix(b, m, n, ldb), matrix(c, m, n, ldc)
	if side == blas.Right {
		mb, mc = mb.T(), mc.T()
	}
	s.GemmSymmetric(options(caller, alpha, beta), triangle(ul, blas.NonUnit), mc, ma, mb)
}

// Syrk is Dsyrk and Ssyrk.
func Syrk[T dtype.Float](s *dense.Set[T], caller string, ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	refuse(ul != blas.Lower && ul != blas.Upper, BadUplo)
	refuse(badTranspose(tA), BadTranspose)
	refuse(n < 0, NLT0)
	refuse(k < 0, KLT0)
	rows, cols := n, k
	if tA != blas.NoTrans {
		rows, cols = k, n
	}
	refuse(lda < max(1, cols), BadLdA)
	refuse(ldc < max(1, n), BadLdC)
	if n == 0 {
		return
	}
	refuse(short(len(a), rows, cols, lda), ShortA)
	refuse(short(len(c), n, n, ldc), ShortC)
	ma := matrix(a, rows, cols, lda)
	if tA != blas.NoTrans {
		ma = ma.T()
	}
	s.GemmTriangle(options(caller, alpha, beta), triangle(ul, blas.NonUnit), matrix(c, n, n, ldc), ma, ma.T())
}

// Syr2k is Dsyr2k and Ssyr2k.
func Syr2k[T dtype.Float](s *dense.Set[T], caller string, ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	refuse(ul != blas.Lower && ul != blas.Upper, BadUplo)
	refuse(badTranspose(tA), BadTranspose)
	refuse(n < 0, NLT0)
	refuse(k < 0, KLT0)
	rows, cols := n, k
	if tA != blas.NoTrans {
		rows, cols = k, n
	}
	refuse(lda < max(1, cols), BadLdA)
	refuse(ldb < max(1, cols), BadLdB)
	refuse(ldc < max(1, n), BadLdC)
	if n == 0 {
		return
	}
	refuse(short(len(a), rows, cols, lda), ShortA)
	refuse(short(len(b), rows, cols, ldb), ShortB)
	refuse(short(len(c), n, n, ldc), ShortC)
	ma, mb := matrix(a, rows, cols, lda), matrix(b, rows, cols, ldb)
	if tA != blas.NoTrans {
		ma, mb = ma.T(), mb.T()
	}
	s.GemmTriangle2(options(caller, alpha, beta), triangle(ul, blas.NonUnit), matrix(c, n, n, ldc), ma, mb)
}

// Trmm is Dtrmm and Strmm.
func Trmm[T dtype.Float](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	if ma, mb, t, ok := triangular(side, ul, tA, d, m, n, a, lda, b, ldb); ok {
		s.MulTriangular(options(caller, alpha, 0), t, ma, mb)
	}
}

// Trsm is Dtrsm and Strsm.
func Trsm[T dtype.Float](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	if ma, mb, t, ok := triangular(side, ul, tA, d, m, n, a, lda, b, ldb); ok {
		s.SolveTriangular(options(caller, alpha, 0), t, ma, mb)
	}
}

// triangular checks arguments, and returns operands for a on the left; ok is false if there is
// nothing to do.
func triangular[T dtype.Float](side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, a []T, lda int, b []T, ldb int) (ma, mb layout.Matrix[T], t dense.Triangle, ok bool) {
	refuse(side != blas.Left && side != blas.Right, BadSide)
	refuse(ul != blas.Lower && ul != blas.Upper, BadUplo)
	refuse(badTranspose(tA), BadTranspose)
	refuse(d != blas.NonUnit && d != blas.Unit, BadDiag)
	refuse(m < 0, MLT0)
	refuse(n < 0, NLT0)
	k := n
	if side == blas.Left {
		k = m
	}
	refuse(lda < max(1, k), BadLdA)
	refuse(ldb < max(1, n), BadLdB)
	if m == 0 || n == 0 {
		return
	}
	refuse(short(len(a), k, k, lda), ShortA)
	refuse(short(len(b), m, n, ldb), ShortB)
	ma, mb, t = matrix(a, k, k, lda), matrix(b, m, n, ldb), triangle(ul, d)
	if side == blas.Right {
		mb = mb.T()
	}
	if (side == blas.Right) != (tA != blas.NoTrans) {
		ma, t = ma.T(), t.T()
	}
	return ma, mb, t, true
}
