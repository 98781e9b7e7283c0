package cpu

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
)

// TestNothingBLAS: a routine of which one side is 0 takes no time, whatever the other is, nor does one that cannot fit its slices. What
// it panics with is for gonum's own tests.
func TestNothingBLAS(t *testing.T) {
	const N, T, L, R, U, D = blas.NoTrans, blas.Trans, blas.Left, blas.Right, blas.Lower, blas.NonUnit
	b := BLAS64{}
	x := make([]float64, 16)
	for _, huge := range []int{1 << 30, math.MaxInt/2 + 1, math.MaxInt} {
		for _, s := range [][2]int{{huge, 0}, {0, huge}, {huge, huge}, {huge, 1}, {1, huge}} {
			m, n := s[0], s[1]
			for name, call := range map[string]func(){
				"Dgemm":      func() { b.Dgemm(N, N, m, n, 0, 1, x, huge, x[4:], huge, 1, x[8:], huge) },
				"Dgemm of k": func() { b.Dgemm(T, T, m, n, huge, 1, x, huge, x[4:], huge, 1, x[8:], huge) },
				"Dsymm":      func() { b.Dsymm(L, U, m, n, 1, x, huge, x[4:], huge, 1, x[8:], huge) },
				"Dsymm R":    func() { b.Dsymm(R, U, m, n, 1, x, huge, x[4:], huge, 1, x[8:], huge) },
				"Dsyrk":      func() { b.Dsyrk(U, N, m, n, 1, x, huge, 1, x[8:], huge) },
				"Dsyr2k":     func() { b.Dsyr2k(U, T, m, n, 1, x, huge, x[4:], huge, 1, x[8:], huge) },
				"Dtrmm":      func() { b.Dtrmm(L, U, N, D, m, n, 1, x, huge, x[8:], huge) },
				"Dtrsm":      func() { b.Dtrsm(R, U, N, D, m, n, 1, x, huge, x[8:], huge) },
				"Dgemv":      func() { b.Dgemv(N, m, n, 1, x, huge, x[4:], 1, 1, x[8:], 1) },
				"Dgemv T":    func() { b.Dgemv(T, m, n, 1, x, huge, x[4:], huge, 1, x[8:], huge) },
				"Dger":       func() { b.Dger(m, n, 1, x[4:], 1, x[8:], 1, x, huge) },
				"Dgbmv":      func() { b.Dgbmv(N, m, n, huge, 0, 1, x, huge, x[4:], 1, 1, x[8:], 1) },
				"Dgbmv T":    func() { b.Dgbmv(T, m, n, 0, 0, 1, x, 1, x[4:], 1, 1, x[8:], 1) },
				"Zgemm": func() {
					z := make([]complex128, 4)
					CBLAS128{}.Zgemm(N, T, m, n, 0, 1, z, huge, z[1:], huge, 1, z[2:], huge)
				},
			} {
				done := make(chan any, 1)
				go func() {
					defer func() { done <- recover() }()
					call()
				}()
				select {
				case r := <-done:
					if _, broken := r.(interface{ RuntimeError() }); broken {
						t.Errorf("%s of %d x %d: %v", name, m, n, r)
					}
				case <-time.After(time.Minute):
					t.Fatal(fmt.Sprintf("%s of %d x %d is still running", name, m, n))
				}
			}
		}
	}
}
