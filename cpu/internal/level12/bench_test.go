package level12

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// BenchmarkShort times short calls of kernels, of any length, beside gonum's, in turns: xgonum is how many times as
// long gonum takes. What args.go leaves to gonum rests on it.
func BenchmarkShort(b *testing.B) {
	defer func(n int) { shortest = n }(shortest)
	shortest = 1
	defer run.SetThreads(0)
	run.SetThreads(1)
	short(b, "float64", set64(Float64{}), set64(gonum.Implementation{}), level1[:9])
	short(b, "float32", set32(Float32{}), set32(gonum.Implementation{}), level1)
}

func short[T dtype.Float](b *testing.B, typ string, ours, theirs set[T], names []string) {
	for _, name := range append(slices.Clone(names), level2...) {
		sides := [][2]int{{1, 1}, {4, 4}, {8, 8}, {16, 16}, {24, 24}, {32, 32}, {48, 48}, {64, 64}, {100, 100}, {150, 150}, {250, 250}}
		if name == "gemv" || name == "ger" {
			sides = append(sides, []([2]int){{500, 4}, {500, 8}, {500, 16}, {500, 31}, {8, 500}}...)
		}
		for _, side := range sides {
			if slices.Contains(level2, name) && side[0] == side[1] && side[0] > 100 {
				continue
			}
			for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				if tr == blas.Trans && !slices.Contains([]string{"gemv", "trmv", "trsv", "gbmv"}, name) {
					continue
				}
				g := args{m: side[0], n: side[1], lda: max(side[1], 2*side[1]/3+1), kL: side[1] / 3, kU: side[1] / 3, incX: 1, incY: 1, alpha: 1e-30, beta: 1, t: tr, ul: blas.Lower, d: blas.Unit}
				a, x, y := make([]T, side[0]*g.lda), make([]T, max(side[0], side[1])), make([]T, max(side[0], side[1]))
				for i := range x {
					x[i], y[i] = T(i%7)-3, T(i%5)-2
				}
				b.Run(fmt.Sprintf("%s/%c/%s/%dx%d", name, tr, typ, g.m, g.n), func(b *testing.B) {
					of := func(s set[T]) func(int) {
						return func(times int) {
							for range times {
								s.call(name, g, a, x, y)
							}
						}
					}
					seconds := peer.InTurns(of(ours), of(theirs))
					b.ReportMetric(seconds[0]*1e9, "ns")
					b.ReportMetric(seconds[1]/seconds[0], "xgonum")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
