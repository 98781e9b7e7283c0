// Package level3 gives matrix products, also structured ones, the arguments of gonum's BLAS. It
// checks them, and panics with gonum's values in gonum's order.
package level3

import (
	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// gonum's panics, by value: callers may compare these strings.
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

func matrix[T dtype.Number](x []T, rows, cols, ld int) layout.Matrix[T] {
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

func options[T dtype.Number](caller string, alpha, beta T) run.Options {
	return run.Options{Caller: caller, Scaling: Scaling(alpha, beta)}
}

// Gemm checks the arguments of Dgemm or its like and returns them as matrices; ok is false if
// there is nothing to do. With alpha = 0 neither a nor b is read, so they have no elements.
func Gemm[T dtype.Number](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) (mc, ma, mb layout.Matrix[T], ok bool) {
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

// Scaling is the factors of a call.
func Scaling[T dtype.Number](alpha, beta T) run.Scaling {
	switch a := any(alpha).(type) {
	case float32:
		return run.Scale(float64(a), float64(any(beta).(float32)))
	case float64:
		return run.Scale(a, any(beta).(float64))
	case complex64:
		return run.ScaleComplex(complex128(a), complex128(any(beta).(complex64)))
	}
	return run.ScaleComplex(any(alpha).(complex128), any(beta).(complex128))
}

// Symm is Dsymm and its like.
func Symm[T dtype.Number](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	mirrored(s, caller, false, side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Hemm is Zhemm and Chemm.
func Hemm[T dtype.Number](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	mirrored(s, caller, true, side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func mirrored[T dtype.Number](s *dense.Set[T], caller string, hermitian bool, side blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
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
	opt := options(caller, alpha, beta)
	if side == blas.Right {
		mb, mc = mb.T(), mc.T()
		if hermitian { // whose transpose is its conjugate
			opt.Conj = run.ConjA
		}
	}
	if hermitian {
		s.GemmHermitian(opt, triangle(ul, blas.NonUnit), mc, ma, mb)
	} else {
		s.GemmSymmetric(opt, triangle(ul, blas.NonUnit), mc, ma, mb)
	}
}

// Syrk is Dsyrk and its like.
func Syrk[T dtype.Number](s *dense.Set[T], caller string, ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	if u, ok := updateOf(false, ul, tA, n, k, a, lda, a, lda, c, ldc, (alpha == 0 || k == 0) && beta == 1); ok {
		s.GemmTriangle(u.options(caller, alpha, beta), u.t, u.c, u.a, u.a.T())
	}
}

// Herk is Zherk and Cherk: with real factors.
func Herk[T dtype.Number](s *dense.Set[T], caller string, ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	if u, ok := updateOf(true, ul, tA, n, k, a, lda, a, lda, c, ldc, (alpha == 0 || k == 0) && beta == 1); ok {
		s.GemmTriangle(u.options(caller, alpha, beta), u.t, u.c, u.a, u.a.T())
		u.realDiagonal()
	}
}

// Syr2k does the work of Dsyr2k and its like. It computes two products and adds the
// second to the first.
func Syr2k[T dtype.Number](s *dense.Set[T], caller string, ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if u, ok := updateOf(false, ul, tA, n, k, a, lda, b, ldb, c, ldc, (alpha == 0 || k == 0) && beta == 1); ok {
		s.GemmTriangle2(u.options(caller, alpha, beta), u.t, u.c, u.a, u.b)
	}
}

// Her2k is Zher2k and Cher2k: with a real beta, and conj the conjugate of alpha.
func Her2k[T dtype.Number](s *dense.Set[T], caller string, ul blas.Uplo, tA blas.Transpose, n, k int, alpha, conj T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if u, ok := updateOf(true, ul, tA, n, k, a, lda, b, ldb, c, ldc, (alpha == 0 || k == 0) && beta == 1); ok {
		s.GemmTriangle(u.options(caller, alpha, beta), u.t, u.c, u.a, u.b.T())
		s.GemmTriangle(u.options(caller, conj, 1), u.t, u.c, u.b, u.a.T())
		u.realDiagonal()
	}
}

// update is an update of rank k: of a triangle of c, by a and b, which are n x k.
type update[T dtype.Number] struct {
	t       dense.Triangle
	a, b, c layout.Matrix[T]
	conj    run.Conjugates
}

// updateOf checks arguments; ok is false if there is nothing to do, as idle says if all is well.
func updateOf[T dtype.Number](hermitian bool, ul blas.Uplo, tA blas.Transpose, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, idle bool) (u update[T], ok bool) {
	wrong := badTranspose(tA)
	if dtype.Of[T]().Complex() { // in gonum's order
		refuse(wrong || hermitian && tA == blas.Trans || !hermitian && tA == blas.ConjTrans, BadTranspose)
	}
	refuse(ul != blas.Lower && ul != blas.Upper, BadUplo)
	refuse(wrong, BadTranspose)
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
		return u, false
	}
	refuse(short(len(a), rows, cols, lda), ShortA)
	refuse(short(len(b), rows, cols, ldb), ShortB)
	refuse(short(len(c), n, n, ldc), ShortC)
	u = update[T]{triangle(ul, blas.NonUnit), matrix(a, rows, cols, lda), matrix(b, rows, cols, ldb), matrix(c, n, n, ldc), 0}
	if hermitian {
		u.conj = run.ConjB
	}
	if tA != blas.NoTrans {
		u.a, u.b, u.conj = u.a.T(), u.b.T(), u.conj.T()
	}
	return u, !idle
}

func (u *update[T]) options(caller string, alpha, beta T) run.Options {
	opt := options(caller, alpha, beta)
	opt.Conj = u.conj
	return opt
}

// realDiagonal drops the imaginary parts of c's diagonal, which a Hermitian matrix has not.
func (u *update[T]) realDiagonal() {
	switch c := any(u.c).(type) {
	case layout.Matrix[complex64]:
		for i := range c.Rows {
			c.Set(i, i, complex(real(c.At(i, i)), 0))
		}
	case layout.Matrix[complex128]:
		for i := range c.Rows {
			c.Set(i, i, complex(real(c.At(i, i)), 0))
		}
	}
}

// Trmm is Dtrmm and its like.
func Trmm[T dtype.Number](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	if ma, mb, t, ok := triangular(side, ul, tA, d, m, n, a, lda, b, ldb); ok {
		opt := options(caller, alpha, 0)
		opt.Conj = conjugated(tA)
		s.MulTriangular(opt, t, ma, mb)
	}
}

// Trsm is Dtrsm and its like.
func Trsm[T dtype.Number](s *dense.Set[T], caller string, side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	if ma, mb, t, ok := triangular(side, ul, tA, d, m, n, a, lda, b, ldb); ok {
		opt := options(caller, alpha, 0)
		opt.Conj = conjugated(tA)
		s.SolveTriangular(opt, t, ma, mb)
	}
}

// conjugated says that a is, of complex numbers.
func conjugated(tA blas.Transpose) run.Conjugates {
	if tA == blas.ConjTrans {
		return run.ConjA
	}
	return 0
}

// triangular checks arguments, and returns operands for a on the left; ok is false if there is
// nothing to do.
func triangular[T dtype.Number](side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, a []T, lda int, b []T, ldb int) (ma, mb layout.Matrix[T], t dense.Triangle, ok bool) {
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
