package rule_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// TestParallel: the parts do not depend on the number of processors, at sizes that
// are worth several, and sum to the whole.
func TestParallel(t *testing.T) {
	fast := cmp.Options{cmp.Comparer(slices.Equal[[]int32]), cmp.Comparer(slices.Equal[[]uint64]), cmp.Comparer(slices.Equal[[]float32])}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m, err := sample.RMAT[float32](level.Of(4000, 40000, 40000), level.Of(15000, 150000, 150000), .5, .2, .2, 1)
	if err != nil {
		t.Fatal(err)
	}
	m = sample.Random(m, 1)
	type arrays struct {
		Name   string
		Arrays format.Arrays
		From   []int32
		Values []float32
	}
	parts := func(rules []rule.Rule) []arrays {
		s, err := rule.Decompose(m, rules...)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Matrix().Equal(m) {
			t.Errorf("%v: the parts do not sum to the whole", s)
		}
		var all []arrays
		for _, p := range s.Parts() {
			all = append(all, arrays{p.Name, p.Arrays(), p.From(), p.Values()})
		}
		return all
	}
	lower := rule.Rule{Name: "lower", Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
		in, out := s.Partition(func(e sparse.Entry) bool { return e.I > e.J })
		return []rule.Group{{Into: format.SELL(8, 64), Structure: in}}, out, nil
	}}
	for _, rules := range [][]rule.Rule{
		{rule.Hyb(1, 5)}, {rule.Hyb(5, 2)},
		{rule.Blocks(8, .1), rule.Diagonals(.01), rule.LongRows(50)},
		{lower, rule.Each(rule.Columns(3), rule.Blocks(4, .2))},
	} {
		runtime.GOMAXPROCS(1)
		want := parts(rules)
		for _, n := range []int{2, 3, 8} {
			runtime.GOMAXPROCS(n)
			if diff := cmp.Diff(want, parts(rules), fast); diff != "" {
				t.Errorf("%d processors: %.500s", n, diff)
			}
		}
	}
	for _, f := range []format.Format{format.CSC, format.SELL(8, 64), format.BSR(3), format.DBSR(4), format.DELL(4)} {
		runtime.GOMAXPROCS(1)
		want, err := format.Pack(m, f)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GOMAXPROCS(5)
		have, err := format.Pack(m, f)
		if err != nil || !cmp.Equal(want.Arrays(), have.Arrays(), fast) || !cmp.Equal(want.Values(), have.Values(), fast) || !have.Matrix().Equal(m) {
			t.Errorf("%s depends on the number of processors (%v)", f.Name, err)
		}
	}
}
