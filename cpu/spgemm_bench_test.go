package cpu

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// BenchmarkSpGEMM is A*A of matrices from the folder beside the repository, with sorted
// rows, by a new product each time and by a plan.
func BenchmarkSpGEMM(b *testing.B) {
	dir := os.Getenv("TILESMITH_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	for _, name := range []string{"bcsstk13", "cora", "cryg2500", "dnn-n1024-l1", "gemat11", "pubmed", "west0479"} {
		f, err := os.Open(filepath.Join(dir, name+".mtx"))
		if err != nil {
			b.Skip(err)
		}
		m, err := files.ReadMatrixMarket[float64](f, mtx.Options{})
		f.Close()
		if err != nil {
			b.Fatal(err)
		}
		m = sample.Random(m, 3)
		one := Options{Threads: 1}
		b.Run(name+"/product", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				SpGEMMOpt(one, SpGEMMSpec[float64]{}, m, m)
			}
		})
		plan := sure(PlanSpGEMM(one, SpGEMMSpec[float64]{}, m, m))
		b.Run(name+"/plan", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan.Multiply(m, m)
			}
		})
	}
}
