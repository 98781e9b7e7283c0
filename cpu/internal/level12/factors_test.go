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

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// BenchmarkFactors times what gonum's lapack makes of Levels 1 and 2, on these and on gonum's, in turns; Level 3 is gonum's in both. n = 2000
// takes TILESMITH_LONG.
func BenchmarkFactors(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	sides := []int{500}
	if os.Getenv("TILESMITH_LONG") != "" {
		sides = append(sides, 2000)
	}
	for _, n := range sides {
		r := rand.New(level.PCG(1, 2))
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
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				by := func(use blas.Float64) func(int) {
					return func(times int) {
						blas64.Use(use)
						for range times {
							f()
						}
					}
				}
				seconds := peer.InTurns(by(Float64{}), by(gonum.Implementation{}))
				b.ReportMetric(seconds[0]*1e3, "ms")
				b.ReportMetric(seconds[1]/seconds[0], "xgonum")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
