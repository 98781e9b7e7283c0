package level3_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapacks "gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu/lapack"
	"github.com/tilesmith/tilesmith/internal/level"
)

// sizes are those of the matrices that are factored: of 2000 rows, TILESMITH_LONG.
func sizes() []int {
	if os.Getenv("TILESMITH_LONG") != "" {
		return []int{100, 500, 2000}
	}
	return []int{100, 500}
}

// random returns a matrix of normal numbers.
func random(r *rand.Rand, n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return a
}

// TestFactors: factors that lapack makes of these routines give the matrix back, with
// residuals as LAPACK's own tests bound them: |A - product| <= 30 n eps |A|, and as much for what
// an orthogonal matrix is from one.
func TestFactors(t *testing.T) {
	old := blas64.Implementation()
	blas64.Use(ours)
	defer blas64.Use(old)
	r := rand.New(level.PCG(5, 6))
	for _, n := range sizes() {
		a := random(r, n)
		near := func(what string, have, want mat.Matrix) {
			t.Helper()
			if x := mat.Norm(sub(have, want), 1) / (mat.Norm(want, 1) * float64(n) * 0x1p-53); !(x <= 30) {
				t.Errorf("%s of %d: residual %.3g", what, n, x)
			}
		}
		product := func(xs ...mat.Matrix) mat.Matrix {
			p := mat.DenseCopyOf(xs[0])
			for _, x := range xs[1:] {
				var q mat.Dense
				q.Mul(p, x)
				p = &q
			}
			return p
		}
		eye := mat.NewDiagDense(n, nil)
		for i := range n {
			eye.SetDiag(i, 1)
		}
		orthogonal := func(what string, q mat.Matrix) { t.Helper(); near(what, product(q.T(), q), eye) }

		var lu mat.LU
		lu.Factorize(a)
		var l, u mat.TriDense
		lu.LTo(&l)
		lu.UTo(&u)
		lua := product(&l, &u).(*mat.Dense)
		lua.PermuteRows(lu.RowPivots(nil), false)
		near("LU", lua, a)
		var x mat.Dense
		if err := lu.SolveTo(&x, false, eye); err != nil {
			t.Fatal(err)
		}
		if d := mat.Norm(sub(product(a, &x), eye), 1) / (mat.Norm(a, 1) * mat.Norm(&x, 1) * float64(n) * 0x1p-53); !(d <= 30) {
			t.Errorf("LU solve of %d: residual %.3g", n, d)
		}

		var qr mat.QR
		qr.Factorize(a)
		var q, rr mat.Dense
		qr.QTo(&q)
		qr.RTo(&rr)
		near("QR", product(&q, &rr), a)
		orthogonal("QR's Q", &q)

		spd := mat.NewSymDense(n, nil)
		spd.SymOuterK(1, a)
		var chol mat.Cholesky
		if !chol.Factorize(spd) {
			t.Fatal("Cholesky failed")
		}
		var back mat.SymDense
		chol.ToSym(&back)
		near("Cholesky", &back, spd)

		var eigen mat.EigenSym
		if !eigen.Factorize(spd, true) {
			t.Fatal("EigenSym failed")
		}
		var v mat.Dense
		eigen.VectorsTo(&v)
		near("EigenSym", product(&v, mat.NewDiagDense(n, eigen.Values(nil)), v.T()), spd)
		orthogonal("eigenvectors", &v)

		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDFull) {
			t.Fatal("SVD failed")
		}
		var left, right mat.Dense
		svd.UTo(&left)
		svd.VTo(&right)
		near("SVD", product(&left, mat.NewDiagDense(n, svd.Values(nil)), right.T()), a)
		orthogonal("left singular vectors", &left)
		orthogonal("right singular vectors", &right)
	}
}

func sub(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

type plainLAPACK = lapackgonum.Implementation

// BenchmarkFactors times what gonum's mat makes of a matrix on gonum's BLAS, on this one, and with
// package lapack besides, in turns and on one core if -cpu is 1, and reports how many times faster
// the last is: the table of docs/gonum.md.
func BenchmarkFactors(b *testing.B) {
	old := blas64.Implementation()
	defer func() { blas64.Use(old); lapack64.Use(plainLAPACK{}) }()
	r := rand.New(level.PCG(1, 2))
	for _, n := range []int{500, 2000} {
		a, rhs := random(r, n), random(r, n)
		blas64.Use(ours)
		spd := mat.NewSymDense(n, nil)
		spd.SymOuterK(1, a)
		for _, c := range []struct {
			name string
			do   func() bool
		}{
			{"Mul", func() bool { new(mat.Dense).Mul(a, rhs); return true }},
			{"SymOuterK", func() bool { new(mat.SymDense).SymOuterK(1, a); return true }},
			{"Cholesky", func() bool { return new(mat.Cholesky).Factorize(spd) }},
			{"LU", func() bool { new(mat.LU).Factorize(a); return true }},
			{"QR", func() bool { new(mat.QR).Factorize(a); return true }},
			{"Solve", func() bool { return new(mat.Dense).Solve(a, rhs) == nil }},
			{"SVDValues", func() bool { return new(mat.SVD).Factorize(a, mat.SVDNone) }},
			{"SVD", func() bool { return new(mat.SVD).Factorize(a, mat.SVDThin) }},
			{"EigenSymValues", func() bool { return new(mat.EigenSym).Factorize(spd, false) }},
			{"EigenSym", func() bool { return new(mat.EigenSym).Factorize(spd, true) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				var plain, half, fast time.Duration
				timed := func(sum *time.Duration, on blas.Float64, above lapacks.Float64) {
					blas64.Use(on)
					lapack64.Use(above)
					start := time.Now()
					if !c.do() {
						b.Fatal("it failed")
					}
					*sum += time.Since(start)
				}
				for b.Loop() {
					timed(&plain, gonum.Implementation{}, plainLAPACK{})
					timed(&half, ours, plainLAPACK{})
					timed(&fast, ours, lapack.Float64{})
				}
				b.ReportMetric(plain.Seconds()/float64(b.N)*1e3, "gonum-ms")
				b.ReportMetric(half.Seconds()/float64(b.N)*1e3, "BLAS-ms")
				b.ReportMetric(fast.Seconds()/float64(b.N)*1e3, "ms")
				b.ReportMetric(plain.Seconds()/fast.Seconds(), "times")
			})
		}
	}
}
