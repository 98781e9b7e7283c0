package cpu_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu"
)

// BenchmarkLAPACK times what gonum's mat does with a matrix of 1000 x 1000, with its own
// BLAS and with ours below it: what README.md says of it. -cpu 1 has both on one core.
func BenchmarkLAPACK(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	const n = 1000
	r := rand.New(rand.NewPCG(1, 2))
	a, x := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	symmetric := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
			x.Set(i, j, r.NormFloat64())
			symmetric.SetSym(i, j, r.NormFloat64())
		}
	}
	var definite mat.SymDense
	definite.SymOuterK(1, a)
	for i := range n {
		definite.SetSym(i, i, definite.At(i, i)+n)
	}
	done := func(ok bool) error {
		if !ok {
			return errors.New("it failed")
		}
		return nil
	}
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"Dense.Mul", func() error { new(mat.Dense).Mul(a, x); return nil }},
		{"QR", func() error { new(mat.QR).Factorize(a); return nil }},
		{"LU", func() error { new(mat.LU).Factorize(a); return nil }},
		{"Cholesky", func() error { return done(new(mat.Cholesky).Factorize(&definite)) }},
		{"Dense.Inverse", func() error { return new(mat.Dense).Inverse(a) }},
		{"Dense.Solve", func() error { return new(mat.Dense).Solve(a, x) }},
		{"SVDValues", func() error { return done(new(mat.SVD).Factorize(a, mat.SVDNone)) }},
		{"SVD", func() error { return done(new(mat.SVD).Factorize(a, mat.SVDThin)) }},
		{"EigenSym", func() error { return done(new(mat.EigenSym).Factorize(symmetric, true)) }},
	} {
		for lib, use := range map[string]blas.Float64{"gonum": gonum.Implementation{}, "tilesmith": cpu.BLAS64{}} {
			b.Run(c.name+"/lib="+lib, func(b *testing.B) {
				blas64.Use(use)
				for b.Loop() {
					if err := c.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
