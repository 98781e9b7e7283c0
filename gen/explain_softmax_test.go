package gen

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// TestExplainSoftmax wants times of specs that have a softmax, relations or segments, what takes them, and what they
// are of.
func TestExplainSoftmax(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	score := gemm.Map1(act.Tanh[float32])
	of := spec.BlockAttention[float32]{Name: "A", Epilogue: score}
	cases := []struct {
		spec Spec
		want string
	}{
		{spec.EdgeSoftmax[float32]{Name: "W", Epilogue: score}, `W +10000 x 10000 +[1-9]\d*\.\d us +(sums and shares of rows|powers of e|the function) \d\d %: 160000 entries in 10000 rows, 1\.3 MB`},
		{of.Backward(), `ABack +4096 x 64 x 4096 +[1-9]\d*\.\d +\d+ %  products \d\d %: [1-9][\d.]* us, a window of 832 of 4096 tokens, 1 heads of 64 columns, 8\.4 MB`},
		{spec.BlockAttention[float32]{Name: "A", Heads: 2, Width: 32, Epilogue: score}, `A +4096 x 64 x 4096 +[1-9]\d*\.\d +\d+ %  (products|powers of e|the function) \d\d %: [1-9][\d.]* us, a window of 832 of 4096 tokens, 2 heads of 32 columns, 4\.2 MB`},
		{spec.BlockAttention[float64]{Name: "A", Causal: true}, `A +4096 x 64 x 4096 +[1-9]\d*\.\d +\d+ %  (products|powers of e) \d\d %: [1-9][\d.]* us, a window of 832 of 4096 tokens, 1 heads of 64 columns, 8\.4 MB`},
		{spec.RGMS[float32]{Name: "R"}, `R +10000 x 128 x 128 +[1-9]\d*\.\d +\d+ %  160000 entries anywhere in 10000 rows`},
		{spec.SegmentReduce[float64]{Name: "S", Features: 32}, `S +160000 x 32 +[1-9]\d*\.\d us .*10000 segments of 16 rows, 32 columns`},
	}
	for _, i := range level.Pick(len(cases), 0, 1) {
		c := cases[i]
		specs := []Spec{c.spec}
		if _, ok := c.spec.(spec.BlockAttentionBack[float32]); ok {
			specs = []Spec{of, c.spec} // whose function it calls, too
		}
		var b strings.Builder
		if err := (Explanation{Target: "avx512"}).Print(&b, Options{Package: "p", Source: "a test", Dir: "."}, specs...); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(c.want).MatchString(b.String()) {
			_, rest, _ := strings.Cut(b.String(), "== what to expect")
			t.Errorf("%T: no %q in\n%s", c.spec, c.want, rest)
		}
	}
}
