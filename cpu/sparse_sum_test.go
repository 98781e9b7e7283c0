package cpu

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Any decomposition multiplies like the whole: factors, NaN where padding points,
// skew, empty matrices.
func TestSpMMSum(t *testing.T) {
	rules := map[string][]rule.Rule{
		"hyb":       {rule.Hyb(2, 2)},
		"columns":   {rule.Columns(3)},
		"blocks":    {rule.Blocks(4, 0.4)},
		"diagonals": {rule.Diagonals(0.5), rule.Hyb(1, 1)},
		"long rows": {rule.LongRows(8)},
		"slabs":     {rule.Each(rule.Columns(2), rule.Blocks(2, 0.7), rule.Buckets(3))},
	}
	eachISA(t, func(t *testing.T, isa string) {
		for name, r := range rules {
			t.Run("rules="+name, func(t *testing.T) {
				eachFloat(t, len(name), func(t *testing.T) { testSum[float32](t, isa, r) }, func(t *testing.T) { testSum[float64](t, isa, r) })
			})
		}
	})
}

func testSum[T dtype.Float](t *testing.T, isa string, rules []rule.Rule) {
	sum := packedOnce(func(a sparse.Matrix[T]) (rule.Sum[T], error) { return rule.Decompose(a, rules...) })
	check.SparseProduct(t, func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error {
		s, err := sum(a)
		if err != nil {
			return err
		}
		SpMMOpt(scaled(isa, 2, alpha, beta), out, s, b)
		return nil
	}, check.SparseOptions{Widths: level.Of([]int{17}, []int{1, 17}, []int{1, 17, 64}), Long: level.Of(60, 150, 3000)})
}
