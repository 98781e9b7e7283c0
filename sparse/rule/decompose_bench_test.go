package rule_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// BenchmarkDecompose reports what an entry costs to bring from compressed rows to
// another form.
func BenchmarkDecompose(b *testing.B) {
	for _, c := range []struct {
		recipe string
		rules  []rule.Rule
	}{
		{"cora", []rule.Rule{rule.Hyb(1, 2)}},
		{"pubmed", []rule.Rule{rule.Hyb(1, 5)}},
		{"arxiv", []rule.Rule{rule.Hyb(1, 5)}},
		{"arxiv-rmat", []rule.Rule{rule.Hyb(1, 5)}},
		{"arxiv-rmat", []rule.Rule{rule.Hyb(4, 5)}},
		{"arxiv-rmat", []rule.Rule{rule.Columns(8)}},
		{"arxiv-rmat", []rule.Rule{rule.LongRows(1024)}},
		{"arxiv-rmat", []rule.Rule{rule.Blocks(8, .25)}},
		{"arxiv-rmat", []rule.Rule{rule.Diagonals(.25)}},
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
				if _, err := rule.Decompose(m, c.rules...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/entry")
		})
	}
}
