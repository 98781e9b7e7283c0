package cpu

import (
	"fmt"
	"maps"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// level3Of is the routines of Level 3 that have an alpha, of one type.
type level3Of[T dtype.Number] struct {
	gemm  func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	symm  func(s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk  func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trmm  func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	trsm  func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
}

// level2Of is those of Level 2.
type level2Of[T dtype.Float] struct {
	gemv func(tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	gbmv func(tA blas.Transpose, m, n, kL, kU int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	symv func(ul blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger  func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	syr  func(ul blas.Uplo, n int, alpha T, x []T, incX int, a []T, lda int)
	syr2 func(ul blas.Uplo, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
}

const side = 100 // of all matrices and vectors

func constants[T dtype.Number](n int, v T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = v
	}
	return x
}

func abs[T dtype.Number](v T) float64 {
	switch v := any(v).(type) {
	case float32:
		return math.Abs(float64(v))
	case float64:
		return math.Abs(v)
	case complex64:
		return cmplx.Abs(complex128(v))
	case complex128:
		return cmplx.Abs(v)
	}
	panic("no number")
}

// What alpha multiplies, as [first] says it.
const (
	sums   = "f∞f" // of products
	ofA    = "ff∞"
	ofB    = "∞ff"
	bOrSum = "∞∞f" // b in some products, and sums of others
	aOrB   = "∞f∞"
	ofX    = "fff" // of what is multiplied by itself
)

// twice is what stands for both factors in products of a matrix or vector by itself.
func twice[T dtype.Number](a, b T) T {
	if a != b {
		return 1
	}
	return a
}

// first says what f multiplies by alpha before all else, by what overflows: f computes alpha*a*b of constants, which is finite.
func first[T dtype.Number](big T, f func(alpha, a, b T) []T) string {
	one := T(1)
	said := ""
	for _, c := range [][3]T{{big, one / big, big}, {one / big, big, big}, {big, big, one / big}} {
		finite := true
		for _, v := range f(c[0], c[1], c[2]) {
			finite = finite && abs(v) <= math.MaxFloat64
		}
		said += map[bool]string{true: "f", false: "∞"}[finite]
	}
	return said
}

func diagonal[T dtype.Number](n int, v T) []T {
	x := constants(n*n, T(0))
	for i := range n {
		x[i*(n+1)] = v
	}
	return x
}

func (r *level3Of[T]) first(big T) map[string]string {
	const n = side
	said := map[string]string{}
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			said[fmt.Sprintf("gemm %c%c", tA, tB)] = first(big, func(alpha, a, b T) []T {
				c := constants(n*n, T(0))
				r.gemm(tA, tB, n, n, n, alpha, constants(n*n, a), n, constants(n*n, b), n, 0, c, n)
				return c
			})
		}
		said[fmt.Sprintf("syr2k %c", tA)] = first(big, func(alpha, a, b T) []T {
			c := constants(n*n, T(0))
			r.syr2k(blas.Lower, tA, n, n, alpha, constants(n*n, a), n, constants(n*n, b), n, 0, c, n)
			return c
		})
		said[fmt.Sprintf("syrk %c", tA)] = first(big, func(alpha, a, b T) []T {
			c := constants(n*n, T(0))
			r.syrk(blas.Lower, tA, n, n, alpha, constants(n*n, twice(a, b)), n, 0, c, n)
			return c
		})
		for _, s := range []blas.Side{blas.Left, blas.Right} {
			said[fmt.Sprintf("trmm %c%c", s, tA)] = first(big, func(alpha, a, b T) []T {
				c := constants(n*n, b)
				r.trmm(s, blas.Lower, tA, blas.NonUnit, n, n, alpha, constants(n*n, a), n, c, n)
				return c
			})
		}
	}
	for _, s := range []blas.Side{blas.Left, blas.Right} {
		said[fmt.Sprintf("trsm %c", s)] = first(big, func(alpha, a, b T) []T {
			x := constants(n*n, b)
			r.trsm(s, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, alpha, diagonal(n, 1/a), n, x, n)
			return x
		})
		said[fmt.Sprintf("symm %c", s)] = first(big, func(alpha, a, b T) []T {
			c := constants(n*n, T(0))
			r.symm(s, blas.Lower, n, n, alpha, constants(n*n, a), n, constants(n*n, b), n, 0, c, n)
			return c
		})
	}
	return said
}

func (r *level2Of[T]) first(big T) map[string]string {
	const n = side
	said := map[string]string{}
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		said[fmt.Sprintf("gemv %c", tA)] = first(big, func(alpha, a, b T) []T {
			y := constants(n, T(0))
			r.gemv(tA, n, n, alpha, constants(n*n, a), n, constants(n, b), 1, 0, y, 1)
			return y
		})
		said[fmt.Sprintf("gbmv %c", tA)] = first(big, func(alpha, a, b T) []T {
			y := constants(n, T(0))
			r.gbmv(tA, n, n, n, n, alpha, constants(n*(2*n+1), a), 2*n+1, constants(n, b), 1, 0, y, 1)
			return y
		})
	}
	said["symv"] = first(big, func(alpha, a, b T) []T {
		y := constants(n, T(0))
		r.symv(blas.Lower, n, alpha, constants(n*n, a), n, constants(n, b), 1, 0, y, 1)
		return y
	})
	said["ger"] = first(big, func(alpha, a, b T) []T {
		c := constants(n*n, T(0))
		r.ger(n, n, alpha, constants(n, a), 1, constants(n, b), 1, c, n)
		return c
	})
	said["syr"] = first(big, func(alpha, a, b T) []T {
		c := constants(n*n, T(0))
		r.syr(blas.Lower, n, alpha, constants(n, twice(a, b)), 1, c, n)
		return c
	})
	said["syr2"] = first(big, func(alpha, a, b T) []T {
		c := constants(n*n, T(0))
		r.syr2(blas.Lower, n, alpha, constants(n, a), 1, constants(n, b), 1, c, n)
		return c
	})
	return said
}

// TestAlpha holds the comment of BLAS64, in which order factors are multiplied, against what overflows; and gonum, which it
// compares with. Kernels are not asked for less than some elements, nor are there any without assembly: then gonum's order counts.
func TestAlpha(t *testing.T) {
	compare := func(what string, ours, gonums map[string]string, tables ...map[string]string) {
		t.Helper()
		for name, have := range ours {
			all := strings.Split(tables[0][name], " or ")
			if !slices.Contains(all, have) {
				t.Errorf("%s of %s multiplies by alpha in the order %s, want %v", name, what, have, all)
			}
			if gonum := tables[1][name]; gonums[name] != gonum && gonum != "" {
				t.Errorf("gonum's %s of %s multiplies by alpha in the order %s, want %s", name, what, gonums[name], gonum)
			}
		}
	}
	level3 := map[string]string{
		"gemm NN": sums, "gemm NT": sums, "gemm TN": sums, "gemm TT": sums, "symm L": sums, "symm R": sums,
		"syrk N": sums, "syrk T": sums, "syr2k N": sums, "syr2k T": sums, "trsm L": ofB, "trsm R": ofB,
		"trmm LN": ofA + " or " + sums, "trmm LT": ofA + " or " + sums, "trmm RN": ofA + " or " + sums, "trmm RT": ofA + " or " + sums,
	}
	gonum3 := map[string]string{
		"gemm NN": ofA, "gemm NT": sums, "gemm TN": ofA, "gemm TT": ofA, "symm L": ofA, "symm R": bOrSum,
		"syrk N": sums, "syrk T": ofX, "syr2k N": sums, "syr2k T": aOrB, "trsm L": ofB, "trsm R": ofB,
		"trmm LN": ofA, "trmm LT": ofA, "trmm RN": ofB, "trmm RT": sums,
	}
	level2 := map[string]string{
		"gemv N": sums, "gbmv N": sums, "gemv T": ofB, "gbmv T": ofB, "symv": bOrSum, "ger": ofA, "syr": ofX, "syr2": aOrB + " or " + sums,
	}
	gonum2 := maps.Clone(level2)
	gonum2["syr2"] = sums
	none := map[string]string{}
	g := gonum.Implementation{}
	{
		o := BLAS64{}
		ours, gonums := level3Of[float64]{o.Dgemm, o.Dsymm, o.Dsyrk, o.Dsyr2k, o.Dtrmm, o.Dtrsm}, level3Of[float64]{g.Dgemm, g.Dsymm, g.Dsyrk, g.Dsyr2k, g.Dtrmm, g.Dtrsm}
		compare("f64", ours.first(1e200), gonums.first(1e200), level3, gonum3)
		mine, others := level2Of[float64]{o.Dgemv, o.Dgbmv, o.Dsymv, o.Dger, o.Dsyr, o.Dsyr2}, level2Of[float64]{g.Dgemv, g.Dgbmv, g.Dsymv, g.Dger, g.Dsyr, g.Dsyr2}
		compare("f64", mine.first(1e200), others.first(1e200), level2, gonum2)
	}
	{
		o := BLAS32{}
		ours, gonums := level3Of[float32]{o.Sgemm, o.Ssymm, o.Ssyrk, o.Ssyr2k, o.Strmm, o.Strsm}, level3Of[float32]{g.Sgemm, g.Ssymm, g.Ssyrk, g.Ssyr2k, g.Strmm, g.Strsm}
		compare("f32", ours.first(1e30), gonums.first(1e30), level3, gonum3)
		mine, others := level2Of[float32]{o.Sgemv, o.Sgbmv, o.Ssymv, o.Sger, o.Ssyr, o.Ssyr2}, level2Of[float32]{g.Sgemv, g.Sgbmv, g.Ssymv, g.Sger, g.Ssyr, g.Ssyr2}
		compare("f32", mine.first(1e30), others.first(1e30), level2, gonum2)
	}
	c := CBLAS64{}
	c64 := level3Of[complex64]{c.Cgemm, c.Csymm, c.Csyrk, c.Csyr2k, c.Ctrmm, c.Ctrsm}
	compare("c64", c64.first(1e30), none, level3, none)
	z := CBLAS128{}
	c128 := level3Of[complex128]{z.Zgemm, z.Zsymm, z.Zsyrk, z.Zsyr2k, z.Ztrmm, z.Ztrsm}
	compare("c128", c128.first(1e200), none, level3, none)
	hermitian := level3Of[complex128]{z.Zgemm, z.Zhemm, func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128, c []complex128, ldc int) {
		z.Zherk(ul, conjugated(tA), n, k, real(alpha), a, lda, real(beta), c, ldc)
	}, func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
		z.Zher2k(ul, conjugated(tA), n, k, alpha, a, lda, b, ldb, real(beta), c, ldc)
	}, z.Ztrmm, z.Ztrsm}
	compare("c128, Hermitian", hermitian.first(1e200), none, level3, none)
}

func conjugated(t blas.Transpose) blas.Transpose {
	if t == blas.Trans {
		return blas.ConjTrans
	}
	return t
}
