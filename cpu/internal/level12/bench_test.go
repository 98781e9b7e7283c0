package level12

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BenchmarkShort times short calls beside gonum's: what the least lengths in args.go rest on.
func BenchmarkShort(b *testing.B) {
	short(b, "float64", set64(Float64{}), set64(gonum.Implementation{}))
	short(b, "float32", set32(Float32{}), set32(gonum.Implementation{}))
}

func short[T dtype.Float](b *testing.B, typ string, ours, theirs set[T]) {
	for _, name := range append(append([]string{}, level1[:9]...), level2...) {
		for _, n := range []int{1, 4, 8, 16, 24, 32, 48, 64} {
			g := args{m: n, n: n, lda: max(n, 2*n/3+1), kL: n / 3, kU: n / 3, incX: 1, incY: 1, alpha: 1.5, beta: 0.5, t: blas.NoTrans, ul: blas.Lower, d: blas.Unit}
			a, x, y := make([]T, n*g.lda), make([]T, n), make([]T, n)
			for i := range x {
				x[i], y[i] = T(i%7)-3, T(i%5)-2
			}
			for who, s := range map[string]set[T]{"ours": ours, "gonum": theirs} {
				b.Run(fmt.Sprintf("%s/%s/%d/%s", name, typ, n, who), func(b *testing.B) {
					for range b.N {
						s.call(name, g, a, x, y)
					}
				})
			}
		}
	}
}
