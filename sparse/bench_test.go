package sparse_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// BenchmarkTo reports what an entry costs to convert, at a size whose linear time
// shows.
func BenchmarkTo(b *testing.B) {
	r := rand.New(level.PCG(1, 1))
	for _, rows := range []int{1 << 12, 1 << 16} {
		build := sparse.NewBuilder[float32](rows, rows)
		for range 8 * rows {
			i := r.IntN(rows)
			build.Add(i, min(rows-1, max(0, i+r.IntN(64)-32)), 1)
		}
		m, err := build.Matrix()
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range []format.Format{format.CSR, format.CSC, format.COO, format.DCSR, format.DIA, format.SELL(8, 64), format.BSR(4), format.DBSR(4), format.SRBCRS(8, 8)} {
			b.Run(f.Name+"/"+m.String(), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if _, err := format.Pack(m, f); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/entry")
			})
		}
	}
}
