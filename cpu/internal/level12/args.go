package level12

import (
	"math/bits"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Float64 is gonum's float64 BLAS with Levels 1 and 2 that gain by kernels.
type Float64 struct{ gonum.Implementation }

// Float32 is gonum's float32 BLAS, likewise. Its methods are made of those of Float64:
//
//	go test ./cpu/internal/level12 -run TestFloat32Text -update
type Float32 struct{ gonum.Implementation }

// The panics of gonum for an expression that wraps around, so that gonum's own check does not
// see it.
const (
	shortX = "blas: insufficient length of x"
	shortY = "blas: insufficient length of y"
	shortA = "blas: insufficient length of a"
	badLdA = "blas: bad leading dimension of A"
)

// gains says that a call of Level 1 on n contiguous elements is for kernels. The work around a kernel takes
// the time of some thirty elements of a loop in Go: an argument block, the choice of a variant, and joining
// lanes. So shorter vectors are left to gonum's loops. BenchmarkShort measures both sides.
func gains(n, length int) bool { return shortest <= n && n <= length && Ready() }

var shortest = 32 // tests have kernels do less, too

// gainsMore is gains where gonum has assembly, with vectors of 128 bits, for elements of so many bytes.
// Kernels with 256 bits save half of its time for each vector, which makes up for a call after some fifty
// vectors.
func gainsMore(n, length, size int) bool {
	return n*size >= 48*shortest && n > 0 && n <= length && Ready()
}

// gainsRows says the same of Level 2, whose calls begin and end with more.
func gainsRows(m, n int) bool {
	return n >= (3*shortest+1)/2 && m >= min(tileRows, shortest) && Ready()
}

// gainsTrmv and gainsTrsv are gainsRows for triangles whose rows wait for each other: sums of one block go to the next.
// gonum's trmv does not wait.
func gainsTrmv(n int) bool { return gainsRows(n, n/4) }
func gainsTrsv(n int) bool { return gainsRows(n, 3*n/4) }

// fits reports whether n > 0 elements that lie inc apart are in a slice of so many.
func fits(n, inc, length int) bool {
	return n > 0 && inc != 0 && n <= length && uint(length-1)/magnitude(inc) >= uint(n-1)
}

// fitsRows reports whether an m x n matrix is in a slice of so many elements.
func fitsRows(m, n, lda, length int) bool {
	return m > 0 && n > 0 && lda >= n && length >= n && (length-n)/lda >= m-1
}

// transOf returns whether t is a transpose, and whether it is anything.
func transOf(t blas.Transpose) (trans, ok bool) {
	return t != blas.NoTrans, t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}

// upperOf returns whether ul is the upper triangle, and whether it is one.
func upperOf(ul blas.Uplo) (upper, ok bool) {
	return ul == blas.Upper, ul == blas.Upper || ul == blas.Lower
}

// A Triangle says how a triangular matrix is read.
type Triangle struct{ Upper, Trans, Unit bool }

// triangular returns it, and whether the arguments are any.
func triangular(ul blas.Uplo, t blas.Transpose, d blas.Diag) (Triangle, bool) {
	upper, ok := upperOf(ul)
	trans, known := transOf(t)
	return Triangle{upper, trans, d == blas.Unit}, ok && known && (d == blas.Unit || d == blas.NonUnit)
}

// gainsBand says whether a matrix with so many diagonals is for kernels, and in a slice of so many elements.
func gainsBand(m, n, kL, kU, lda, length int) bool {
	return m > 0 && kL >= 0 && kU >= 0 && kL < lda && kU < lda-kL && min(n, kL+kU+1) >= 2*shortest && kL+kU+1 <= length &&
		(length-(kL+kU+1))/lda >= min(m, n+kL)-1 && Ready()
}

func magnitude(inc int) uint {
	if inc < 0 {
		return -uint(inc)
	}
	return uint(inc)
}

// refuseWrap panics with what if the place of the last of n elements that lie inc apart overflows int: gonum,
// which multiplies, would read somewhere else. It is for calls that go on to gonum.
func refuseWrap(n, inc int, what string) {
	if n > 1 {
		if hi, lo := bits.Mul(uint(n-1), magnitude(inc)); hi != 0 || int(lo) < 0 {
			panic(what)
		}
	}
}

// refuseBand panics if the number of diagonals overflows int.
func refuseBand(kL, kU int) {
	if kL >= 0 && kU >= 0 && kL+kU+1 < 0 {
		panic(badLdA)
	}
}
