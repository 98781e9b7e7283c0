package peer

import (
	"errors"
	"fmt"
	"unsafe"
)

// Level3 is what a library has of Level 3 of the BLAS, for square row-major matrices without gaps. C = A*B is
// Gemm, and Symm of the lower triangle of a; Hemm is for complex numbers. Syrk and Herk are the lower
// triangle of C = A*Aᵀ. Trmm and Trsm are B = A*B and B = A⁻¹*B for a lower triangular A. They run on as many
// threads as products, and panic if a slice has no n*n elements.
type Level3[T any] struct {
	Gemm, Symm       func(n int, a, b, c []T)
	Syrk, Trmm, Trsm func(n int, a, c []T)
}

// The values of CBLAS_UPLO, CBLAS_DIAG and CBLAS_SIDE.
const (
	cblasLower   = 122
	cblasNonUnit = 131
	cblasLeft    = 141
)

// Level3Of32, Level3Of64 and Level3Of128 find the functions of a library with the C interface of the BLAS, for float32, float64 and
// complex128.
func Level3Of32(g *Gemm) (*Level3[float32], error) {
	return level3[float32, float32, float32](g, "s", "sy", 1, 0, 1, 0)
}

// Level3Of64 is for float64.
func Level3Of64(g *Gemm) (*Level3[float64], error) {
	return level3[float64, float64, float64](g, "d", "sy", 1, 0, 1, 0)
}

// Level3Of128 is for complex128.
func Level3Of128(g *Gemm) (*Level3[complex128], error) {
	one, zero := new(complex128), new(complex128)
	*one = 1
	return level3[complex128, unsafe.Pointer, float64](g, "z", "he", unsafe.Pointer(one), unsafe.Pointer(zero), 1, 0)
}

// level3 binds the functions of a type. S is how C takes a factor of it, R one of an update of rank k.
func level3[T, S, R any](g *Gemm, typ, kind string, one, zero S, oneR, zeroR R) (*Level3[T], error) {
	lib, err := dlopen(g.Path)
	if err != nil {
		return nil, fmt.Errorf("peer: %s: %w", g.Name, err)
	}
	var (
		gemm       func(order, transA, transB, m, n, k int32, alpha S, a *T, lda int32, b *T, ldb int32, beta S, c *T, ldc int32)
		symm       func(order, side, uplo, m, n int32, alpha S, a *T, lda int32, b *T, ldb int32, beta S, c *T, ldc int32)
		syrk       func(order, uplo, trans, n, k int32, alpha R, a *T, lda int32, beta R, c *T, ldc int32)
		trmm, trsm func(order, side, uplo, trans, diag, m, n int32, alpha S, a *T, lda int32, b *T, ldb int32)
	)
	if err := errors.Join(Bind(lib, "cblas_"+typ+"gemm", &gemm), Bind(lib, "cblas_"+typ+kind+"mm", &symm), Bind(lib, "cblas_"+typ+kind+"rk", &syrk),
		Bind(lib, "cblas_"+typ+"trmm", &trmm), Bind(lib, "cblas_"+typ+"trsm", &trsm)); err != nil {
		return nil, fmt.Errorf("peer: %s: %w", g.Name, err)
	}
	first := func(n int, x []T) *T {
		if n < 1 || n > 1<<15 || len(x) < n*n {
			panic(fmt.Sprintf("peer: a matrix of %d x %d in %d elements", n, n, len(x)))
		}
		return unsafe.SliceData(x)
	}
	const row, no = cblasRowMajor, cblasNoTrans
	return &Level3[T]{
		Gemm: func(n int, a, b, c []T) {
			d := int32(n)
			g.onThread(func() { gemm(row, no, no, d, d, d, one, first(n, a), d, first(n, b), d, zero, first(n, c), d) })
		},
		Symm: func(n int, a, b, c []T) {
			d := int32(n)
			g.onThread(func() {
				symm(row, cblasLeft, cblasLower, d, d, one, first(n, a), d, first(n, b), d, zero, first(n, c), d)
			})
		},
		Syrk: func(n int, a, c []T) {
			d := int32(n)
			g.onThread(func() { syrk(row, cblasLower, no, d, d, oneR, first(n, a), d, zeroR, first(n, c), d) })
		},
		Trmm: func(n int, a, b []T) {
			d := int32(n)
			g.onThread(func() { trmm(row, cblasLeft, cblasLower, no, cblasNonUnit, d, d, one, first(n, a), d, first(n, b), d) })
		},
		Trsm: func(n int, a, b []T) {
			d := int32(n)
			g.onThread(func() { trsm(row, cblasLeft, cblasLower, no, cblasNonUnit, d, d, one, first(n, a), d, first(n, b), d) })
		},
	}, nil
}
