package sparse_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// BenchmarkDecompose reports what an entry costs to bring from compressed rows to
// another form.
func BenchmarkDecompose(b *testing.B) {
	for _, c := range []struct {
		recipe string
		rules  []sparse.Rule
	}{
		{"cora", []sparse.Rule{sparse.Hyb(1, 2)}},
		{"pubmed", []sparse.Rule{sparse.Hyb(1, 5)}},
		{"arxiv", []sparse.Rule{sparse.Hyb(1, 5)}},
		{"arxiv-rmat", []sparse.Rule{sparse.Hyb(1, 5)}},
		{"arxiv-rmat", []sparse.Rule{sparse.Hyb(4, 5)}},
		{"arxiv-rmat", []sparse.Rule{sparse.Columns(8)}},
		{"arxiv-rmat", []sparse.Rule{sparse.LongRows(1024)}},
		{"arxiv-rmat", []sparse.Rule{sparse.Blocks(8, .25)}},
		{"arxiv-rmat", []sparse.Rule{sparse.Diagonals(.25)}},
	} {
		recipe, err := sample.Find(c.recipe)
		if err != nil {
			b.Fatal(err)
		}
		m, err := sample.Make[float32](recipe, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.recipe+"/"+c.rules[0].Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sparse.Decompose(m, c.rules...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/entry")
		})
	}
}
