package cpu

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// BenchmarkSpMMEmpty is what a product costs that is next to nothing but rows of out to
// clear or to scale, 4 MB of them; "clear" is what clearing them takes. One thread.
func BenchmarkSpMMEmpty(b *testing.B) {
	const m, n = 2000, 512
	x, out := layout.New[float32](m, n), layout.New[float32](m, n)
	bench := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * m * n)
			for b.Loop() {
				f()
			}
		})
	}
	bench("clear", func() { clear(out.Data) })
	for _, entries := range []int{0, 1} {
		i, v := []int{m / 2}[:entries], []float32{1}[:entries]
		a, err := sparse.FromCOO(m, m, i, i, v)
		if err != nil {
			b.Fatal(err)
		}
		for _, out := range []layout.Matrix[float32]{out, layout.ColMajor(out.Data, m, n)} {
			for _, beta := range []float64{0, .5} {
				opt := Options{Threads: 1, Scaling: Scale(1, beta)}
				how := fmt.Sprintf("/entries=%d/columns=%v/beta=%v", entries, out.ColStride != 1, beta)
				for _, f := range []format.Format{format.CSR, format.CSC, format.DCSR, format.SELL(8, 8), format.BSR(16), format.DBSR(16)} {
					p, err := format.Pack(a, f)
					if err != nil {
						b.Fatal(err)
					}
					bench(f.Name+how, func() { SpMMOpt(opt, out, p, x) })
				}
				w := Prune(a)
				bench("pruned"+how, func() { MulPruned(opt, out, w, x) })
			}
		}
	}
}
