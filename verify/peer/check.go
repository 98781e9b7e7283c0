package peer

import (
	"fmt"
	"math"
)

// check panics unless a library that indexes C = op(A)*op(B) stays within the three slices. Sizes fit in 32 bits here, as they
// must for cblas, so no product below overflows 64.
func check[T float32 | float64](transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	checkLengths(transA, transB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
}

func checkLengths(transA, transB bool, m, n, k int, a, lda, b, ldb, c, ldc int) {
	checkSize("m", m)
	checkSize("n", n)
	checkSize("k", k)
	checkMatrix("a", transA, m, k, lda, a)
	checkMatrix("b", transB, k, n, ldb, b)
	checkMatrix("c", false, m, n, ldc, c)
}

func checkSize(name string, v int) {
	if v < 0 || v > math.MaxInt32 {
		panic(fmt.Sprintf("peer: %s is %d, want 0 to %d", name, v, math.MaxInt32))
	}
}

func checkMatrix(name string, trans bool, rows, cols, ld, length int) {
	if trans {
		rows, cols = cols, rows
	}
	if ld < max(1, cols) || ld > math.MaxInt32 {
		panic(fmt.Sprintf("peer: ld%s is %d, want %d to %d: %s is stored as %dx%d", name, ld, max(1, cols), math.MaxInt32, name, rows, cols))
	}
	if rows == 0 || cols == 0 {
		return
	}
	if need := int64(rows-1)*int64(ld) + int64(cols); int64(length) < need {
		panic(fmt.Sprintf("peer: %s has %d elements; %dx%d with ld%s %d needs %d", name, length, rows, cols, name, ld, need))
	}
}
