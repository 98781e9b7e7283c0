package level12

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// TestGuardPages: operands that end, and that begin, at an inaccessible page.
func TestGuardPages(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { guarded(t, set64(Float64{})) })
		t.Run("float32", func(t *testing.T) { guarded(t, set32(Float32{})) })
	})
}

func guarded[T dtype.Float](t *testing.T, s set[T]) {
	var pages [3]*guard.Memory[T]
	for i := range pages {
		g, err := guard.New[T](90 * 100)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		pages[i] = g
	}
	r := rand.New(level.PCG(9, 10))
	for _, name := range append(slices.Clone(level1), level2...) {
		for _, side := range [][2]int{{16, 16}, {17, 18}, {31, 23}, {22, 75}, {65, 33}, {85, 86}} {
			for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				for _, ul := range []blas.Uplo{blas.Lower, blas.Upper} {
					g := args{m: side[0], n: side[1], kL: 7, kU: 10, incX: 1, incY: 1, alpha: 2, beta: -1, t: tr, ul: ul, d: blas.NonUnit}
					lens := [3]int{0, g.n, g.n}
					switch name {
					case "gemv", "gbmv", "ger":
						if tr == blas.Trans && name != "ger" {
							lens[1] = g.m
						} else {
							lens[2] = g.m
						}
						if name == "ger" {
							lens[1], lens[2] = g.m, g.n
						}
					default:
						g.m = g.n
					}
					g.lda = g.n
					lens[0] = (g.m-1)*g.lda + g.n
					if name == "gbmv" {
						g.lda = g.kL + g.kU + 1
						lens[0] = g.lda*(min(g.m, g.n+g.kL)-1) + g.lda
					}
					for _, left := range []bool{true, false} {
						var o [3][]T
						for i, p := range pages {
							if o[i] = p.Right(lens[i]); left {
								o[i] = p.Left(lens[i])
							}
							for k := range o[i] {
								o[i][k] = T(r.IntN(5) + 1)
							}
						}
						s.call(name, g, o[0], o[1], o[2])
						for _, p := range pages {
							if err := p.Check(); err != nil {
								t.Fatalf("%s %+v: %v", name, g, err)
							}
						}
					}
				}
			}
		}
	}
}
