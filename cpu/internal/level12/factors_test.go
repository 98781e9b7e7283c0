package level12

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkFactors times what gonum's lapack makes of Levels 1 and 2, on these and on gonum's; Level 3 is gonum's in both. n = 2000
// takes TILESMITH_LONG.
func BenchmarkFactors(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	sides := []int{500}
	if os.Getenv("TILESMITH_LONG") != "" {
		sides = append(sides, 2000)
	}
	for _, n := range sides {
		r := rand.New(rand.NewPCG(1, 2))
		a, s := mat.NewDense(n, n, nil), mat.NewSymDense(n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, r.NormFloat64())
				s.SetSym(i, j, a.At(i, j))
			}
		}
		for name, f := range map[string]func(){
			"EigenSym, values only": func() { new(mat.EigenSym).Factorize(s, false) },
			"EigenSym":              func() { new(mat.EigenSym).Factorize(s, true) },
			"QR":                    func() { new(mat.QR).Factorize(a) },
			"SVD, values only":      func() { new(mat.SVD).Factorize(a, mat.SVDNone) },
		} {
			for who, use := range map[string]blas.Float64{"ours": Float64{}, "gonum": gonum.Implementation{}} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, who), func(b *testing.B) {
					blas64.Use(use)
					for range b.N {
						f()
					}
				})
			}
		}
	}
}
